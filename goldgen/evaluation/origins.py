"""Whether two retrievers are told apart alike by questions of different origin, written and logged ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation.power import DELTA
from goldgen.evaluation.resampling import FEW_CLUSTERS, cluster_sums

FEWEST_CLUSTERS = 10
"""Sources of an origin below which nothing is said: a bootstrap of fewer gives too short intervals."""
_DRAWN_AT_ONCE = 1_000_000
_ROUNDING = 1e-12

Verdict = Literal["both favour a", "both favour b", "origins disagree", "no difference", "cannot tell"]


@dataclass(frozen=True, slots=True)
class OriginSample:
    """Paired differences of two retrievers, b minus a, on the questions of one origin."""

    differences: NDArray[np.float64]
    """Shape (questions,)."""
    clusters: Sequence[str]
    """The source of each question."""


@dataclass(frozen=True, slots=True)
class OriginDifference:
    """The mean of b minus a on one origin, or how far two of these lie apart, with its interval."""

    mean: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 where the interval leaves 0 out, else 0."""
        return (self.low > _ROUNDING) - (self.high < -_ROUNDING)


@dataclass(frozen=True, slots=True)
class OriginContrast:
    """Two retrievers on two origins."""

    first: OriginDifference
    second: OriginDifference
    apart: OriginDifference
    """Difference of differences: first minus second."""
    questions: tuple[int, int]
    clusters: tuple[int, int]
    level: float
    """Of all three intervals."""
    verdict: Verdict

    @property
    def few_clusters(self) -> bool:
        """Whether the intervals are rough."""
        return min(self.clusters) < FEW_CLUSTERS

    @property
    def unseen(self) -> float:
        """How large a difference between the origins may be without being seen: half of its interval."""
        return (self.apart.high - self.apart.low) / 2


def contrast(
    first: OriginSample,
    second: OriginSample,
    *,
    level: float = 0.95,
    resamples: int = 5000,
    delta: float = DELTA,
    seed: int = 0,
) -> OriginContrast:
    """Whether both origins decide alike between two retrievers.

    The origins are independent samples: whole clusters are drawn with replacement within each, and the means
    of a draw are subtracted (stratified cluster bootstrap). Percentile intervals, expanded for few clusters:
    without, of 10 to 30 questions an origin, alike ones would disagree two to three times too often.

    both favour a (or b): both intervals leave 0 out on that side; the lead may still differ in size.
    origins disagree: they leave 0 out on different sides, or the interval of the difference of differences
    leaves 0 out and not both favour the same.
    no difference: the origins differ by less than ``delta`` at that level, and do not both favour one.
    cannot tell: else, and with fewer than ten clusters in an origin.

    Raises EmptyResultError if an origin has no question, SettingsError for a level not between 0 and 1.
    Sources: Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.2 (several
    samples); Hesterberg, What Teachers Should Know About the Bootstrap, American Statistician 2015
    (expansion).
    """
    if not 0 < level < 1:
        raise SettingsError(
            f"the level of the interval is {level}; it must lie between 0 and 1, such as 0.95"
        )
    if not len(first.differences) or not len(second.differences):
        raise EmptyResultError("nothing to compare: an origin has no measured question; run goldgen eval")
    generator = np.random.default_rng(seed)
    means = [_drawn_means(sample, resamples, level, generator) for sample in (first, second)]
    a, b = float(first.differences.mean()), float(second.differences.mean())
    sizes = len(set(first.clusters)), len(set(second.clusters))
    of_first, of_second = _interval(a, means[0], level), _interval(b, means[1], level)
    apart = _interval(a - b, means[0] - means[1], level)
    return OriginContrast(
        of_first,
        of_second,
        apart,
        (len(first.differences), len(second.differences)),
        sizes,
        level,
        "cannot tell" if min(sizes) < FEWEST_CLUSTERS else _verdict(of_first, of_second, apart, delta),
    )


def _verdict(
    first: OriginDifference, second: OriginDifference, apart: OriginDifference, delta: float
) -> Verdict:
    if first.sign and first.sign == second.sign:
        return "both favour b" if first.sign > 0 else "both favour a"
    if apart.sign or first.sign * second.sign < 0:
        return "origins disagree"
    return "no difference" if -delta < apart.low and apart.high < delta else "cannot tell"


def _drawn_means(
    sample: OriginSample, resamples: int, level: float, generator: np.random.Generator
) -> NDArray[np.float64]:
    sums, sizes = cluster_sums(sample.differences, sample.clusters)
    block = max(1, _DRAWN_AT_ONCE // len(sums))
    means: list[NDArray[np.float64]] = []
    for start in range(0, resamples, block):
        drawn = generator.integers(0, len(sums), (min(block, resamples - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    middle = float(sample.differences.mean())
    return middle + _expansion(len(sums), level) * (np.concatenate(means) - middle)


def _expansion(clusters: int, level: float) -> float:
    """By how much few clusters draw too narrowly: Student's t over the normal quantile, and the bias of the
    variance. The quantile is that of the Cornish-Fisher series."""
    freedom = max(clusters - 1, 1)
    z = NormalDist().inv_cdf((1 + level) / 2)
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return sqrt(clusters / freedom) * t / z


def _interval(mean: float, drawn: NDArray[np.float64], level: float) -> OriginDifference:
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return OriginDifference(mean, float(low), float(high))
