"""Measures as the users of the logs meet them: each log question weighs what it stands for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from goldgen.evaluation.report import Report

_RESAMPLES = 2000
_SEED = 0
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class TrafficMeans:
    """Weighted means over the log questions that have gold."""

    questions: int
    """Log questions measured."""
    share: float
    """Of the logs' traffic that these stand for. The rest has no gold, and nothing is known of it."""
    effective: float
    """How many equally weighing questions are worth as much (Kish): few, if some queries are asked most."""
    means: Mapping[str, Mapping[str, float]]
    """Retriever to measure to sum(weight * value) / sum(weight)."""
    intervals: Mapping[str, tuple[float, float]]
    """Retriever to the 95% interval of the primary measure (bootstrap over questions)."""


def traffic_means(report: "Report", weights: Mapping[str, float]) -> TrafficMeans | None:
    """The measures by ``weights``, question id to how many queries of the logs it stands for; None if no
    question has gold and a weight."""
    outcomes = [item for item in report.outcomes if weights.get(item.question_id)]
    if not outcomes:
        return None
    each = np.array([weights[item.question_id] for item in outcomes])
    generator = np.random.default_rng(_SEED)
    drawn = generator.integers(len(each), size=(_RESAMPLES, len(each)))
    tails = [50 * (1 - _CONFIDENCE), 50 * (1 + _CONFIDENCE)]
    means: dict[str, dict[str, float]] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for result in report.retrievers:
        values = {
            name: np.array([item.values[result.label][name] for item in outcomes]) for name in result.means
        }
        means[result.label] = {name: float(each @ found / each.sum()) for name, found in values.items()}
        weighted = each * values[report.primary]
        low, high = np.percentile(weighted[drawn].sum(axis=1) / each[drawn].sum(axis=1), tails)
        intervals[result.label] = (float(low), float(high))
    return TrafficMeans(
        len(outcomes),
        float(each.sum() / sum(weights.values())),
        float(each.sum() ** 2 / (each @ each)),
        means,
        intervals,
    )
