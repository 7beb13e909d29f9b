import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_corpus import chunks_of

from goldgen.errors import RetrieverError
from goldgen.retrieve import (
    LANGUAGES,
    Analyzer,
    BM25Retriever,
    OkapiRetriever,
    analyzer_for,
    detected_language,
)
from goldgen.retrieve.languages import STOP_WORDS
from goldgen.text.words import words
from goldgen.types import Retriever

BEIR = Path(__file__).parents[2].parent / "shared" / "data" / "beir"

SENTENCES = {
    "da": "Det er ikke muligt at ændre navnet, når filen først er blevet gemt af en anden bruger.",
    "de": "Die Datei wird nicht gelöscht, wenn sie von einem anderen Benutzer noch geöffnet ist.",
    "en": "The file is not deleted if it is still open in the editor of another user.",
    "es": "El archivo no se borra si todavía está abierto en el editor de otro usuario.",
    "fi": "Tiedosto ei poistu, jos se on vielä auki, mutta sen voi poistaa myös niin kuin muut.",
    "fr": "Le fichier n'est pas supprimé s'il est encore ouvert dans l'éditeur d'un autre utilisateur.",
    "it": "Il file non è cancellato se è ancora aperto nel programma di un altro utente.",
    "nl": "Het bestand wordt niet verwijderd als het nog open is bij een andere gebruiker.",
    "no": "Filen blir ikke slettet hvis den er åpen hos noen andre, og så må du vente til etter lagring.",
    "pt": "O arquivo não é apagado se ele ainda está aberto no editor de um outro usuário.",
    "ru": "Файл не удаляется, если он еще открыт в редакторе у другого пользователя.",
    "sv": "Filen tas inte bort om den är öppen hos någon annan, och då får du vänta.",
}


def found(retriever: Retriever, question: str) -> set[str]:
    return {hit.chunk_id for hit in retriever.search(question, 10)}


def test_each_language_has_a_stemmer_stop_words_and_a_sentence_here() -> None:
    assert set(LANGUAGES) == set(STOP_WORDS) == set(SENTENCES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_known_by_its_function_words(language: str) -> None:
    assert detected_language([SENTENCES[language]]) == language
    assert analyzer_for([SENTENCES[language]]) == Analyzer(language, stem=True, drop_stop_words=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_written_as_words_are_cut(language: str) -> None:
    assert all(words(word) == [word] for word in STOP_WORDS[language])


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "!?"],
        ["ファイルは削除されません"],
        ["kubectl get pods --namespace monitoring", "helm upgrade --install prometheus"],
        ["the name of the file", "der Name und die Datei"],
    ],
)
def test_where_the_language_is_not_clear_words_are_searched_as_they_stand(texts: list[str]) -> None:
    assert detected_language(texts) is None
    assert analyzer_for(texts) == Analyzer()


@pytest.mark.parametrize(("folder", "language"), [("xquad_de", "de"), ("xquad_en", "en"), ("xquad_zh", None)])
def test_the_language_of_real_corpora(folder: str, language: str | None) -> None:
    path = BEIR / folder / "corpus.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is missing: the shared evaluation data are not on this machine")
    with path.open(encoding="utf-8") as lines:
        assert detected_language(json.loads(line)["text"] for line in lines) == language


def test_the_first_pages_do_not_decide_alone() -> None:
    pages = [SENTENCES["de"]] * 1000 + [SENTENCES["en"]] * 4000
    assert analyzer_for(pages).language == "en"


@pytest.mark.parametrize("build", [BM25Retriever, OkapiRetriever])
def test_stemming_finds_other_forms_of_a_word_and_plain_words_do_not(
    build: type[BM25Retriever | OkapiRetriever],
) -> None:
    english = chunks_of("deleting the clusters", "an upgrade", "something else", "and more")
    assert found(build(english, Analyzer("en", stem=True)), "delete a cluster") == {"c0"}
    assert found(build(english), "delete a cluster") == set()
    german = chunks_of("Die Häuser werden verkauft", "Ein Auto fährt", "Nichts", "Sonst")
    assert found(build(german, Analyzer("de", stem=True)), "Haus") == {"c0"}


def test_names_are_not_stemmed() -> None:
    corpus = chunks_of("max_retries is 3", "ipv4 addresses", "v1.2 releases")
    retriever = BM25Retriever(corpus, Analyzer("en", stem=True))
    assert retriever.search("max_retries", 1)[0].chunk_id == "c0"
    assert found(retriever, "max_retry") == {"c0"}, "by its part max and the stem of retry"
    assert found(retriever, "ipv") == set()


def test_stop_words_count_only_in_a_question_of_nothing_else() -> None:
    corpus = chunks_of("to be or not to be", "the pods restart", "the charts upgrade")
    retriever = BM25Retriever(corpus, Analyzer("en", drop_stop_words=True))
    assert found(retriever, "how do the pods restart") == {"c1"}
    assert found(retriever, "to be or not to be") == {"c0"}
    assert found(retriever, "is it the") == {"c1", "c2"}


def test_a_corpus_of_stop_words_is_searched() -> None:
    retriever = BM25Retriever(chunks_of("the of", "the and"), Analyzer("en", True, True))
    assert found(retriever, "of") == {"c0"}
    assert found(retriever, "what is the helm chart") == set()


@pytest.mark.parametrize("analyzer", [{"stem": True}, {"drop_stop_words": True}])
@pytest.mark.parametrize("language", [None, "tlh", "english"])
def test_a_language_without_a_stemmer_is_an_error(analyzer: dict[str, bool], language: str | None) -> None:
    with pytest.raises(RetrieverError, match=f"for language {language!r}; choose from da, de, en"):
        Analyzer(language, **analyzer)


@given(
    st.lists(
        st.lists(st.sampled_from(["run", "runs", "running", "the", "of", "cat", "cats"]), max_size=4),
        min_size=1,
    ),
    st.lists(st.sampled_from(["runs", "the", "cat", "dogs"]), max_size=4),
)
@settings(deadline=None, max_examples=50)
def test_a_hit_is_a_chunk_that_shares_a_stem(corpus: list[list[str]], question: list[str]) -> None:
    if not any(corpus):
        return
    analyzer = Analyzer("en", stem=True, drop_stop_words=True)
    stem = analyzer.term_of()
    asked = set(map(stem, analyzer.question_words(" ".join(question))))
    chunks = chunks_of(*map(" ".join, corpus))
    sharing = {f"c{number}" for number, row in enumerate(corpus) if asked & set(map(stem, row))}
    assert {
        hit.chunk_id for hit in BM25Retriever(chunks, analyzer).search(" ".join(question), 100)
    } == sharing
