"""Measures, intervals and tests for the rankings of a retriever on a golden set."""

from goldgen.evaluation.compare import Difference, Pair, compare, compare_all, paired_differences
from goldgen.evaluation.confusion import Confusion, confusion_rate
from goldgen.evaluation.curves import Curve, Dominance, curve, dominance
from goldgen.evaluation.gate import Decision, Verdict, at_least, non_inferiority
from goldgen.evaluation.measures import DEFAULT_MEASURES, Measure, MeasureName
from goldgen.evaluation.power import DELTA, QuestionsNeeded, effect_size, questions_needed
from goldgen.evaluation.resampling import FEW_CLUSTERS, Interval, bootstrap_interval, holm, randomisation_p
from goldgen.evaluation.score import RunScores, score_run

__all__ = [
    "DEFAULT_MEASURES",
    "DELTA",
    "FEW_CLUSTERS",
    "Confusion",
    "Curve",
    "Decision",
    "Difference",
    "Dominance",
    "Interval",
    "Measure",
    "MeasureName",
    "Pair",
    "QuestionsNeeded",
    "RunScores",
    "Verdict",
    "at_least",
    "bootstrap_interval",
    "compare",
    "compare_all",
    "confusion_rate",
    "curve",
    "dominance",
    "effect_size",
    "holm",
    "non_inferiority",
    "paired_differences",
    "questions_needed",
    "randomisation_p",
    "score_run",
]
