from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging_helpers import control

from goldgen.types import Control
from goldgen.verify import (
    ScoredPairs,
    best_precision,
    calibrate,
    calibrate_for_precision,
    trade_off,
)
from goldgen.verify.calibration import FEWEST, UNREACHABLE
from goldgen.verify.estimates import expected_wrong_share, wilson

DOCUMENTS = ("a", "b", "c", "d")


def spread(scores: list[float]) -> list[Control]:
    """Controls of both constructed kinds with these scores, dealt out over four documents."""
    return [
        control(n, kind, score=score, document=DOCUMENTS[n % len(DOCUMENTS)])
        for kind in ("answer_deleted", "same_document")
        for n, score in enumerate(scores)
    ]


def two_heaps(good: int = 60, bad: int = 40, controls: int = 40) -> ScoredPairs:
    """Drafts that answer lie around 0.8, those that do not like the controls around 0.4; they overlap."""
    rng = np.random.default_rng(3)
    drafts = [*rng.normal(0.8, 0.15, good), *rng.normal(0.4, 0.15, bad)]
    return ScoredPairs(spread(rng.normal(0.4, 0.15, controls).tolist()), drafts)


@pytest.mark.parametrize("precision", [0.8, 0.9, 0.95, 0.98])
def test_the_lowest_threshold_that_reaches_the_precision_is_chosen(precision: float) -> None:
    pairs = two_heaps(controls=2000)
    found = calibrate_for_precision(pairs, precision)
    assert found is not None
    assert found.target_precision == precision
    assert found.kept == sum(score >= found.threshold for score in pairs.drafts) / 100
    below = max(score for score in pairs.drafts if score < found.threshold)
    lower, chosen = at_least(pairs, below), at_least(pairs, found.threshold)
    assert lower < precision <= chosen
    assert found.strict_threshold >= found.threshold


def trade_off_at(pairs: ScoredPairs, threshold: float) -> float:
    (row,) = (row for row in trade_off(pairs, threshold) if row.threshold == threshold)
    return row.precision


def at_least(pairs: ScoredPairs, threshold: float) -> float:
    (row,) = (row for row in trade_off(pairs, threshold) if row.threshold == threshold)
    return row.precision_at_least


def test_a_few_controls_that_all_lie_lower_do_not_reach_a_high_precision() -> None:
    """The estimate above them all is 1, and their bound, 0.8 for 15, is what counts."""
    pairs = ScoredPairs(spread([0.1] * FEWEST), [0.9] * 50 + [0.05] * 50)
    assert trade_off_at(pairs, 0.9) == 1
    expected = 1 - expected_wrong_share(wilson(FEWEST, FEWEST).low, 0.5)
    assert at_least(pairs, 0.9) == pytest.approx(expected) and expected < 0.75
    assert calibrate_for_precision(pairs, 0.75) is None
    best = best_precision(pairs)
    assert best is not None and best.precision_at_least == pytest.approx(expected)


def test_a_target_is_kept_in_most_runs() -> None:
    """By the estimate of the specificity it is missed in every fourth of such runs."""
    rng = np.random.default_rng(0)
    missed = chosen = 0
    for _ in range(30):
        bad = rng.normal(0, 1, 50).tolist()
        drafts = [*rng.normal(2.5, 1, 50).tolist(), *bad]
        controls = [
            control(n, kind, score=float(rng.normal()), document=f"d{n % 20}")
            for kind in ("answer_deleted", "same_document")
            for n in range(200)
        ]
        found = calibrate_for_precision(ScoredPairs(controls, drafts), 0.9)
        if found is not None:
            chosen += 1
            wrong = sum(score >= found.threshold for score in bad)
            missed += wrong > 0.1 * sum(score >= found.threshold for score in drafts)
    assert chosen >= 10
    assert missed <= 0.1 * chosen


def test_a_higher_precision_costs_drafts_and_what_answers_is_kept_about_right() -> None:
    pairs = two_heaps(300, 200, 1000)
    thresholds = [found.threshold for p in (0.8, 0.9, 0.95) if (found := calibrate_for_precision(pairs, p))]
    assert thresholds == sorted(thresholds) and len(set(thresholds)) == 3
    for wanted, threshold in zip((0.8, 0.9, 0.95), thresholds, strict=True):
        good = sum(score >= threshold for score in pairs.drafts[:300])
        kept = sum(score >= threshold for score in pairs.drafts)
        assert good / kept >= wanted - 0.03, "the estimate errs on the careful side"


def test_from_the_usual_threshold_on_the_estimate_is_that_of_the_proof() -> None:
    pairs = two_heaps()
    usual = calibrate(pairs.controls, pairs.drafts, 0.9).threshold
    (row,) = (row for row in trade_off(pairs, usual) if row.threshold == usual)
    assert row.precision == pytest.approx(1 - expected_wrong_share(row.specificity, row.kept / 100))


def test_a_threshold_that_accepts_everything_proves_no_precision() -> None:
    """Its acceptance of 1 would else say that all drafts answer."""
    pairs = replace(two_heaps(controls=400), drafts=[0.9] * 50 + [0.3] * 50)
    found = calibrate_for_precision(pairs, 0.9)
    assert found is not None and found.threshold == 0.9
    assert trade_off_at(pairs, 0.3) < 0.7


def test_what_code_turns_down_is_never_kept() -> None:
    pairs = two_heaps()
    turned_down = replace(pairs, drafts=[*pairs.drafts, *[-inf] * 100])
    rows, fewer = (trade_off(p, 0.7) for p in (pairs, turned_down))
    at = {row.threshold: row for row in rows}
    assert [row.kept for row in fewer] == [at[row.threshold].kept for row in fewer]
    assert all(row.precision <= at[row.threshold].precision for row in fewer)


def test_none_is_chosen_where_none_reaches_it() -> None:
    pairs = ScoredPairs(spread([0.9] * 40), [0.5] * 30 + [0.8] * 20)
    assert calibrate_for_precision(pairs, 0.8) is None
    best = best_precision(pairs)
    assert best is not None and best.precision < 0.8


@pytest.mark.parametrize(
    "pairs",
    [
        ScoredPairs(spread([0.1] * (FEWEST - 1)), [0.5] * 50),
        ScoredPairs([control(n, score=0.1, document="a") for n in range(40)], [0.5] * 50),
        ScoredPairs(spread([0.1] * 40), []),
        ScoredPairs(spread([0.1] * 40), [-inf] * 9),
    ],
    ids=["too few controls", "one document", "no drafts", "none that code lets through"],
)
def test_without_enough_to_go_by_none_is_chosen(pairs: ScoredPairs) -> None:
    assert calibrate_for_precision(pairs, 0.5) is None


def test_a_document_has_no_part_in_its_own_threshold() -> None:
    pairs = two_heaps(controls=200)
    others = [c for c in pairs.controls if c.document_id != "a"]
    low, high = (
        calibrate_for_precision(
            replace(pairs, controls=[*others, *(control(n, score=s, document="a") for n in range(60))]), 0.9
        )
        for s in (0.0, 0.7)
    )
    assert low is not None and high is not None
    assert low.by_document["a"] == high.by_document["a"] < UNREACHABLE
    assert low.by_document["b"] < high.by_document["b"]
    assert low.threshold < high.threshold


def test_recall_is_that_of_human_golds_and_enough_of_them_give_the_sensitivity() -> None:
    pairs = two_heaps()
    assert {row.recall for row in trade_off(pairs, 0.7)} == {None}
    known = replace(pairs, human_golds=[0.5, 0.6, 0.75, 0.9])
    recalls = [row.recall for row in trade_off(known, 0.7) if row.threshold == 0.7]
    assert recalls == [0.5]
    assert trade_off_at(known, 0.7) == trade_off_at(pairs, 0.7), "four say too little of the sensitivity"
    many = replace(pairs, human_golds=[0.5, 0.6, 0.75, 0.9] * 5)
    assert trade_off_at(many, 0.7) > trade_off_at(pairs, 0.7)


@given(
    st.lists(st.floats(0, 1), min_size=FEWEST, max_size=40),
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.floats(0.05, 0.95),
)
@settings(deadline=None, max_examples=50)
def test_the_table_is_short_ordered_and_holds_the_chosen_threshold(
    scores: list[float], drafts: list[float], chosen: float
) -> None:
    rows = trade_off(ScoredPairs(spread(scores), drafts), chosen)
    assert 1 <= len(rows) <= 6
    thresholds = [row.threshold for row in rows]
    assert chosen in thresholds and thresholds == sorted(thresholds)
    for row in rows:
        assert 0 <= row.precision_at_least <= row.precision + 1e-9 <= 1 + 1e-9
        assert 0 <= row.specificity <= 1
        assert row.kept == sum(score >= row.threshold for score in drafts)
    assert [row.kept for row in rows] == sorted((row.kept for row in rows), reverse=True)


def test_recall_below_the_acceptance_is_no_sensitivity() -> None:
    pairs = two_heaps()
    low = replace(pairs, human_golds=[0.1] * 19 + [0.9])
    assert trade_off_at(low, 0.7) == trade_off_at(pairs, 0.7)
