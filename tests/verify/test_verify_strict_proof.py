from dataclasses import replace

import pytest
from judging_helpers import control

from goldgen.types import Control, ControlKind
from goldgen.verify import prove_strict


def controls(kind: ControlKind, rejected: int, accepted: int = 0, unjudged: int = 0) -> list[Control]:
    grades = [0] * rejected + [3] * accepted + [None] * unjudged
    return [control(number, kind, grade=grade) for number, grade in enumerate(grades)]


DELETED: ControlKind = "answer_deleted"
SAME: ControlKind = "same_document"
CONSTRUCTED = controls(DELETED, 60) + controls(SAME, 60)


@pytest.mark.parametrize(
    ("deleted", "same", "shown", "reason"),
    [
        (100, 100, True, "100 of 100 answer_deleted controls rejected: estimate 1.00 (95% 0.96 to 1.00)"),
        (40, 20, True, "40 of 40 answer_deleted controls rejected: estimate 1.00 (95% 0.91 to 1.00)"),
        (40, 0, True, "40 of 40 answer_deleted controls rejected: estimate 1.00 (95% 0.91 to 1.00)"),
        (39, 100, False, "39 answer_deleted controls judged; at least 40 are needed"),
        (0, 100, False, "0 answer_deleted controls judged; at least 40 are needed"),
        (100, 19, False, "19 same_document controls judged; at least 20 are needed"),
    ],
)
def test_the_strict_judge_needs_enough_controls_of_each_kind(
    deleted: int, same: int, shown: bool, reason: str
) -> None:
    strict = prove_strict(controls(DELETED, deleted) + controls(SAME, same))
    assert (strict.is_shown, strict.reason) == (shown, reason)
    assert (strict.specificity is None) == ("at least" in reason)


def test_one_neighbour_withholds_no_proof_of_strictness_unless_it_is_accepted() -> None:
    assert prove_strict([*CONSTRUCTED, *controls("neighbour", 1)]).is_shown
    assert not prove_strict([*CONSTRUCTED, *controls("neighbour", 1, 1)]).is_shown


@pytest.mark.parametrize(
    ("deleted", "same", "shown"),
    [((100, 1), (100, 0), True), ((100, 0), (98, 2), False), ((99, 1), (98, 2), False)],
)
def test_the_strict_judge_must_reach_a_specificity_of_99_percent_on_the_worst_kind(
    deleted: tuple[int, int], same: tuple[int, int], shown: bool
) -> None:
    strict = prove_strict(controls(DELETED, *deleted) + controls(SAME, *same))
    assert strict.is_shown is shown
    assert strict.reason.endswith("; 0.99 is needed") is not shown


def test_what_the_second_look_leaves_open_stays_accepted() -> None:
    """A first judge that accepts 11 of 40 is not made strict by second looks that all fail."""
    first = controls(DELETED, 29, 11) + controls(SAME, 29, 11)
    accepted = [item for item in first if item.grade == 3]
    for looked in ([replace(item, grade=None) for item in accepted], []):
        strict = prove_strict(first, looked)
        assert [(kind.rejected, kind.judged) for kind in strict.kinds] == [(29, 40), (29, 40)]
        assert not strict.is_shown
    strict = prove_strict(first, [replace(item, grade=2) for item in accepted])
    assert strict.is_shown and [kind.rejected for kind in strict.kinds] == [40, 40]


def test_a_verifier_that_failed_is_not_strict_whatever_its_second_look_says() -> None:
    strict = prove_strict(CONSTRUCTED, (), "failed")
    assert not strict.is_shown and strict.reason.startswith("the verifier failed its controls; 60 of 60 ")


def test_unjudged_controls_do_not_show_that_a_judge_is_strict() -> None:
    assert prove_strict(controls("answer_deleted", 60)).is_shown
    strict = prove_strict(controls("answer_deleted", 60, unjudged=20))
    assert not strict.is_shown and strict.specificity is not None
    assert strict.specificity.estimate == 0.75, "what has no verdict may have been let through"
