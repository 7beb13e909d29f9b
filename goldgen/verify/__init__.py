"""Judging whether a chunk answers, and proving how well that is judged."""

from goldgen.verify.alike import undisputed
from goldgen.verify.calibration import SPECIFICITY, Calibration, calibrate
from goldgen.verify.chat_judge import ChatJudge
from goldgen.verify.controls import make_controls
from goldgen.verify.embedded_judge import AnswerScorer, EmbeddedJudge, evidence_problem
from goldgen.verify.estimates import Interval, Proportion
from goldgen.verify.golden import GoldenQuestion, State, as_imported, assemble
from goldgen.verify.judging import Judge, Passage, evidence_set_id, judged_passages
from goldgen.verify.pool_depth import GAP_DEPTH
from goldgen.verify.proof import (
    SPECIFICITY_FLOOR,
    HumanLabels,
    KindResult,
    StrictProof,
    VerifierProof,
    prove,
    prove_strict,
)
from goldgen.verify.signals import AnswerModel
from goldgen.verify.strict import StrictJudge
from goldgen.verify.thresholds import (
    ScoredPairs,
    ThresholdRow,
    best_precision,
    calibrate_for_precision,
    trade_off,
)
from goldgen.verify.voting import VotingJudge

__all__ = [
    "GAP_DEPTH",
    "SPECIFICITY",
    "SPECIFICITY_FLOOR",
    "AnswerModel",
    "AnswerScorer",
    "Calibration",
    "ChatJudge",
    "EmbeddedJudge",
    "GoldenQuestion",
    "HumanLabels",
    "Interval",
    "Judge",
    "KindResult",
    "Passage",
    "Proportion",
    "ScoredPairs",
    "State",
    "StrictJudge",
    "StrictProof",
    "ThresholdRow",
    "VerifierProof",
    "VotingJudge",
    "as_imported",
    "assemble",
    "best_precision",
    "calibrate",
    "calibrate_for_precision",
    "evidence_problem",
    "evidence_set_id",
    "judged_passages",
    "make_controls",
    "prove",
    "prove_strict",
    "trade_off",
    "undisputed",
]
