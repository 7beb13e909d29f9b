import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import clustered_differences

from goldgen.errors import SettingsError
from goldgen.evaluation import bootstrap_interval, effect_size, questions_needed, randomisation_p


def test_the_effect_size_is_the_mean_in_standard_deviations() -> None:
    assert effect_size(np.array([1.0, 2.0, 3.0])) == pytest.approx(2)
    assert effect_size(np.array([-1.0, -2.0, -3.0])) == pytest.approx(-2)


@pytest.mark.parametrize(
    ("differences", "expected"), [([0.0, 0.0], 0), ([0.0], 0), ([0.1] * 3, None), ([0.1], None)]
)
def test_without_spread_there_is_no_effect_size_unless_there_is_no_difference(
    differences: list[float], expected: float | None
) -> None:
    assert effect_size(np.array(differences)) == expected


def test_independent_questions_need_what_the_textbook_says() -> None:
    """A standard deviation of 0.3, and (1.96 + 0.84)^2 (0.3 / 0.1)^2 = 70.6, and 1.9 for the t-test."""
    differences = np.array([0.3, -0.3] * 500) * np.sqrt(999 / 1000)
    found = questions_needed(differences, [f"d{n}" for n in range(1000)], delta=0.1)
    assert found is not None
    assert (found.questions, found.clusters, found.delta) == (73, 73, 0.1)
    assert found.design_effect == pytest.approx(1)


def test_copies_of_a_question_in_one_document_add_nothing() -> None:
    once = np.random.default_rng(5).normal(0, 0.2, 300)
    alone = questions_needed(once, [f"d{n}" for n in range(300)])
    copied = questions_needed(np.repeat(once, 4), [f"d{n // 4}" for n in range(1200)])
    assert alone is not None and copied is not None
    assert copied.design_effect == pytest.approx(4, rel=0.01)
    assert copied.clusters == alone.clusters
    assert copied.questions == pytest.approx(4 * alone.questions, abs=4)


def test_only_the_stated_delta_counts_and_not_the_observed_difference() -> None:
    differences, clusters = clustered_differences(np.random.default_rng(2), 40, 0.0)
    here, shifted = (questions_needed(differences + shift, clusters) for shift in (0, 0.25))
    assert here is not None and shifted is not None
    assert (here.questions, here.clusters) == (shifted.questions, shifted.clusters)
    small, large = (questions_needed(differences, clusters, delta=delta) for delta in (0.02, 0.04))
    assert small is not None and large is not None
    assert small.questions == pytest.approx(4 * large.questions, rel=0.03)


@pytest.mark.parametrize(
    ("differences", "clusters"),
    [([0.1, 0.1, 0.1], "abc"), ([0.0, 0.0], "ab"), ([0.1, 0.5], "aa"), ([0.3], "a"), ([], "")],
)
def test_where_nothing_tells_the_spread_no_number_is_made_up(differences: list[float], clusters: str) -> None:
    assert questions_needed(np.array(differences), list(clusters)) is None


@pytest.mark.parametrize(("delta", "power", "alpha"), [(0, 0.8, 0.05), (0.03, 1, 0.05), (0.03, 0.8, 0)])
def test_an_impossible_design_is_refused(delta: float, power: float, alpha: float) -> None:
    with pytest.raises(SettingsError, match="delta must be above 0"):
        questions_needed(np.array([0.1, 0.2]), ["a", "b"], delta=delta, power=power, alpha=alpha)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.data())
@settings(deadline=None, max_examples=50)
def test_clusters_never_make_fewer_questions_enough(values: list[float], data: st.DataObject) -> None:
    differences = np.array(values)
    clusters = data.draw(st.lists(st.sampled_from("abcde"), min_size=len(values), max_size=len(values)))
    alone = questions_needed(differences, [str(n) for n in range(len(values))])
    together = questions_needed(differences, clusters)
    if alone is not None and together is not None:
        assert together.questions >= alone.questions - len(values)
        assert together.design_effect >= 1


def test_a_set_of_the_size_told_sees_the_difference_four_times_in_five() -> None:
    """The size is read off one large pilot; then 400 sets of that size are drawn with that difference."""
    generator = np.random.default_rng(8)
    needed = questions_needed(*clustered_differences(generator, 4000, 0.0), delta=0.05)
    assert needed is not None
    assert needed.design_effect > 1.3
    seen = 0
    for _ in range(400):
        differences, clusters = clustered_differences(generator, needed.clusters, 0.05)
        seen += randomisation_p(differences, clusters, permutations=999) <= 0.05
    assert seen / 400 == pytest.approx(0.8, abs=0.06)


def test_without_a_difference_one_is_seen_once_in_twenty() -> None:
    generator = np.random.default_rng(9)
    seen = sum(
        randomisation_p(*clustered_differences(generator, 30, 0.0), permutations=499) <= 0.05
        for _ in range(600)
    )
    assert seen / 600 == pytest.approx(0.05, abs=0.025)


def test_the_interval_covers_the_truth_about_as_often_as_it_says_and_by_question_it_would_not() -> None:
    generator = np.random.default_rng(10)
    covered = {"by cluster": 0, "by question": 0}
    for _ in range(400):
        differences, clusters = clustered_differences(generator, 40, 0.1)
        names = {"by cluster": clusters, "by question": [str(n) for n in range(len(clusters))]}
        for how, grouped in names.items():
            interval = bootstrap_interval(differences, grouped, resamples=400)
            covered[how] += interval.low <= 0.1 <= interval.high
    assert 0.91 <= covered["by cluster"] / 400 <= 0.97
    assert covered["by question"] / 400 < 0.88
