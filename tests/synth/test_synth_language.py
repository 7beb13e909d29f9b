"""Language and register of the questions."""

import asyncio

import pytest
from drafting_helpers import RETENTION, ScriptedChat, asked, chunk

from goldgen.app.languages import language_of
from goldgen.prompts import PromptLibrary
from goldgen.synth import ChunkQuestions, DraftChecks, Guidance, QuestionWriter, StyleMix
from goldgen.types import Chunk

GERMAN = chunk(
    "de",
    "Gelöschte Zeilen können von jedem Inhaber wiederhergestellt werden. Im Basistarif werden die Zeilen "
    "30 Tage lang aufbewahrt. Danach sind sie für immer verloren, und niemand kann sie zurückholen.",
)
JAPANESE = chunk(
    "ja", "削除された行は、所有者であれば誰でも復元できます。ベーシックプランでは、行は30日間保持されます。"
)


def write(
    of: Chunk, question: str, answer: str, language: str = "", guidance: Guidance | None = None
) -> tuple[ChunkQuestions, str]:
    library = PromptLibrary.packaged()
    entry = {"sentence": 2, "question": question, "answer": answer}
    chat = ScriptedChat(lambda names: dict.fromkeys(names, entry))
    mix = StyleMix(library.styles(), {"fact": 1})
    checks = DraftChecks(language_of, language)
    writer = QuestionWriter(chat, library.load("question"), mix, 1, checks, guidance or Guidance())
    return asyncio.run(writer.write(of)), chat.asked[0][1].content


@pytest.mark.parametrize(
    ("of", "question", "answer", "line"),
    [
        (GERMAN, "Wie lange kann man im Basistarif etwas zurückholen?", "30 Tage lang", "in German."),
        (JAPANESE, "ベーシックでは何日まで元に戻せますか?", "30日間", "in Japanese."),
    ],
)
def test_a_question_is_asked_for_and_kept_in_its_chunks_language(
    of: Chunk, question: str, answer: str, line: str
) -> None:
    outcome, said = write(of, question, answer)
    assert [kept.text for kept in outcome.questions] == [question]
    assert f"Write the question {line}" in said


@pytest.mark.parametrize(("of", "answer"), [(GERMAN, "30 Tage lang"), (JAPANESE, "30日間")])
def test_another_language_is_a_reason_to_reject(of: Chunk, answer: str) -> None:
    outcome, _ = write(of, "How long can a team on the Basic plan get back what it has removed?", answer)
    assert [rejection.reason for rejection in outcome.rejections] == ["in another language"]


def test_english_is_not_mentioned_and_a_language_that_was_asked_for_is() -> None:
    question = "How long can a team on the Basic plan get back what it has removed?"
    outcome, said = write(RETENTION, question, "30 days")
    assert outcome.questions and "Write the question in" not in said
    outcome, said = write(
        RETENTION, "Wie lange sind die Daten noch da, wenn man sie entfernt hat?", "30 days", "de"
    )
    assert outcome.questions and "Write the question in German." in said


def test_examples_are_data_the_same_for_a_chunk_and_few() -> None:
    examples = tuple(f"query {{{{styles}}}} number {n}" for n in range(50))
    guidance = Guidance(examples, seed=3)
    _, said = write(RETENTION, "x", "30 days", guidance=guidance)
    assert said.count("{{styles}} number") == 4
    assert guidance.examples_block("retention") == guidance.examples_block("retention")
    assert guidance.examples_block("retention") != guidance.examples_block("other")
    assert Guidance().examples_block("retention") == ""


ARABIC = chunk("ar", "تبقى الملفات المحذوفة في سلة المحذوفات ثلاثين يوما. ثم تُحذف نهائيا ولا يمكن استعادتها.")
PERSIAN = chunk("fa", "پرونده‌های حذف شده سی روز در سطل می‌مانند. پس از آن برای همیشه پاک می‌شوند.")
POLISH = chunk(
    "pl", "Usunięte pliki pozostają w koszu przez trzydzieści dni. Później nikt już ich nie odzyska."
)
ENGLISH = "How long can a team on the Basic plan get back what it has removed?"


@pytest.mark.parametrize(
    ("of", "wanted", "line"),
    [
        (ARABIC, "ar", "in Arabic."),
        (PERSIAN, "Arabic script", "in the language of the text, not in English."),
        (POLISH, "another language", "in the language of the text, not in English."),
    ],
)
def test_a_language_that_is_not_told_by_its_words_is_asked_for_and_english_is_refused(
    of: Chunk, wanted: str, line: str
) -> None:
    assert DraftChecks(language_of).wanted_language(of) == wanted
    outcome, said = write(of, ENGLISH, of.text.split(". ")[0])
    assert f"Write the question {line}" in said
    assert {rejection.reason for rejection in outcome.rejections} == {"in another language"}


def foreign(question: str, of: Chunk, language: str = "") -> bool:
    checks = DraftChecks(language_of, language)
    return checks.wording_problem(asked(question, of, "", ""), of) == "in another language"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        # Too short to tell more than the script.
        ("رابط الملف", "ar"),
        ("срок хранения", "ru"),
        ("फ़ाइल वापसी", "hi"),
        ("видалені файли", "uk"),
        # Taken for Spanish, Danish and Italian.
        ("Quant de temps es guarden els fitxers de la paperera?", "ca"),
        ("Hvor lenge er det mulig å hente tilbake en fil som er slettet?", "no"),
        ("Cât timp se pot recupera fișierele șterse?", "ro"),
        ("Jak długo można odzyskać plik?", "pl"),
    ],
)
def test_a_language_asked_for_is_not_refused_for_being_taken_for_a_related_one(
    question: str, language: str
) -> None:
    assert not foreign(question, RETENTION, language)
    assert foreign(ENGLISH, RETENTION, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How long?? is the file there for the owner of it", "pt"),
        ("Wie lange ist die Datei für den Besitzer noch da?", "pt"),
        ("Wie lange ist die Datei für den Besitzer noch da?", "ar"),
        ("كم مدة بقاء الملفات المحذوفة؟", "ja"),
        ("كم مدة بقاء الملفات المحذوفة؟", "pl"),
        ("删除的文件保存多久", "ja"),
        ("削除したファイルはいつまで戻せますか", "zh"),
    ],
)
def test_another_script_or_a_language_that_is_told_is_refused(question: str, language: str) -> None:
    assert foreign(question, RETENTION, language)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("max_rows = 12, keep_rows = false", ""),
        ("Zürich max_rows = 12, keep_rows = false, drop_rows = true", ""),
        ("Ustawienia działają po ponownym uruchomieniu urządzenia", "another language"),
    ],
)
def test_accents_tell_another_language_from_a_text_without_sentences(text: str, wanted: str) -> None:
    assert DraftChecks(language_of).wanted_language(chunk("x", text)) == wanted


def test_sentences_of_the_passage_are_no_question_however_they_are_joined() -> None:
    whole = GERMAN.text
    first, second = whole.split(". ")[:2]
    for copied in (whole, f"{first}. {first}.", f"{second}? {first}?"):
        problem = DraftChecks(language_of).wording_problem(asked(copied, GERMAN, "", ""), GERMAN)
        assert problem == "copied from the passage"
    freed = f"{first}. Wie lange geht das?"
    assert not DraftChecks(language_of).wording_problem(asked(freed, GERMAN, "", ""), GERMAN)
