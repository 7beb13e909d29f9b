import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.text.deixis import points_away

LEANING = [
    # English
    "According to the section, which ports are open?",
    "What does this passage say about retention?",
    "Which value stands in the table above?",
    "What is described in the document?",
    "Which of the following is a valid value?",
    "What does the following command print?",
    "What is shown in the example?",
    "Why does this section mention tokens?",
    "How do I install it?",
    "How do I set it up?",
    "How to install it on Windows?",
    "Can I delete them?",
    "What does it do?",
    "Why does it fail?",
    "What is it?",
    "Is it free?",
    "Is it able to connect to a proxy?",
    "Does it need to be restarted?",
    "Can it be restarted?",
    "How long does it take?",
    "When was he born?",
    "What happens when it crashes?",
    "What is its default value?",
    "Who created it?",
    "How do I fix this?",
    "What does this mean?",
    "Why is this needed?",
    "it doesn't start",
    "How do I\u00a0install\u200b it?",
    "**How do I install it?**",
    # German
    "Was steht in diesem Abschnitt über Ports?",
    "Laut dem Text, wie lange werden Daten aufbewahrt?",
    "Welcher Wert ist im Dokument angegeben?",
    "Was zeigt die Tabelle oben?",
    "Wie installiere ich es?",
    "Wie installieren Sie es?",
    "Wie lange wird es aufbewahrt?",
    "Wie kann ich ihn löschen?",
    "Wie funktioniert sie?",
    "Was macht er?",
    "Was bedeutet das?",
    # French
    "Selon le texte, quelle est la limite ?",
    "Que dit ce passage sur les jetons ?",
    "Quelle valeur figure dans le tableau ci-dessus ?",
    "Comment l’installer ?",
    "Comment fonctionne-t-il ?",
    "Comment puis-je le supprimer ?",
    "Comment ça marche ?",
    # Spanish
    "Según el texto, ¿cuál es el límite?",
    "¿Qué dice este pasaje sobre los puertos?",
    "¿Qué valor aparece en la tabla anterior?",
    "¿Cómo lo instalo?",
    "¿Cómo puedo instalarlo?",
    "¿Cómo funciona esto?",
    # Italian
    "Secondo il brano, qual è il limite?",
    "Che cosa dice questo testo?",
    "Quale valore è nella tabella seguente?",
    "Come lo installo?",
    "Come posso installarlo?",
    "Come funziona questo?",
    # Portuguese
    "De acordo com o texto, qual é o limite?",
    "O que diz este trecho?",
    "Qual valor está nesta tabela?",
    "Como o instalo?",
    "Como posso instalá-lo?",
    "Como ele funciona?",
    # Dutch
    "Volgens de tekst, wat is de limiet?",
    "Wat zegt deze passage over poorten?",
    "Welke waarde staat in de tabel hierboven?",
    "Hoe installeer ik het?",
    "Hoe werkt het?",
    "Hoe kan ik ze verwijderen?",
    # Chinese
    "根据上文，默认端口是多少？",
    "这段文字说了什么？",
    "上面的表格中有哪些值？",
    "如何安装它？",
    "为什么它很慢？",
    "这个怎么用？",
    # Japanese
    "この文章によると、期限はいつですか？",
    "上の表の値は何ですか？",
    "本文によれば、どのポートですか？",
    "それはどのように動作しますか？",
    "どうやってそれをインストールしますか？",
    # Russian
    "Что говорится в этом разделе о портах?",
    "Согласно тексту, каков предел?",
    "Какое значение указано в таблице выше?",
    "Как его установить?",
    "Как он работает?",
    "Что это такое?",
]

STANDING = [
    # English
    "What does the table command print?",
    "Is it possible to restart Foo?",
    "How long does it take to restart Foo?",
    "Is it safe to delete the cache of Foo?",
    "Is it time to reconsider the limits of Foo?",
    "Why is it challenging to estimate the load of Foo?",
    "Would it be better to run Foo twice?",
    "What happens if it is necessary to restart Foo?",
    "According to the California Code of Regulations, when is a case reported?",
    "Does it matter whether Foo starts first?",
    "What does it mean when Foo reports a stale lease?",
    "Is it the controller that restarts Foo?",
    "Why is it important to rotate keys in Foo?",
    "What happens to Foo when it restarts?",
    "How do users change their password in Foo?",
    "When Foo crashes, what does it write to its log?",
    "What is Foo and how do I install it?",
    "Who runs IT security at Foo?",
    "How do I contact IT?",
    "Where can I find the documentation of Foo?",
    "According to the documentation of Foo, which ports are open?",
    "Which section of foo.toml sets the port?",
    "How do I delete a document in Elasticsearch?",
    "What does the passage of the Reform Act change?",
    "What happens above 100 requests a second in Foo?",
    "How do I insert a row in the table editor of Foo?",
    "How do I make it so that Foo starts at boot?",
    "Which article of the constitution protects speech?",
    "Foo port default",
    "restart Foo",
    # German
    "Wie lange dauert es, Foo neu zu starten?",
    "Ist es möglich, Foo neu zu starten?",
    "Welche Rollen gibt es in Foo?",
    "Wie installieren Sie Foo?",
    "Wie kann ich Sie erreichen?",
    "Wie lange dauert es, bis Foo startet?",
    "Was gibt es Neues in Foo?",
    "Warum ist es nötig, Foo zu sichern?",
    "Was passiert mit Foo, wenn es neu startet?",
    "Wie lösche ich ein Dokument in Foo?",
    "Was macht das Kommando table in Foo?",
    "Wie kann ich die Tabelle in Foo exportieren?",
    # French
    "Est-il possible de redémarrer Foo ?",
    "Combien de temps faut-il pour redémarrer Foo ?",
    "Comment Foo fonctionne-t-il ?",
    "Comment le serveur Foo démarre-t-il ?",
    "Comment la mémoire de Foo est-elle libérée ?",
    "Quel document décrit Foo ?",
    "Existe-t-il une limite dans Foo ?",
    # Spanish
    "¿Es posible reiniciar Foo?",
    "¿Cómo la función table imprime en Foo?",
    "¿Cómo los usuarios cambian su contraseña en Foo?",
    "¿Qué imprime el comando tabla de Foo?",
    # Italian
    "È possibile riavviare Foo?",
    "Come lo studente può accedere a Foo?",
    "Quanto tempo ci vuole per riavviare Foo?",
    "Come posso modificare una tabella in Foo?",
    # Portuguese
    "É possível reiniciar o Foo?",
    "Como o servidor Foo inicia?",
    "Quanto tempo leva para reiniciar o Foo?",
    # Dutch
    "Is het mogelijk om Foo te herstarten?",
    "Hoe lang duurt het om Foo te herstarten?",
    "Hoe werkt het systeem van Foo?",
    "Hoe wijzig ik het wachtwoord van Foo?",
    # Chinese
    "如何重启 Foo？",
    "如何安装其他插件？",
    "Foo 的默认端口是多少？",
    "怎么弹吉他？",
    "如何删除 Foo 的文档？",
    # Japanese
    "Fooを再起動するにはどうすればよいですか？",
    "それぞれのプランの期限は何日ですか？",
    "Fooの表はどこで編集できますか？",
    # Russian
    "Как перезапустить Foo?",
    "Можно ли перезапустить Foo?",
    "Как удалить данные таблицы в Foo?",
    "Что такое Foo и как его установить?",
]


@pytest.mark.parametrize("text", LEANING)
def test_a_question_that_leans_on_a_text_beside_it_is_found(text: str) -> None:
    assert points_away(text)


@pytest.mark.parametrize("text", STANDING)
def test_a_question_that_says_what_it_is_about_stands_alone(text: str) -> None:
    assert not points_away(text)


NAMES = st.from_regex(r"\A[A-Z][a-z]{3,9}\Z").filter(
    lambda name: name.casefold() not in {"they", "this", "that", "these", "those", "them", "passage"}
)


@given(
    NAMES,
    st.sampled_from(["How do I restart {}?", "What does {} do when it fails?", "Is it safe to stop {}?"]),
)
def test_a_named_thing_is_a_referent_whatever_its_name(name: str, form: str) -> None:
    assert not points_away(form.format(name))


@given(
    st.from_regex(r"\A[a-z]{3,9}\Z"), st.sampled_from(["How do I {} it?", "How to {} them?", "Can I {} it?"])
)
def test_a_pronoun_without_a_referent_is_found_whatever_the_verb(verb: str, form: str) -> None:
    assert points_away(form.format(verb))


@given(st.text(max_size=200))
def test_any_text_is_answered_and_the_answer_survives_marks_and_spaces(text: str) -> None:
    found = points_away(text)
    assert points_away(f"  {text}\n") == found
