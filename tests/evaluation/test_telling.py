"""How well items are told apart by their features."""

import numpy as np
import pytest
from numpy.typing import NDArray

from goldgen.evaluation.telling import telling_apart


def items(shift: float, each: int = 60, seed: int = 0) -> tuple[NDArray[np.float64], list[bool], list[str]]:
    """Five features, of which the second is higher by ``shift`` in the second kind; each its own source."""
    features = np.random.default_rng(seed).normal(size=(2 * each, 5))
    features[each:, 1] += shift
    return features, [n >= each for n in range(2 * each)], [str(n) for n in range(2 * each)]


def test_what_is_alike_is_not_told_apart() -> None:
    areas = [found.area for seed in range(6) if (found := telling_apart(*items(0.0, seed=seed)))]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.08)


def test_what_differs_is_told_apart_by_what_differs() -> None:
    found = telling_apart(*items(2.0))
    assert found is not None
    # Two normal distributions two deviations apart: Phi(sqrt 2).
    assert found.area == pytest.approx(0.92, abs=0.04)
    assert found.low < found.area < found.high
    assert max(range(5), key=lambda place: abs(found.weights[place])) == 1 and found.weights[1] > 0


def test_what_parts_always_is_told_always() -> None:
    features, second, clusters = items(50.0)
    found = telling_apart(features, second, clusters)
    assert found is not None and (found.area, found.low, found.high) == (1.0, 1.0, 1.0)


def test_what_a_source_shares_is_not_learnt_by_heart() -> None:
    # A feature that names the source parts the kinds perfectly where sources are seen, and not beyond.
    each = 60
    sources = [str(n // 10) for n in range(2 * each)]
    features = np.array([[float(source == name) for name in map(str, range(12))] for source in sources])
    found = telling_apart(features, [n >= each for n in range(2 * each)], sources)
    assert found is not None and found.area < 0.65


def test_a_feature_that_all_share_does_no_harm() -> None:
    features, second, clusters = items(2.0)
    features[:, 0] = 3.0
    found = telling_apart(features, second, clusters)
    assert found is not None and found.weights[0] == 0.0 and np.isfinite(found.area)


def test_too_few_tell_nothing() -> None:
    features, _, clusters = items(2.0)
    assert telling_apart(features, [n < 9 for n in range(120)], clusters) is None


def test_the_same_seed_gives_the_same() -> None:
    assert telling_apart(*items(1.0), seed=3) == telling_apart(*items(1.0), seed=3)
