"""Measures, intervals and tests for the rankings of a retriever on a golden set."""

from goldgen.evaluate.compare import (
    FEW_CLUSTERS,
    Difference,
    Interval,
    bootstrap_interval,
    compare,
    holm,
    randomisation_p,
)
from goldgen.evaluate.confusion import Confusion, confusion_rate
from goldgen.evaluate.measures import DEFAULT_MEASURES, Measure, MeasureName
from goldgen.evaluate.score import RunScores, score_run

__all__ = [
    "DEFAULT_MEASURES",
    "FEW_CLUSTERS",
    "Confusion",
    "Difference",
    "Interval",
    "Measure",
    "MeasureName",
    "RunScores",
    "bootstrap_interval",
    "compare",
    "confusion_rate",
    "holm",
    "randomisation_p",
    "score_run",
]
