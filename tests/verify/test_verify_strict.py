import asyncio
from collections.abc import Sequence
from typing import get_args

import pytest
from judging_helpers import Scripted, ScriptedChat, chunk, question

from goldgen.prompts import Prompt, PromptLibrary
from goldgen.types import FailureKind, Judgment, Message, NearMiss
from goldgen.verify import ChatJudge, Passage, StrictJudge

PAGE = chunk("c", "On the Basic plan, data is kept for 30 days. | key | 8080 |")
QUOTE = "On the Basic plan, data is kept for 30 days."
ASKED = question()
FIRST: dict[str, object] = {
    "parts": [{"part": "how long on Basic", "quote": QUOTE, "answered": True}],
    "answer": "30 days",
    "standalone": True,
    "grade": 3,
}
CONFIRMED: dict[str, object] = {"missing": [], "quote": QUOTE, "complete": True}


def judged(
    second: Scripted, first: Scripted = FIRST, passage: Passage | None = None
) -> tuple[Judgment, ScriptedChat]:
    def script(messages: Sequence[Message]) -> Scripted:
        return second if messages[0].content == "Doubt." else first

    chat = ScriptedChat(script)
    judge = StrictJudge(
        ChatJudge(chat, Prompt("verify", "Judge.", "{{passage}}\n{{question}}")),
        chat,
        Prompt("verify_strict", "Doubt.", "{{passage}}\n{{question}}"),
    )
    return asyncio.run(judge.judge(ASKED, passage or Passage.of_chunk(PAGE))), chat


def test_gold_is_what_both_questions_confirm() -> None:
    found, chat = judged(CONFIRMED)
    assert (found.grade, found.quote, found.reason, found.judge) == (3, QUOTE, "", "judge-model")
    assert (len(chat.asked), found.call_key) == (2, "call-1 call-2")


@pytest.mark.parametrize(
    "changed",
    [
        {"missing": ["the region"]},
        {"missing": [""]},
        {"complete": False},
        {"quote": ""},
        {"quote": "Data is kept for ever."},
        {"quote": "the"},
        {"quote": "8080"},
    ],
)
def test_a_second_look_that_does_not_confirm_lowers_the_grade(changed: dict[str, object]) -> None:
    found, _ = judged(CONFIRMED | changed)
    assert found.grade == 2
    assert "second look" in found.reason
    assert found.call_key == "call-1 call-2"


def test_a_short_quote_confirms_as_the_whole_answer_only() -> None:
    assert judged(CONFIRMED | {"quote": "30 days"})[0].grade == 3


@pytest.mark.parametrize(
    "second", [*get_args(FailureKind), {}, {"missing": None}, CONFIRMED | {"complete": "?"}]
)
def test_without_a_second_verdict_the_pair_is_unjudged(second: Scripted) -> None:
    found, _ = judged(second)
    assert (found.grade, found.quote, found.call_key) == (None, "", "call-1 call-2")
    assert found.reason == (second if isinstance(second, str) else "unparsed")


@pytest.mark.parametrize(
    "first", [FIRST | {"grade": 2}, FIRST | {"grade": 0}, FIRST | {"parts": list[object]()}, "timeout"]
)
def test_what_the_first_does_not_call_gold_is_not_asked_again(first: Scripted) -> None:
    found, chat = judged(CONFIRMED, first)
    assert found.grade != 3
    assert len(chat.asked) == 1


def test_a_near_miss_is_not_cleared_by_a_second_look() -> None:
    twin = NearMiss("n", "q", "c", "On the Pro plan, data is kept for 30 days.", "", "plan", "Basic", "Pro")
    found, chat = judged(CONFIRMED | {"complete": False}, passage=Passage.of_overlay(twin))
    assert (found.grade, len(chat.asked)) == (3, 1)


def test_the_second_question_is_worded_otherwise_and_holds_the_same_two_texts() -> None:
    library, chat = PromptLibrary.packaged(), ScriptedChat(lambda _: "timeout")
    first = ChatJudge(chat, library.load("verify"))
    strict = StrictJudge(first, chat, library.load("verify_strict"))
    passage = Passage.of_chunk(PAGE)
    one, two = first.request(ASKED, passage), strict.request(ASKED, passage)
    assert one.messages[1] == two.messages[1]
    assert one.messages[0] != two.messages[0]
    assert one.prompt_hash != two.prompt_hash
