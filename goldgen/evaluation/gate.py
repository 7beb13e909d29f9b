"""Decisions for a gate: a mean against a floor, by the bound of its interval and not by the mean itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import SettingsError
from goldgen.evaluation.resampling import FEW_CLUSTERS, bootstrap_interval

Verdict = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A mean against a floor."""

    verdict: Verdict
    mean: float
    low: float
    """The lower one-sided bound: the mean is above it at the level asked for."""
    high: float
    """The upper one-sided bound."""
    floor: float
    clusters: int

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters to trust the bounds."""
        return self.clusters < FEW_CLUSTERS


def at_least(
    values: NDArray[np.float64],
    clusters: Sequence[str],
    floor: float,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Decision:
    """Whether the mean is at least ``floor``: pass if its lower bound is, fail if its upper bound is not.

    Between the two it is inconclusive, as it is with one cluster, which has no interval. The bounds are
    one-sided, each at ``level``: the ends of the cluster bootstrap interval at 2 level - 1. ``values`` has
    shape (questions,). Raises EmptyResultError without values, SettingsError for a level not within
    (0.5, 1).
    """
    if not 0.5 < level < 1:
        raise SettingsError(f"the level of the gate is {level}; it must lie between 0.5 and 1, such as 0.95")
    found = bootstrap_interval(values, clusters, level=2 * level - 1, resamples=resamples, seed=seed)
    verdict: Verdict = "inconclusive"
    if found.clusters > 1 and found.low >= floor:
        verdict = "pass"
    elif found.clusters > 1 and found.high < floor:
        verdict = "fail"
    return Decision(verdict, found.mean, found.low, found.high, floor, found.clusters)


def non_inferiority(
    differences: NDArray[np.float64],
    clusters: Sequence[str],
    margin: float,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Decision:
    """Whether a run is no worse than its baseline by more than ``margin``.

    ``differences`` are the run's values less the baseline's, shape (questions,). Pass: at the level, the loss
    is at most the margin. Fail: it is more. Inconclusive: the set is too small to tell. A test for a
    difference cannot serve here, for with few questions it finds none. Raises as ``at_least`` does, and
    SettingsError for a negative margin. Sources: Schuirmann, J. Pharmacokinetics and Biopharmaceutics 1987;
    Walker and Nowacki, J. General Internal Medicine 2011.
    """
    if not margin >= 0:
        raise SettingsError(f"the margin is {margin}; it must be 0 or more, such as 0.02")
    return at_least(differences, clusters, -margin, level=level, resamples=resamples, seed=seed)
