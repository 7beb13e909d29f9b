"""Language and register of the questions."""

import asyncio

import pytest
from drafting_helpers import RETENTION, ScriptedChat, chunk

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
