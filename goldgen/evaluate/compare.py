"""Intervals and tests that resample whole clusters, for questions of one document are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluate.measures import Measure
from goldgen.evaluate.score import RunScores

FEW_CLUSTERS = 20
"""Below this many clusters, an interval or a p-value should be shown with a warning."""
_EXACT_CLUSTERS = 12
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its bootstrap interval."""

    mean: float
    low: float
    high: float
    clusters: int

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters to trust the interval."""
        return self.clusters < FEW_CLUSTERS


@dataclass(frozen=True, slots=True)
class Difference:
    """What run b has over run a in the mean of one measure: b minus a, with interval and p-value."""

    mean: float
    low: float
    high: float
    p: float
    """Two-sided: how often chance alone would give a difference at least as large."""
    clusters: int

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters to trust interval and p-value."""
        return self.clusters < FEW_CLUSTERS


def bootstrap_interval(
    values: NDArray[np.float64],
    clusters: Sequence[str],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of the mean over questions; whole clusters are drawn with replacement.

    ``values`` has shape (questions,), ``clusters`` names the cluster of each. The same seed gives the same
    interval. Raises EmptyResultError without values. Source: Davison and Hinkley, Bootstrap Methods and
    their Application, 1997, section 3.8.
    """
    if not len(values):
        raise EmptyResultError("no interval: there are no values to resample; score at least one question")
    sums, sizes = _by_cluster(values, clusters)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    for resample in range(resamples):
        drawn = generator.integers(0, len(sums), len(sums))
        means[resample] = sums[drawn].sum() / sizes[drawn].sum()
    tail = (1 - level) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(values.mean()), float(low), float(high), len(sums))


def compare(
    a: RunScores,
    b: RunScores,
    measure: Measure,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    permutations: int = 10_000,
    seed: int = 0,
) -> Difference:
    """The paired difference b minus a: cluster bootstrap interval and Fisher randomisation p-value.

    Raises SettingsError if the runs were not scored on the same questions or not in this measure.
    """
    rows_of_a = {question_id: row for row, question_id in enumerate(a.question_ids)}
    if rows_of_a.keys() != set(b.question_ids) or a.threshold != b.threshold:
        raise SettingsError(
            f"the runs were scored on different questions or thresholds ({len(a.question_ids)} questions "
            f"from grade {a.threshold:g}, {len(b.question_ids)} from {b.threshold:g}); "
            "score both on the same set"
        )
    differences = b.of(measure) - a.of(measure)[[rows_of_a[question_id] for question_id in b.question_ids]]
    interval = bootstrap_interval(differences, b.clusters, level=level, resamples=resamples, seed=seed)
    p = randomisation_p(differences, b.clusters, permutations=permutations, seed=seed)
    return Difference(interval.mean, interval.low, interval.high, p, interval.clusters)


def randomisation_p(
    differences: NDArray[np.float64], clusters: Sequence[str], *, permutations: int = 10_000, seed: int = 0
) -> float:
    """Fisher's two-sided randomisation test of a mean difference of 0, flipping the sign of whole clusters.

    Exact for at most 12 clusters that differ at all, else (c + 1) / (n + 1) over ``permutations`` random
    flips. ``differences`` has shape (questions,). Source: Smucker, Allan and Carterette, CIKM 2007.
    """
    sums, _ = _by_cluster(differences, clusters)
    # A cluster without a difference adds 0 under either sign, so it leaves the distribution as it is.
    sums = sums[sums != 0]
    # Sums of the same numbers in another order may differ in the last bits; they are as extreme.
    observed = abs(float(sums.sum())) * (1 - 1e-9)
    if len(sums) <= _EXACT_CLUSTERS:
        signs = np.array(list(product((-1, 1), repeat=len(sums))), dtype=np.float64)
        return float(np.mean(np.abs(signs @ sums) >= observed))
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, permutations, _BLOCK):
        signs = generator.choice((-1.0, 1.0), (min(_BLOCK, permutations - start), len(sums)))
        extreme += int(np.count_nonzero(np.abs(signs @ sums) >= observed))
    return (extreme + 1) / (permutations + 1)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values adjusted for their number, in the order given. Source: Holm, Scand. J. Statist. 1979."""
    ascending = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(ascending):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def _by_cluster(
    values: NDArray[np.float64], clusters: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The sum and the number of the values of each cluster, clusters in order of first appearance."""
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    members = np.array([numbers[cluster] for cluster in clusters], dtype=np.int64)
    sums: NDArray[np.float64] = np.bincount(members, weights=values).astype(np.float64)
    return sums, np.bincount(members).astype(np.int64)
