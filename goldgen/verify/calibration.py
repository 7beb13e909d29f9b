"""A threshold for a judge with scores, from controls that the test does not use."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldgen.types import Control
from goldgen.verify.controls import HARD_KINDS

FALLBACK_THRESHOLD = 0.72
"""Used below FEWEST controls."""
FEWEST = 20


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds on the judge's score scale."""

    threshold: float
    """For a pair that the generator or a log names."""
    strict_threshold: float
    """For a pair found by search, of which few answer: specificity 0.99, or as near as the controls reach."""
    controls: int
    """How many hard calibration controls it rests on; 0 means the fallback."""
    kept: float
    """Share of the well-evidenced drafts at or above the threshold; the rest is lost recall."""


def calibrate(controls: Sequence[Control], draft_scores: Sequence[float], specificity: float) -> Calibration:
    """The lowest threshold that rejects ``specificity`` of every hard kind of calibration control."""
    by_kind = [
        np.array(
            [c.score for c in controls if c.split == "calibration" and c.kind == kind and c.score is not None]
        )
        for kind in HARD_KINDS
    ]
    scores = [kind for kind in by_kind if len(kind) >= FEWEST // 2]
    used = sum(len(kind) for kind in scores)
    if used < FEWEST:
        threshold = strict = FALLBACK_THRESHOLD
        used = 0
    else:
        threshold = max(_quantile(kind, specificity) for kind in scores)
        strict = max(_quantile(kind, 0.99) for kind in scores)
    kept = float(np.mean(np.array(draft_scores) >= threshold)) if draft_scores else 0.0
    return Calibration(threshold, max(strict, threshold), used, kept)


def _quantile(scores: np.ndarray, share: float) -> float:
    """Just above the score that ``share`` of the controls do not exceed."""
    return float(np.nextafter(np.quantile(scores, share, method="higher"), np.inf))
