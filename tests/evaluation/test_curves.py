import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import judged, ranking

from goldgen.errors import SettingsError
from goldgen.evaluation import Measure, curve, dominance, score_run
from goldgen.types import Ranking

QUESTIONS = [judged({"g": 3}, "one"), judged({"g1": 3, "g2": 3, "g3": 3}, "three")]
EARLY = {"one": ranking("g", "x"), "three": ranking("g1", "g2", "x", "g3")}
LATE = {"one": ranking("x", "g"), "three": ranking("x", "g1", "y", "z")}
LATE_BUT_FULL = {"one": ranking("x", "g"), "three": ranking("x", "g1", "g2", "g3")}
runs = st.lists(st.sampled_from(["g", "g1", "g2", "g3", "x", "y"]), unique=True).map(lambda c: ranking(*c))


def test_a_curve_has_precision_recall_and_ceiling_at_every_cutoff() -> None:
    found = curve(QUESTIONS, EARLY, deepest=4)
    assert list(found.cutoffs) == [1, 2, 3, 4]
    assert found.precision == pytest.approx((1, (1 / 2 + 1) / 2, (1 / 3 + 2 / 3) / 2, (1 / 4 + 3 / 4) / 2))
    assert found.recall == pytest.approx((2 / 3, 5 / 6, 5 / 6, 1))
    assert found.ceiling == pytest.approx((1, 3 / 4, (1 / 3 + 1) / 2, (1 / 4 + 3 / 4) / 2))


def test_it_goes_to_20_unless_another_depth_is_asked_for() -> None:
    found = curve(QUESTIONS, EARLY)
    assert list(found.cutoffs) == list(range(1, 21))
    assert found.recall[-1] == score_run(QUESTIONS, EARLY, [Measure("R", 20)]).mean(Measure("R", 20))


def test_a_curve_that_is_nowhere_behind_dominates() -> None:
    early, late = (curve(QUESTIONS, run, deepest=4) for run in (EARLY, LATE))
    found = dominance(early, late)
    assert found.a_dominates and not found.b_dominates
    assert (found.a_ahead, found.b_ahead) == ((1, 2, 3, 4), ())
    assert dominance(late, early).b_dominates


def test_curves_that_meet_or_cross_are_told_apart_from_those_that_do_not() -> None:
    early, full = (curve(QUESTIONS, run, deepest=4) for run in (EARLY, LATE_BUT_FULL))
    met = dominance(early, full)
    assert (met.a_ahead, met.b_ahead, met.a_dominates) == ((1, 2), (), True)
    poor_end = {**EARLY, "three": ranking("g1", "g2", "x", "y")}
    crossed = dominance(curve(QUESTIONS, poor_end, deepest=4), full)
    assert (crossed.a_ahead, crossed.b_ahead) == ((1, 2), (4,))
    assert not crossed.a_dominates and not crossed.b_dominates


def test_precision_and_recall_may_disagree_at_one_cutoff() -> None:
    """Two of three golds are more precision, and less recall, than the only one of another question."""
    for_three, for_one = (
        curve(QUESTIONS, {"three": ranking("g1", "g2")}, deepest=2),
        curve(QUESTIONS, {"one": ranking("g")}, deepest=2),
    )
    found = dominance(for_three, for_one)
    assert (found.a_ahead, found.b_ahead) == ((2,), (1, 2))


def test_equal_curves_dominate_neither() -> None:
    early = curve(QUESTIONS, EARLY)
    assert not dominance(early, early).a_dominates and not dominance(early, early).b_dominates


def test_curves_of_different_sets_or_lengths_are_refused() -> None:
    early = curve(QUESTIONS, EARLY)
    for other in (curve(QUESTIONS[:1], EARLY), curve(QUESTIONS, EARLY, deepest=5)):
        with pytest.raises(SettingsError, match="different sets or lengths"):
            dominance(early, other)


@pytest.mark.parametrize("deepest", [0, -1])
def test_a_curve_without_cutoffs_is_refused(deepest: int) -> None:
    with pytest.raises(SettingsError, match="no measures"):
        curve(QUESTIONS, EARLY, deepest=deepest)


@given(runs, runs)
def test_recall_never_falls_and_precision_stays_under_its_ceiling(one: Ranking, three: Ranking) -> None:
    found = curve(QUESTIONS, {"one": one, "three": three})
    assert all(before <= after + 1e-12 for before, after in zip(found.recall, found.recall[1:], strict=False))
    assert all(p <= c + 1e-12 for p, c in zip(found.precision, found.ceiling, strict=True))
