from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk, gold

from goldgen.types import Judgment, Origin, Question
from goldgen.verify import assemble, undisputed
from goldgen.verify.alike import preference

ONE = chunk("one", "Exports run at night. They go to the owner.")
TWO = chunk("two", "Each export runs at night on the Pro plan.", document="other")
CHUNKS = [ONE, TWO]


def asked(key: str, text: str, origin: Origin = "synthetic", often: int = 1) -> Question:
    if origin == "synthetic":
        return Question(key, text, origin, "fact", "one", "d")
    return Question(key, text, origin, origin, asked=often)


KEPT = asked("log", "when do exports run", "log", 3)
NEAR = asked("near", "When do the exports run?")
FAR = asked("far", "When will exports run?")
ALIKE = {"near": "log", "far": "log"}


def people(question: str, target: str, grade: int) -> Judgment:
    return Judgment(question, target, "ann", "human", grade)


def merged(*judgments: Judgment, parted: frozenset[tuple[str, str]] = frozenset()) -> set[str]:
    return set(undisputed([KEPT, NEAR, FAR], judgments, CHUNKS, ALIKE, parted))


def test_near_duplicates_are_one_question_with_the_labels_of_all() -> None:
    judgments = [gold(NEAR, ONE, ONE.text), Judgment("far", "two", "judge", grade=2)]
    (item,) = assemble([NEAR, FAR, KEPT], judgments, CHUNKS, kept_for=ALIKE)
    assert (item.question, item.state) == (KEPT, "golden")
    assert set(item.merged) == {"near", "far"}
    assert item.judged.grades == {"one": 3, "two": 2}
    assert item.judged.cluster == "log"


def test_questions_worded_as_a_near_duplicate_go_with_it() -> None:
    again = asked("again", "when do the exports run?")
    same = asked("same", "When do exports run", "synthetic")
    items = assemble([NEAR, again, same, KEPT], [], CHUNKS, kept_for={"near": "log"})
    assert [set(item.merged) | {item.question.id} for item in items] == [{"log", "same", "near", "again"}]


def test_of_the_kept_wording_the_one_with_gold_counts_and_else_the_preferred() -> None:
    same = asked("same", "When do exports run", "synthetic")
    for order in permutations([same, KEPT, NEAR]):
        (item,) = assemble(order, [gold(NEAR, ONE, ONE.text)], CHUNKS, kept_for=ALIKE)
        assert item.question == KEPT
        (item,) = assemble(order, [gold(same, ONE, ONE.text)], CHUNKS, kept_for=ALIKE)
        assert item.question == same


def test_by_hand_before_logs_before_synthetic_then_asked_most_then_the_smallest_id() -> None:
    ordered = [
        asked("z", "a", "manual"),
        asked("y", "b", "log", 9),
        asked("a", "c", "log", 2),
        asked("b", "d", "log", 2),
        asked("c", "e"),
    ]
    backwards = list(reversed(ordered))
    assert sorted(backwards, key=preference) == ordered


@pytest.mark.parametrize("verdict", [0, 1, 2])
def test_people_who_tell_two_questions_apart_win_over_merging(verdict: int) -> None:
    says_no = people("near", "one", verdict)
    assert merged(says_no) == {"near", "far"}
    assert merged(says_no, gold(KEPT, ONE, ONE.text)) == {"far"}
    assert merged(says_no, people("log", "one", 3)) == {"far"}
    assert merged(people("near", "one", 3), people("log", "one", verdict)) == {"far"}


def test_gold_that_follows_from_evidence_counts_against_a_persons_no() -> None:
    twin = chunk("twin", ONE.text, document="third")
    says_no = people("near", "twin", 0)
    judgments, chunks = [says_no, gold(KEPT, ONE, ONE.text)], [*CHUNKS, twin]
    assert undisputed([KEPT, NEAR], judgments, chunks, ALIKE, frozenset()) == {}


def test_a_verifier_that_tells_them_apart_does_not_hinder_merging() -> None:
    assert merged(Judgment("near", "one", "judge", grade=0), gold(KEPT, ONE, ONE.text)) == {"near", "far"}


def test_two_members_of_a_group_are_held_against_each_other_too() -> None:
    judgments = (people("near", "one", 0), people("far", "one", 3))
    assert len(merged(*judgments)) == 1
    assert merged(parted=frozenset({("far", "near")})) == {"far"}


def test_parted_questions_are_two_whichever_of_their_wordings_was_named() -> None:
    assert merged(parted=frozenset({("log", "near")})) == {"far"}
    same = asked("same", "When do exports run")
    questions = [KEPT, NEAR, FAR, same]
    assert set(undisputed(questions, [], CHUNKS, ALIKE, frozenset({("near", "same")}))) == {"far"}


def test_what_the_set_no_longer_has_is_left_out() -> None:
    assert undisputed([NEAR, FAR], [], CHUNKS, ALIKE, frozenset({("gone", "near")})) == {}
    items = assemble([NEAR, FAR], [], CHUNKS, kept_for=ALIKE)
    assert [item.merged for item in items] == [(), ()]


def test_no_chain_joins_what_was_not_found_alike() -> None:
    """Of a kept wording that is itself said to be kept for another, as in a file from elsewhere."""
    items = assemble([KEPT, NEAR, FAR], [], CHUNKS, kept_for={"far": "near", "near": "log"})
    assert {item.question.id: item.merged for item in items} == {"log": (), "near": ("far",)}


@given(st.permutations([KEPT, NEAR, FAR, replace(NEAR, id="n2"), asked("x", "Who pays?")]), st.booleans())
def test_no_question_is_lost_whatever_the_order(questions: list[Question], refuse: bool) -> None:
    judgments = [gold(KEPT, ONE, ONE.text), *([people("near", "one", 0)] if refuse else [])]
    kept_for = undisputed(questions, judgments, CHUNKS, ALIKE, frozenset())
    items = assemble(questions, judgments, CHUNKS, kept_for=kept_for)
    groups = {frozenset((item.question.id, *item.merged)) for item in items}
    together = {"log", "far"} if refuse else {"log", "far", "near", "n2"}
    rest = [{"near", "n2"}] if refuse else []
    assert groups == {frozenset(group) for group in ({"x"}, together, *rest)}
