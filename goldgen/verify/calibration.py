"""A threshold for a judge with scores, from controls other than those that test it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from goldgen.types import Control, ControlKind
from goldgen.verify.controls import HARD_KINDS

FALLBACK_THRESHOLD = 0.75
"""Rejects 0.86 to 0.93 of the texts without their answer on four collections not trained on."""
FEWEST = 15
"""Controls of each hard kind below which a quantile says nothing and the fallback is used."""
FEWEST_LEFT = 8
"""The same once a document is left out."""
UNREACHABLE = 2.0
"""Above every score: without controls, nothing that only a search proposed is accepted."""
SPECIFICITY = 0.9
STRICT_SPECIFICITY = 0.99
"""What a judge must show before it may add golds among candidates, of which few answer."""


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
    target_precision: float | None = None
    """What the threshold was chosen for; None for the specificity that proof asks for."""


def calibrate(controls: Sequence[Control], draft_scores: Sequence[float], specificity: float) -> Calibration:
    """The lowest threshold that rejects ``specificity`` of each hard kind of control.

    Leaving one document out at a time, every control is judged by a threshold that its own document had no
    part in, and none has to be set aside: two halves of the few dozen that a small set yields would give
    thresholds too unsteady to use.
    """
    scored = hard_scored(controls)
    if not scored_kinds(scored, FEWEST):
        kept = _share_from(FALLBACK_THRESHOLD, draft_scores)
        return Calibration(FALLBACK_THRESHOLD, UNREACHABLE, 0, kept)
    threshold = _threshold(scored, specificity)
    by_document = {
        document: _threshold([c for c in scored if c.document_id != document], specificity)
        for document in sorted({c.document_id for c in scored})
    }
    return Calibration(
        threshold=threshold,
        strict_threshold=max(threshold, _threshold(scored, STRICT_SPECIFICITY)),
        controls=len(scored),
        kept=_share_from(threshold, draft_scores),
        by_document=by_document,
    )


def hard_scored(controls: Sequence[Control]) -> list[Control]:
    """The hard controls that have a score."""
    return [c for c in controls if c.kind in HARD_KINDS and c.score is not None]


def scored_kinds(controls: Sequence[Control], fewest: int) -> list[ControlKind]:
    """The hard kinds to rest on; none unless deleted answers, which every corpus has, are enough.

    A table of chunks without documents has no other chunk of the same document.
    """
    counts = Counter(control.kind for control in controls)
    enough: list[ControlKind] = [kind for kind in HARD_KINDS if counts[kind] >= fewest]
    return enough if "answer_deleted" in enough else []


def _threshold(controls: Sequence[Control], specificity: float) -> float:
    """The highest over the hard kinds; the fallback where leaving a document out leaves too few."""
    kinds = scored_kinds(controls, FEWEST_LEFT)
    if not kinds:
        return FALLBACK_THRESHOLD
    return max(just_above(ascending_scores(controls, kind), specificity) for kind in kinds)


def ascending_scores(controls: Sequence[Control], kind: ControlKind) -> NDArray[np.float64]:
    """The scores of the controls of one kind, shape (controls of the kind,)."""
    return np.sort(np.array([c.score for c in controls if c.kind == kind], dtype=np.float64))


def just_above(ascending: NDArray[np.float64], share: float) -> float:
    """Just above the score that at least ``share`` of the controls do not exceed.

    No interpolation: between two scores it would reject less than the share.
    """
    rank = max(1, ceil(len(ascending) * share - 1e-9))
    return float(np.nextafter(ascending[rank - 1], np.inf))


def _share_from(threshold: float, scores: Sequence[float]) -> float:
    return sum(score >= threshold for score in scores) / len(scores) if scores else 0.0
