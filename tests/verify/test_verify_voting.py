import asyncio
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk, question
from stub.asking import MemoryLedger, endpoint
from stub.replies import in_turn, ok
from stub.server import Stub

from goldgen.models.chat import EndpointChat
from goldgen.prompts import PromptLibrary
from goldgen.types import GOLD, Judgment, NearMiss, Question
from goldgen.verify import ChatJudge, Passage, VotingJudge

PAGE = chunk("c", "Data is kept for 30 days on Basic.")
ASKED = question(of=PAGE)
NEAR_MISS = NearMiss("n", "q", "c", "Data is kept for 30 days on Pro.", "", "plan", "Basic", "Pro")
grades = st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=7)


@dataclass(frozen=True, slots=True)
class Voter:
    """Implements ``Judge`` with one grade for everything."""

    grade: int | None
    place: int
    name: str = "voter"

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        reason = "timeout" if self.grade is None else ""
        return Judgment(
            question.id,
            passage.id,
            self.name,
            grade=self.grade,
            quote=f"quote-{self.place}",
            reason=reason,
            call_key=f"call-{self.place}",
        )


def outcome(*votes: int | None, passage: Passage | None = None) -> Judgment:
    judge = VotingJudge(tuple(Voter(vote, place) for place, vote in enumerate(votes)))
    return asyncio.run(judge.judge(ASKED, passage or Passage.of_chunk(PAGE)))


@pytest.mark.parametrize(
    ("votes", "grade"),
    [
        ((3, 3, 3), 3),
        ((3, 1, 3), 3),
        ((3, 1, 2), 2),
        ((3, 3, 1, 0), 1),
        ((3, 2), 2),
        ((0, 1, 2), 1),
        ((3, 3, None), 3),
        ((2, 0, None), 0),
        ((3, 1, None), None),
        ((None, None, 3), None),
        ((None, None, 0), None),
        ((None,), None),
        ((3, 3, 3, None, None), 3),
        ((3, 3, 1, None, None), None),
        ((1, 1, 1, None, None), 1),
    ],
)
def test_gold_needs_more_than_half_of_all_votes(votes: tuple[int | None, ...], grade: int | None) -> None:
    found = outcome(*votes)
    assert found.grade == grade
    assert found.votes == votes


def test_the_evidence_is_that_of_a_vote_that_says_the_same() -> None:
    assert outcome(1, 3, 3).quote == "quote-1"
    assert outcome(3, 2, 1).quote == "quote-1"
    assert (outcome(3, 2, None).quote, outcome(3, 2, None).reason) == ("quote-2", "timeout")


def test_the_calls_of_all_votes_are_named() -> None:
    assert outcome(1, 3, 3).call_key == outcome(3, 2, None).call_key == "call-0 call-1 call-2"


def test_a_dispute_is_said() -> None:
    assert outcome(3, 3, 1).reason == "votes disagree: 2 of 3 for gold"
    assert outcome(3, 0, 1).reason == "votes disagree: 1 of 3 for gold"
    assert outcome(3, 0, 1).is_disputed
    assert (outcome(2, 0, 1).reason, outcome(2, 0, 1).is_disputed) == ("", False)


def test_a_near_miss_is_voted_on_like_any_text() -> None:
    near_miss = Passage.of_overlay(NEAR_MISS)
    assert outcome(3, 2, 3, passage=near_miss).grade == 3
    assert outcome(3, None, 2, passage=near_miss).grade is None
    assert outcome(3, 2, 1, passage=near_miss).grade == 2


def test_its_name_is_that_of_its_models() -> None:
    assert VotingJudge((Voter(3, 0, "a"), Voter(3, 1, "a"))).name == "a"
    assert VotingJudge((Voter(3, 0, "a"), Voter(3, 1, "b"))).name == "a + b"
    asked = VotingJudge((Voter(3, 0, "a"), Voter(3, 1, "b"))).judge(ASKED, Passage.of_chunk(PAGE))
    assert asyncio.run(asked).judge == "a + b"


@given(grades)
def test_no_vote_that_is_still_missing_can_turn_the_outcome(votes: list[int | None]) -> None:
    """Whatever the votes without a verdict would have said, gold stays gold, and not gold stays that."""
    found = outcome(*votes)
    if found.grade is None:
        return
    for late in (0, 1, 2, 3):
        filled = outcome(*[late if vote is None else vote for vote in votes])
        assert (filled.grade == GOLD) == (found.grade == GOLD)


@given(grades)
def test_the_order_of_the_votes_does_not_matter(votes: list[int | None]) -> None:
    turned = votes[::-1]
    first, again = outcome(*votes), outcome(*turned)
    ours, theirs = (replace(item, votes=(), call_key="", quote="") for item in (first, again))
    assert ours == theirs


def test_one_model_votes_by_being_asked_again_and_once_only() -> None:
    part = {"part": "how long", "quote": PAGE.text, "answered": True}
    replies = [
        ok({"parts": [part], "answer": "30 days", "standalone": True, "grade": grade}, usage=(800, 50))
        for grade in (1, 3, 3)
    ]
    ledger, prompt = MemoryLedger(), PromptLibrary.packaged().load("verify")

    async def run(url: str) -> Judgment:
        async with EndpointChat(endpoint(url), ledger) as chat:
            judge = VotingJudge(tuple(ChatJudge(chat, prompt, repeat) for repeat in range(3)))
            return await judge.judge(ASKED, Passage.of_chunk(PAGE))

    with Stub(in_turn(*replies)) as stub:
        found = asyncio.run(run(stub.url))
        assert asyncio.run(run(stub.url)) == found
    assert [request.body["temperature"] for request in stub.chats] == [0, 0.7, 0.7]
    assert (found.grade, found.votes, found.quote) == (3, (1, 3, 3), PAGE.text)
    assert len(ledger.records) == 3
