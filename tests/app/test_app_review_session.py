"""A sitting of review as a value: where its steps lead, and what a grade makes of an item."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.app.review import ReviewSession
from goldgen.app.review_queue import ReviewItem
from goldgen.errors import SettingsError
from goldgen.types import Judgment, Question
from goldgen.verify import Passage
from goldgen.verify.agreement import UNBLINDED

QUESTION = Question("q", "When?", "log", "log")
ITEMS = tuple(ReviewItem(QUESTION, Passage(f"c{n}", "text", ""), "a.md") for n in range(3))
STEP = st.one_of(st.integers(0, 3), st.sampled_from(["skip", "undo"]))


@given(st.lists(STEP, max_size=20))
def test_a_session_is_where_its_steps_lead(steps: list[int | str]) -> None:
    session, expected = ReviewSession("ann", ITEMS), list[int | None]()
    for step in steps:
        if step == "undo":
            session, expected = session.undo(), expected[:-1]
        elif session.current is not None:
            session = session.skip() if step == "skip" else session.grade(int(step))
            expected.append(None if step == "skip" else int(step))
    assert [verdict and verdict.grade for verdict in session.done] == expected
    assert session.current is (ITEMS[len(expected)] if len(expected) < 3 else None)
    assert sum(session.counts.values()) == sum(grade is not None for grade in expected)


def test_a_grade_makes_a_human_verdict_with_name_and_note() -> None:
    session = ReviewSession("ann", ITEMS, sampled=True).skip().grade(1, "half of it")
    assert session.done == (
        None,
        Judgment(
            "q", "c1", "ann", judge_kind="human", grade=1, reason="half of it", sampled=True
        ),
    )  # fmt: skip


def test_impossible_grades_are_refused() -> None:
    session = ReviewSession("ann", ITEMS[:1])
    with pytest.raises(SettingsError, match="cannot grade with 4"):
        session.grade(4)
    with pytest.raises(SettingsError, match="an item that is left"):
        session.grade(3).grade(3)
    assert session.skip().skip() == session.skip()


def test_a_gold_keeps_the_verifiers_evidence_and_another_grade_does_not() -> None:
    machine = Judgment(
        "q", "c0", "gpt", grade=3, document_id="d", quote="at night", start=5, end=13, reason="r"
    )
    session = ReviewSession("ann", (replace(ITEMS[0], verdicts=(machine,)),))
    gold = session.verdict(3)
    assert (gold.document_id, gold.quote, gold.start, gold.end) == ("d", "at night", 5, 13)
    assert (gold.reason, gold.judge) == ("", "ann")
    assert session.verdict(2).quote == ""
    held_back = replace(machine, grade=2, reason="proposed gold: its judge is unproven")
    assert ReviewSession("ann", (replace(ITEMS[0], verdicts=(held_back,)),)).verdict(3).quote == "at night"
    doubtful = replace(machine, grade=2)
    assert ReviewSession("ann", (replace(ITEMS[0], verdicts=(doubtful,)),)).verdict(3).quote == ""


def test_a_grade_given_again_is_marked_and_no_longer_of_the_sample() -> None:
    session = ReviewSession("ann", ITEMS, sampled=True)
    again = session.grade(3).undo().grade(1, "on second thoughts")
    assert again.done[0] is not None
    assert (again.done[0].reason, again.done[0].sampled) == (f"{UNBLINDED}: on second thoughts", False)
    assert again.grade(3).done[1] == session.skip().grade(3).done[1], "the others are as blind as before"
    assert session.skip().undo().grade(3) == session.grade(3), "a skipped pair was not revealed"
    known = replace(ITEMS[0], verdicts=(Judgment("q", "c0", "ann", "human", grade=2),))
    assert ReviewSession("ann", (known,)).verdict(3).reason == UNBLINDED
    assert ReviewSession("bob", (known,)).verdict(3).reason == ""
