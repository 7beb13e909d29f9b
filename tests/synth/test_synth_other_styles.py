"""Questions that one chunk does not answer: two chunks, or none."""

import asyncio

import pytest
from drafting_helpers import ScriptedChat, chunk

from goldgen.prompts import Needs, Prompt, Style
from goldgen.synth import (
    AbsenceWriter,
    ChunkQuestions,
    DraftChecks,
    EvidenceSetWriter,
    Guidance,
    Material,
    Slot,
)
from goldgen.types import Chunk

BACKUPS = chunk(
    "backups",
    "The job NightOwl copies every table to the second site. It starts at three and takes about one hour. "
    "Nobody has to be there while it runs, and it sends a mail when all of it is done.",
)
COSTS = chunk(
    "costs",
    "A copy by NightOwl is charged by the gigabyte. Each gigabyte costs 4 cents a month, whatever the plan. "
    "The first ten of them are free for each team, and the bill comes at the end of the month.",
    document="e",
)
PAIR = Prompt("question_pair", "Write.", "{{first}}{{second}}{{language}}{{style}}")
ABSENT = Prompt("question_absent", "Write.", "{{passage}}{{language}}{{style}}")
FAR, NEGATIVE = (
    Slot("far", Style("far", "both", "other document")),
    Slot("no", Style("no", "none", "no answer")),
)
GOOD: dict[str, object] = {
    "first": 2,
    "first_answer": "at three",
    "second": 2,
    "second_answer": "4 cents a month",
    "question": "When does NightOwl begin and what is the price of its copies?",
}


def paired(entry: dict[str, object], other: Chunk | None = COSTS) -> tuple[ChunkQuestions, ScriptedChat]:
    chat = ScriptedChat(lambda _: entry)
    writer = EvidenceSetWriter(chat, PAIR, lambda _: other, DraftChecks(), Guidance())
    return asyncio.run(writer.write(BACKUPS, FAR)), chat


def test_a_question_for_two_chunks_is_an_evidence_set() -> None:
    outcome, chat = paired(GOOD)
    (question,) = outcome.questions
    assert question.evidence_chunks == ("backups", "costs") and question.chunk_id == "backups"
    assert question.answer == "at three; 4 cents a month" and question.style == "far"
    assert (outcome.asked, outcome.styles) == (1, ("far",))
    assert "[2] It starts at three" in chat.asked[0][1].content
    assert "[2] Each gigabyte costs 4 cents" in chat.asked[0][1].content


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"question": ""}, "nothing to ask in this style"),
        ({"first_answer": "at four"}, "no evidence in one of the chunks"),
        ({"second": 1, "second_answer": "NightOwl"}, "one chunk states both facts"),
        ({"question": "What does this passage say of NightOwl?"}, "points at the passage"),
    ],
)
def test_a_pair_that_does_not_hold_is_rejected_with_its_reason(
    changed: dict[str, object], reason: str
) -> None:
    outcome, _ = paired(GOOD | changed)
    assert not outcome.questions
    assert [rejection.reason for rejection in outcome.rejections] == [reason]


def test_without_a_second_chunk_nothing_is_asked_and_that_is_counted() -> None:
    outcome, chat = paired(GOOD, other=None)
    assert not chat.asked and outcome.asked == 1
    assert outcome.rejections[0].reason == "no second chunk for a far question"


def test_second_chunks_are_the_neighbour_and_the_one_that_names_the_same_rare_thing() -> None:
    after = chunk("after", COSTS.text.replace("NightOwl", "the job"), document="d")
    material = Material([BACKUPS, COSTS, after])
    assert material.neighbour(BACKUPS) == after and material.neighbour(after) == BACKUPS
    assert material.neighbour(COSTS) is None
    assert material.of_other_document(BACKUPS) == COSTS and material.of_other_document(COSTS) == BACKUPS
    assert material.of_other_document(after) is None


def absent(entry: dict[str, object]) -> ChunkQuestions:
    writer = AbsenceWriter(ScriptedChat(lambda _: entry), ABSENT, DraftChecks(), Guidance())
    return asyncio.run(writer.write(BACKUPS, NEGATIVE))


def test_a_question_without_an_answer_names_no_chunk() -> None:
    outcome = absent({"missing": "time zone", "question": "In which time zone does NightOwl start?"})
    (question,) = outcome.questions
    assert question.chunk_id is None and question.document_id == "d"
    assert question.answer == question.quote == "" and question.style == "no"


def test_what_the_passage_states_is_not_missing() -> None:
    outcome = absent({"missing": "at three", "question": "At what hour does NightOwl start its work?"})
    assert outcome.rejections[0].reason == "the passage states what is said to be missing"


@pytest.mark.parametrize("slot", [FAR, NEGATIVE])
def test_a_failed_call_is_a_value(slot: Slot) -> None:
    chat = ScriptedChat(lambda _: "refusal")
    pair = EvidenceSetWriter(chat, PAIR, lambda _: COSTS, DraftChecks(), Guidance())
    none = AbsenceWriter(chat, ABSENT, DraftChecks(), Guidance())
    writers: dict[Needs, EvidenceSetWriter | AbsenceWriter] = {"other document": pair, "no answer": none}
    outcome = asyncio.run(writers[slot.style.needs].write(BACKUPS, slot))
    assert (outcome.asked, outcome.failure, outcome.questions) == (1, "refusal", ())
