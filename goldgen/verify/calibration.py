"""A threshold for a judge with scores, from controls other than those that test it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goldgen.types import Control, ControlKind
from goldgen.verify.controls import HARD_KINDS

FALLBACK_THRESHOLD = 0.70
"""Rejects 0.9 of the answer-deleted controls made from xquad_en (150 questions, two-sentence windows)."""
FEWEST = 15
"""Controls of each hard kind below which a quantile says nothing and the fallback is used."""
_STRICT = 0.99


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds on the judge's score scale."""

    threshold: float
    """For a pair that the generator or a log names."""
    strict_threshold: float
    """For a pair found by search, of which few answer: specificity 0.99, or as near as the controls reach."""
    controls: int
    """How many hard controls it rests on; 0 means the fallback."""
    kept: float
    """Share of the drafts at or above the threshold; the rest is lost, rightly or not."""
    by_document: Mapping[str, float] = field(default_factory=dict[str, float])
    """For each document with controls, the threshold that the controls of all others give."""


def calibrate(controls: Sequence[Control], draft_scores: Sequence[float], specificity: float) -> Calibration:
    """The lowest threshold that rejects ``specificity`` of each hard kind of control.

    Leaving one document out at a time, every control is judged by a threshold that its own document had no
    part in, and none has to be set aside: two halves of the few dozen that a small set yields would give
    thresholds too unsteady to use.
    """
    scored = [c for c in controls if c.kind in HARD_KINDS and c.score is not None]
    threshold = _threshold(scored, specificity)
    strict = max(threshold, _threshold(scored, _STRICT))
    enough = all(sum(c.kind == kind for c in scored) >= FEWEST for kind in HARD_KINDS)
    by_document = {
        document: _threshold([c for c in scored if c.document_id != document], specificity)
        for document in sorted({c.document_id for c in scored})
    }
    kept = float(np.mean(np.array(draft_scores) >= threshold)) if draft_scores else 0.0
    return Calibration(threshold, strict, len(scored) if enough else 0, kept, by_document)


def _threshold(controls: Sequence[Control], specificity: float) -> float:
    """The highest over the hard kinds; the fallback if one of them has too few controls."""
    by_kind = [_scores(controls, kind) for kind in HARD_KINDS]
    if any(len(scores) < FEWEST for scores in by_kind):
        return FALLBACK_THRESHOLD
    return max(float(np.nextafter(np.quantile(scores, specificity), np.inf)) for scores in by_kind)


def _scores(controls: Sequence[Control], kind: ControlKind) -> NDArray[np.float64]:
    return np.array([c.score for c in controls if c.kind == kind], dtype=np.float64)
