"""Measures, intervals and tests for the rankings of a retriever on a golden set."""

from goldgen.evaluation.attack import (
    AttackOutcome,
    AttackResult,
    Lookalike,
    UnderAttack,
    attack_outcomes,
    attack_results,
)
from goldgen.evaluation.compare import Difference, Pair, compare, compare_all, paired_differences
from goldgen.evaluation.context_budget import ContextChoice, context_choice, mean_tokens
from goldgen.evaluation.curves import Curve, Dominance, curve, dominance
from goldgen.evaluation.failures import Failure, HitKind, failures, hit_kind, never_found
from goldgen.evaluation.gate import Decision, Verdict, at_least, non_inferiority
from goldgen.evaluation.measures import DEFAULT_MEASURES, Measure, MeasureName
from goldgen.evaluation.power import DELTA, QuestionsNeeded, effect_size, questions_needed
from goldgen.evaluation.report import (
    DAGGER,
    AgreementResult,
    ControlResult,
    GoldChunk,
    OwnLeftOut,
    PairedDifference,
    QuestionOutcome,
    Report,
    RetrieverResult,
    SetProof,
    VerifierResult,
)
from goldgen.evaluation.report_json import report_from_json, report_to_json
from goldgen.evaluation.resampling import FEW_CLUSTERS, Interval, bootstrap_interval, holm, randomisation_p
from goldgen.evaluation.score import RunScores, score_run
from goldgen.evaluation.similarity import NearMissHit, Similarity, similarity
from goldgen.evaluation.slices import Slice, slices
from goldgen.evaluation.table import Table
from goldgen.evaluation.traffic import TrafficMeans, traffic_means

__all__ = [
    "DAGGER",
    "DEFAULT_MEASURES",
    "DELTA",
    "FEW_CLUSTERS",
    "AgreementResult",
    "AttackOutcome",
    "AttackResult",
    "ContextChoice",
    "ControlResult",
    "Curve",
    "Decision",
    "Difference",
    "Dominance",
    "Failure",
    "GoldChunk",
    "HitKind",
    "Interval",
    "Lookalike",
    "Measure",
    "MeasureName",
    "NearMissHit",
    "OwnLeftOut",
    "Pair",
    "PairedDifference",
    "QuestionOutcome",
    "QuestionsNeeded",
    "Report",
    "RetrieverResult",
    "RunScores",
    "SetProof",
    "Similarity",
    "Slice",
    "Table",
    "TrafficMeans",
    "UnderAttack",
    "Verdict",
    "VerifierResult",
    "at_least",
    "attack_outcomes",
    "attack_results",
    "bootstrap_interval",
    "compare",
    "compare_all",
    "context_choice",
    "curve",
    "dominance",
    "effect_size",
    "failures",
    "hit_kind",
    "holm",
    "mean_tokens",
    "never_found",
    "non_inferiority",
    "paired_differences",
    "questions_needed",
    "randomisation_p",
    "report_from_json",
    "report_to_json",
    "score_run",
    "similarity",
    "slices",
    "traffic_means",
]
