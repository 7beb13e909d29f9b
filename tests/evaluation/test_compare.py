from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings import judged, ranking

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import (
    Measure,
    bootstrap_interval,
    compare,
    compare_all,
    effect_size,
    holm,
    questions_needed,
    randomisation_p,
    score_run,
)
from goldgen.types import JudgedQuestion, Ranking

RR = Measure("RR", 10)
p_values = st.lists(st.floats(0, 1), max_size=8)


def questions_of(clusters: list[str]) -> list[JudgedQuestion]:
    return [judged({"g": 3}, f"q{number}", cluster) for number, cluster in enumerate(clusters)]


def run_with_gold_at(ranks: list[int]) -> dict[str, Ranking]:
    return {f"q{n}": ranking(*(f"x{i}" for i in range(rank - 1)), "g") for n, rank in enumerate(ranks)}


def test_whole_clusters_are_resampled() -> None:
    values = np.repeat([0.0, 1.0], 100)
    by_document = bootstrap_interval(values, ["one"] * 100 + ["two"] * 100, seed=1)
    by_question = bootstrap_interval(values, [f"q{number}" for number in range(200)], seed=1)
    assert (by_document.low, by_document.high) == (0, 1)
    assert by_question.high - by_question.low < 0.2
    assert (by_document.clusters, by_question.clusters) == (2, 200)


def test_the_interval_has_the_width_that_theory_gives() -> None:
    values = np.random.default_rng(7).normal(0.5, 0.2, 400)
    interval = bootstrap_interval(values, [f"q{n}" for n in range(400)], level=0.9, resamples=4000, seed=3)
    half_width = NormalDist().inv_cdf(0.95) * values.std() / 20
    assert interval.mean == pytest.approx(values.mean())
    assert interval.high - interval.low == pytest.approx(2 * half_width, rel=0.08)


def test_a_larger_cluster_weighs_more() -> None:
    values = np.array([1.0] * 9 + [0.0])
    interval = bootstrap_interval(values, ["large"] * 9 + ["small"], level=0.4, seed=0)
    # Half of the resamples draw each cluster once; a quarter each draw one of them twice.
    assert (interval.mean, interval.low, interval.high) == pytest.approx((0.9, 0.9, 0.9))


def test_the_same_seed_gives_the_same_interval() -> None:
    values, clusters = np.linspace(0, 1, 30), [f"d{n % 10}" for n in range(30)]
    assert bootstrap_interval(values, clusters, seed=5) == bootstrap_interval(values, clusters, seed=5)
    assert bootstrap_interval(values, clusters, seed=5) != bootstrap_interval(values, clusters, seed=6)


def test_no_values_have_no_interval() -> None:
    with pytest.raises(EmptyResultError, match="no values to resample"):
        bootstrap_interval(np.array([]), [])


@pytest.mark.parametrize(("clusters", "few"), [(19, True), (20, False)])
def test_few_clusters_are_marked(clusters: int, few: bool) -> None:
    questions = questions_of([f"d{number}" for number in range(clusters)])
    run = run_with_gold_at([2] * clusters)
    scores = score_run(questions, run, [RR])
    assert bootstrap_interval(scores.of(RR), scores.clusters).few_clusters is few
    assert compare(scores, scores, RR).few_clusters is few


def test_the_difference_is_b_minus_a_paired_by_question() -> None:
    questions = questions_of(["d0", "d1", "d2", "d3"])
    a = score_run(questions, run_with_gold_at([2, 2, 2, 2]), [RR])
    b = score_run(questions[::-1], run_with_gold_at([1, 1, 1, 2]), [RR])
    difference = compare(a, b, RR)
    assert difference.mean == pytest.approx(0.375)
    assert difference.p == 2 / 8
    assert 0 <= difference.low < difference.mean < difference.high <= 0.5
    assert compare(b, a, RR).mean == pytest.approx(-0.375)


def test_runs_without_a_difference_have_p_1_in_whatever_order_they_were_scored() -> None:
    questions, run = questions_of(["d0", "d1", "d2", "d3"]), run_with_gold_at([1, 3, 5, 2])
    difference = compare(score_run(questions, run, [RR]), score_run(questions[::-1], run, [RR]), RR)
    assert (difference.mean, difference.low, difference.high, difference.p) == (0, 0, 0, 1)


def test_questions_of_one_document_are_flipped_together() -> None:
    differences = np.full(40, 0.1)
    assert randomisation_p(differences, ["d0"] * 20 + ["d1"] * 20) == 0.5
    assert randomisation_p(differences, [f"d{n}" for n in range(40)]) == pytest.approx(1 / 10_001)


def test_rounding_does_not_hide_the_observed_difference() -> None:
    differences = np.array([0.6, 0.5, 0.7, 0.4, 0.6])
    assert randomisation_p(differences, ["a", "b", "c", "d", "e"]) == 2 / 32


def test_random_flips_agree_with_the_exact_test() -> None:
    differences = np.random.default_rng(11).normal(0.05, 0.15, 12)
    exact = randomisation_p(differences, [f"d{n}" for n in range(12)])
    # A 13th cluster with a very small difference makes the test random and leaves p all but unchanged.
    near = randomisation_p(
        np.append(differences, 1e-12), [f"d{n}" for n in range(13)], permutations=50_000, seed=2
    )
    assert 0.05 < exact < 0.95
    assert near == pytest.approx(exact, abs=0.01)


def test_runs_over_different_questions_or_thresholds_are_refused() -> None:
    run = run_with_gold_at([1, 1])
    two = score_run(questions_of(["d0", "d1"]), run, [RR])
    one = score_run(questions_of(["d0"]), run, [RR])
    other_threshold = score_run(questions_of(["d0", "d1"]), run, [RR], threshold=2)
    for other in (one, other_threshold):
        with pytest.raises(SettingsError, match="different questions or thresholds"):
            compare(two, other, RR)


def test_sums_that_cancel_but_for_rounding_have_p_1() -> None:
    differences = np.array([0.1, 0.2, -0.3, 0.7, -0.6, -0.1])
    assert differences.sum() != 0
    assert randomisation_p(differences, list("abcdef")) == 1


def test_a_level_outside_of_0_and_1_is_refused() -> None:
    with pytest.raises(SettingsError, match="the level of the interval is 95"):
        bootstrap_interval(np.array([0.0, 1.0]), ["a", "b"], level=95)


def test_a_comparison_tells_effect_size_and_questions_needed_for_the_stated_delta() -> None:
    questions = questions_of([f"d{n % 25}" for n in range(50)])
    a = score_run(questions, run_with_gold_at([2] * 50), [RR])
    b = score_run(questions, run_with_gold_at([1, 2, 3, 1, 4] * 10), [RR])
    differences = b.of(RR) - a.of(RR)
    found = compare(a, b, RR, delta=0.1, level=0.9)
    assert found.effect == effect_size(differences)
    assert found.needed == questions_needed(differences, b.clusters, delta=0.1, alpha=1 - 0.9)
    assert compare(a, a, RR).needed is None


def test_all_pairs_are_compared_and_their_p_values_adjusted_together() -> None:
    questions = questions_of([f"d{n}" for n in range(6)])
    runs = {
        name: score_run(questions, run_with_gold_at(ranks), [RR])
        for name, ranks in {"worst": [4] * 6, "middle": [2] * 6, "best": [1] * 5 + [2]}.items()
    }
    pairs = compare_all(runs, RR)
    assert [(pair.a, pair.b) for pair in pairs] == [
        ("worst", "middle"),
        ("worst", "best"),
        ("middle", "best"),
    ]
    assert [pair.difference for pair in pairs] == [
        compare(runs[pair.a], runs[pair.b], RR, comparisons=3) for pair in pairs
    ]
    assert [pair.difference.p for pair in pairs] == [2 / 64, 2 / 64, 4 / 64]
    assert [pair.p_holm for pair in pairs] == pytest.approx([6 / 64, 6 / 64, 6 / 64])


def test_one_run_has_no_pairs() -> None:
    scores = score_run(questions_of(["d"]), run_with_gold_at([1]), [RR])
    assert compare_all({"only": scores}, RR) == ()


@given(p_values)
@settings(deadline=None)
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, adjusted, strict=True))
    ordered = [after for _, after in sorted(zip(values, adjusted, strict=True))]
    assert ordered == sorted(ordered)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=10), st.data())
@settings(deadline=None, max_examples=50)
def test_p_is_two_sided_and_blind_to_the_names_of_clusters(values: list[float], data: st.DataObject) -> None:
    clusters = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(values), max_size=len(values)))
    differences = np.array(values)
    p = randomisation_p(differences, clusters)
    assert 0 < p <= 1
    assert randomisation_p(-differences, [f"renamed {cluster}" for cluster in clusters]) == p
