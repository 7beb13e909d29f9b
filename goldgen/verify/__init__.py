"""Judging whether a chunk answers, and proving how well that is judged."""

from goldgen.verify.calibration import SPECIFICITY, Calibration, calibrate
from goldgen.verify.chat_judge import ChatJudge
from goldgen.verify.controls import make_controls
from goldgen.verify.embedded_judge import EmbeddedJudge, best_window, evidence_problem
from goldgen.verify.golden import GoldenQuestion, State, assemble
from goldgen.verify.judging import Judge, Passage
from goldgen.verify.proof import SPECIFICITY_FLOOR, Interval, KindResult, VerifierProof, prove

__all__ = [
    "SPECIFICITY",
    "SPECIFICITY_FLOOR",
    "Calibration",
    "ChatJudge",
    "EmbeddedJudge",
    "GoldenQuestion",
    "Interval",
    "Judge",
    "KindResult",
    "Passage",
    "State",
    "VerifierProof",
    "assemble",
    "best_window",
    "calibrate",
    "evidence_problem",
    "make_controls",
    "prove",
]
