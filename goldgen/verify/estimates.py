"""Shares with their intervals, and the share of wrong golds that follows from them."""

from dataclasses import dataclass
from itertools import product
from math import sqrt

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Proportion:
    """A counted share with Wilson's 95% interval."""

    count: int
    total: int
    share: Interval


def wilson(successes: int, total: int) -> Interval:
    """Wilson's 95% score interval of a proportion (Wilson 1927); ``total`` must be positive."""
    share = successes / total
    z2 = _Z95**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def proportion(count: int, total: int) -> Proportion | None:
    """None of none."""
    return Proportion(count, total, wilson(count, total)) if total else None


def prevalence(specificity: float, acceptance: float, sensitivity: float = 1.0) -> float:
    """Share of the judged that truly answer: (a + spec - 1) / (sens + spec - 1), within 0 and 1.

    Source: Rogan and Gladen, "Estimating prevalence from the results of a screening test", 1978. 0, the
    careful side, for a judge that is no better than chance, whose acceptance tells nothing.
    """
    gain = sensitivity + specificity - 1
    return min(1.0, max(0.0, (acceptance + specificity - 1) / gain)) if gain > 0 else 0.0


def expected_wrong_share(specificity: float, acceptance: float, sensitivity: float = 1.0) -> float:
    """(1 - spec)(1 - prevalence) / a: the share of accepted pairs that do not answer.

    A sensitivity of 1 gives the largest share, so it is the careful assumption where human labels do not
    tell. All of it assumes that drafts which do not answer are like the controls.
    """
    if acceptance <= 0:
        return 0.0
    share = (1 - specificity) * (1 - prevalence(specificity, acceptance, sensitivity)) / acceptance
    return min(1.0, share)


def expected_wrong_interval(
    specificity: Interval, acceptance: Interval, sensitivity: Interval = Interval(1.0, 1.0, 1.0)
) -> Interval:
    """``expected_wrong_share`` at the estimates, with the bounds over the corners of all intervals."""
    estimate = expected_wrong_share(specificity.estimate, acceptance.estimate, sensitivity.estimate)
    corners = product(*((found.low, found.high) for found in (specificity, acceptance, sensitivity)))
    shares = [estimate, *(expected_wrong_share(*corner) for corner in corners)]
    return Interval(estimate, min(shares), max(shares))
