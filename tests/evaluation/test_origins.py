"""Whether two origins decide alike between two retrievers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation.origins import OriginContrast, OriginSample, contrast


def sample(
    mean: float, questions: int, *, seed: int = 0, spread: float = 0.2, a_source: int = 1
) -> OriginSample:
    """Differences about ``mean``, ``a_source`` questions of each source."""
    drawn = np.random.default_rng(seed).normal(0, spread, questions)
    values = drawn - drawn.mean() + mean
    return OriginSample(values, [f"source {place // a_source}" for place in range(questions)])


def seen(first: float, second: float, questions: int = 100, *, spread: float = 0.2) -> OriginContrast:
    return contrast(
        sample(first, questions, seed=1, spread=spread), sample(second, questions, seed=2, spread=spread)
    )


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (0.2, 0.25, "both favour b"),
        (-0.2, -0.1, "both favour a"),
        (0.2, -0.2, "origins disagree"),
        (0.2, 0.0, "origins disagree"),
        (0.03, 0.0, "cannot tell"),
    ],
)
def test_verdicts(first: float, second: float, verdict: str) -> None:
    assert seen(first, second).verdict == verdict


def test_a_lead_on_both_that_differs_in_size_is_a_lead() -> None:
    found = seen(0.6, 0.2)
    assert found.verdict == "both favour b" and found.apart.sign == 1


def test_no_difference_is_said_only_where_it_is_shown() -> None:
    assert seen(0.0, 0.0, 30).verdict == "cannot tell"
    assert seen(0.0, 0.0, 3000).verdict == "no difference"
    same = OriginSample(np.zeros(20), [str(n) for n in range(20)])
    assert contrast(same, same).verdict == "no difference"


def test_few_sources_tell_nothing() -> None:
    few = OriginSample(np.full(100, 0.5), [str(n % 7) for n in range(100)])
    found = contrast(sample(0.5, 100), few)
    assert (found.verdict, found.clusters, found.few_clusters) == ("cannot tell", (100, 7), True)


def test_questions_of_one_source_are_not_independent() -> None:
    alone = contrast(sample(0.1, 60), sample(0.1, 60, seed=3))
    values = np.repeat(np.random.default_rng(4).normal(0.1, 0.2, 12), 5)
    clustered = OriginSample(values, [str(n // 5) for n in range(60)])
    together = contrast(clustered, sample(0.1, 60, seed=3))
    assert together.unseen > 1.5 * alone.unseen


def test_the_interval_covers_what_it_says() -> None:
    inside = 0
    for trial in range(200):
        r = np.random.default_rng(trial)
        pair = [OriginSample(r.normal(0.1, 0.3, 40), [str(n) for n in range(40)]) for _ in range(2)]
        apart = contrast(*pair, resamples=500, seed=trial).apart
        inside += apart.low <= 0 <= apart.high
    assert 0.89 <= inside / 200 <= 0.99


@settings(max_examples=25)
@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4), st.integers(8, 40), st.integers(1, 3))
def test_names_do_not_matter(first: float, second: float, questions: int, a_source: int) -> None:
    a, b = sample(first, questions, a_source=a_source), sample(second, questions, seed=5)
    found = contrast(a, b, resamples=400)
    turned = contrast(
        OriginSample(-a.differences, a.clusters), OriginSample(-b.differences, b.clusters), resamples=400
    )
    swapped = {"both favour a": "both favour b", "both favour b": "both favour a"}
    assert turned.verdict == swapped.get(found.verdict, found.verdict)
    assert turned.apart.mean == pytest.approx(-found.apart.mean)
    assert (turned.apart.low, turned.apart.high) == pytest.approx((-found.apart.high, -found.apart.low))


def test_refusals() -> None:
    empty = OriginSample(np.zeros(0), [])
    with pytest.raises(EmptyResultError, match="no measured question"):
        contrast(sample(0.1, 10), empty)
    with pytest.raises(SettingsError, match="between 0 and 1"):
        contrast(sample(0.1, 10), sample(0.1, 10), level=1.0)
