"""Literal questions in other words."""

import asyncio
from collections.abc import Sequence

from drafting_helpers import CORPUS, RETENTION, ScriptedChat, asked

from goldgen.prompts import Prompt
from goldgen.synth import LITERAL, ChunkQuestions, DraftChecks, Rewriter
from goldgen.text.leakage import LeakageMeter
from goldgen.types import FailureKind, Question

QUOTE = "On the Basic plan, rows are kept for 30 days."
LITERAL_ONE = asked("How long are rows kept on the Basic plan?", RETENTION, "30 days", QUOTE)
FREE_ONE = asked("When is it too late to undo a removal?", RETENTION, "30 days", QUOTE)
METER = LeakageMeter(chunk.full_text for chunk in CORPUS)
PROMPT = Prompt("question_rewrite", "Reword.", "{{queries}}")


def reworded(
    questions: Sequence[Question], said: str | FailureKind, *, fails: bool = False, limit: float = 0.6
) -> tuple[ChunkQuestions, ScriptedChat]:
    def script(names: tuple[str, ...]) -> dict[str, object] | FailureKind:
        return "timeout" if fails else dict.fromkeys(names, said)

    chat = ScriptedChat(script)
    rewriter = Rewriter(chat, PROMPT, METER, DraftChecks(), limit)
    outcome = ChunkQuestions(RETENTION, len(questions), tuple(questions))
    return asyncio.run(rewriter.reworded(outcome)), chat


def test_another_wording_takes_the_place_of_a_literal_one_and_keeps_its_evidence() -> None:
    outcome, chat = reworded([LITERAL_ONE, FREE_ONE], "With Basic, how soon is removed data gone for good?")
    new, other = outcome.questions
    assert new.text == "With Basic, how soon is removed data gone for good?"
    assert (new.answer, new.quote, new.chunk_id) == ("30 days", QUOTE, RETENTION.id)
    assert new.id != LITERAL_ONE.id and new.call_key == "call-1" and new.prompt_hash == PROMPT.hash
    assert other == FREE_ONE and outcome.rewritten == 1
    assert (
        "1. How long are rows kept on the Basic plan? (avoid: kept, rows, plan)" in chat.asked[0][1].content
    )
    assert "too late" not in chat.asked[0][1].content


def test_what_is_not_better_leaves_the_question_flagged() -> None:
    for said in (
        "",
        "For how long are rows kept with the Basic plan?",
        "How soon is removed data gone for good?",
        "On Basic, if somebody has removed some data by mistake, then how soon is it gone for good?",
        "With Basic, is it gone after 30 days?",
        "According to this section, how long is Basic data there?",
    ):
        outcome, _ = reworded([LITERAL_ONE], said)
        (question,) = outcome.questions
        assert question.text == LITERAL_ONE.text, said
        assert question.flags == (LITERAL,) and outcome.rewritten == 0


def test_a_failed_call_loses_no_question() -> None:
    outcome, _ = reworded([LITERAL_ONE, FREE_ONE], "", fails=True)
    assert [question.text for question in outcome.questions] == [LITERAL_ONE.text, FREE_ONE.text]
    assert outcome.failure == "timeout" and outcome.questions[0].flags == (LITERAL,)


def test_questions_below_the_limit_cost_nothing() -> None:
    outcome, chat = reworded([FREE_ONE], "anything")
    assert outcome.questions == (FREE_ONE,) and not chat.asked


def test_names_numbers_and_commands_are_not_to_be_avoided() -> None:
    question = asked("Which disks in eu-west-1 for v2 or `keep_rows`?", RETENTION, "two disks", QUOTE)
    _, chat = reworded([question], "", limit=0.0)
    assert "(avoid: disks)" in chat.asked[0][1].content
