"""How large a difference is beside its spread, and how many questions would show a stated one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import SettingsError
from goldgen.evaluation.resampling import cluster_sums

DELTA = 0.03
"""The difference that questions are counted for, unless another is stated."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class QuestionsNeeded:
    """The size of a set that shows a difference of ``delta``, if it is there."""

    questions: int
    """In all, not in addition."""
    clusters: int
    """The documents that they are to come from, as many questions from each as now."""
    design_effect: float
    """By how much clusters raise the number; 1 where questions are independent."""
    delta: float


def effect_size(differences: NDArray[np.float64]) -> float | None:
    """The mean of paired differences in units of their standard deviation over the questions (Cohen's d_z).

    The deviation is the total one, between clusters and within, so that clusters change the uncertainty of
    the figure and not its meaning. None if all differences are equal and not 0, or there is only one.
    Sources: Cohen, Statistical Power Analysis, 1988, section 2.3.5; Hedges, Effect Sizes in
    Cluster-Randomized Designs, 2007 (total variance, without its correction); Sakai, SIGIR Forum 2014.
    """
    if not np.any(differences):
        return 0.0
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    return float(differences.mean()) / deviation if deviation > _ROUNDING else None


def questions_needed(
    differences: NDArray[np.float64],
    clusters: Sequence[str],
    *,
    delta: float = DELTA,
    power: float = 0.8,
    alpha: float = 0.05,
) -> QuestionsNeeded | None:
    """How many questions a two-sided test at ``alpha`` needs to see a mean difference of ``delta``.

    For the stated delta, not for the observed difference, which is only where the spread is read from: the
    variance of a mean over clusters (the linearised ratio, as in cluster sampling), never below that of
    independent questions. ``differences`` has shape (questions,), paired. None if they have no spread, or if
    there is but one cluster: then nothing tells. With fewer than 20 clusters it is rough. Raises
    SettingsError for a delta, power or alpha that makes no sense.

    Sources: Kish, Survey Sampling, 1965, chapters 5 and 8 (variance, design effect); Guenther, American
    Statistician 1981 (the normal formula and its correction for the t-test); Sakai, Topic Set Size Design,
    Information Retrieval Journal 2016.
    """
    if not delta > 0 or not 0 < alpha < power < 1:
        raise SettingsError(
            f"delta {delta}, power {power}, alpha {alpha}: delta must be above 0, and 0 < alpha < power < 1"
        )
    sums, sizes = cluster_sums(differences, clusters)
    n, groups = len(differences), len(sums)
    if groups < 2:
        return None
    independent = float(differences.var(ddof=1)) / n
    if sqrt(independent) <= _ROUNDING:
        return None
    residuals = sums - sizes * differences.mean()
    clustered = groups / (groups - 1) * float(residuals @ residuals) / n**2
    design_effect = max(1.0, clustered / independent)
    normal = NormalDist()
    two_sided = normal.inv_cdf(1 - alpha / 2)
    standard = (two_sided + normal.inv_cdf(power)) / delta
    # The variance of a mean falls with the number of clusters, if their sizes stay as they are.
    needed = groups * independent * design_effect * standard**2 + two_sided**2 / 2
    return QuestionsNeeded(ceil(needed * n / groups), ceil(needed), design_effect, delta)
