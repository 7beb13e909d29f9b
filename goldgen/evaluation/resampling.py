"""Intervals and tests that resample whole clusters, for questions of one document are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import EmptyResultError, SettingsError

FEW_CLUSTERS = 20
"""Below this many clusters, an interval or a p-value should be shown with a warning."""
_EXACT_CLUSTERS = 12
_DRAWN_AT_ONCE = 1_000_000
_ROUNDING = 1e-12


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
    interval. Raises EmptyResultError without values, SettingsError for a level that is not between 0 and 1.
    Source: Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8.
    """
    if not 0 < level < 1:
        raise SettingsError(
            f"the level of the interval is {level}; it must lie between 0 and 1, such as 0.95"
        )
    if not len(values):
        raise EmptyResultError("no interval: there are no values to resample; score at least one question")
    sums, sizes = cluster_sums(values, clusters)
    generator = np.random.default_rng(seed)
    block = max(1, _DRAWN_AT_ONCE // len(sums))
    means: list[NDArray[np.float64]] = []
    for start in range(0, resamples, block):
        drawn = generator.integers(0, len(sums), (min(block, resamples - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(means), (tail, 1 - tail))
    return Interval(float(values.mean()), float(low), float(high), len(sums))


def randomisation_p(
    differences: NDArray[np.float64], clusters: Sequence[str], *, permutations: int = 10_000, seed: int = 0
) -> float:
    """Fisher's two-sided randomisation test of a mean difference of 0, flipping the sign of whole clusters.

    Exact for at most 12 clusters that differ at all, else (c + 1) / (n + 1) over ``permutations`` random
    flips. ``differences`` has shape (questions,). Sources: Smucker, Allan and Carterette, CIKM 2007; Phipson
    and Smyth, Permutation P-values Should Never Be Zero, 2010.
    """
    sums, _ = cluster_sums(differences, clusters)
    # A cluster without a difference adds 0 under either sign, so it leaves the distribution as it is.
    sums = sums[sums != 0]
    # Sums of the same numbers in another order may differ in the last bits; they are as extreme.
    observed = abs(float(sums.sum())) - _ROUNDING * float(np.abs(sums).sum())
    if len(sums) <= _EXACT_CLUSTERS:
        signs = np.array(list(product((-1, 1), repeat=len(sums))), dtype=np.float64)
        return float(np.mean(np.abs(signs @ sums) >= observed))
    generator = np.random.default_rng(seed)
    block = max(1, _DRAWN_AT_ONCE // len(sums))
    extreme = 0
    for start in range(0, permutations, block):
        shape = (min(block, permutations - start), -(-len(sums) // 8))
        bits = np.unpackbits(generator.integers(0, 256, shape, dtype=np.uint8), axis=1, count=len(sums))
        # The sum after flipping is the whole less twice what is flipped.
        flipped = sums.sum() - 2 * (bits.astype(np.float64) @ sums)
        extreme += int(np.count_nonzero(np.abs(flipped) >= observed))
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


def cluster_sums(
    values: NDArray[np.float64], clusters: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The sum and the number of the values of each cluster, clusters in order of first appearance."""
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    members = np.array([numbers[cluster] for cluster in clusters], dtype=np.int64)
    sums: NDArray[np.float64] = np.bincount(members, weights=values).astype(np.float64)
    return sums, np.bincount(members).astype(np.int64)
