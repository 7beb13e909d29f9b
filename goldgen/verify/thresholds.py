"""Thresholds for a wanted precision, and what each threshold costs, for a judge with scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from goldgen.types import Control
from goldgen.verify.calibration import (
    FEWEST,
    FEWEST_LEFT,
    SPECIFICITY,
    UNREACHABLE,
    Calibration,
    ascending_scores,
    calibrate,
    hard_scored,
    just_above,
    scored_kinds,
)
from goldgen.verify.estimates import prevalence, wilson
from goldgen.verify.proof import FEWEST_HUMAN_GOLDS

_ROWS = 6

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The scores that thresholds are chosen by. A pair that code turns down has minus infinity."""

    controls: Sequence[Control]
    drafts: Sequence[float]
    human_golds: Sequence[float] = field(default=())
    """Of pairs that a human called gold before any verifier had a word on them."""


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """What one threshold would do."""

    threshold: float
    kept: int
    """Drafts that it accepts."""
    specificity: float
    """On the worst hard kind of the calibration's controls."""
    precision: float
    """Estimated share of the accepted drafts that answer."""
    precision_at_least: float
    """The same by the lower bound of the specificity's 95% interval (Wilson)."""
    recall: float | None
    """Share accepted of the human golds; None without any."""


def trade_off(pairs: ScoredPairs, chosen: float) -> tuple[ThresholdRow, ...]:
    """A few thresholds, ascending, with ``chosen`` among them; none where the controls are too few.

    They lie evenly over the drafts that the lowest of them keeps; it rejects half of the worst hard kind.
    """
    curve = _Curve.of(pairs, FEWEST)
    if curve is None or not curve.drafts.size:
        return ()
    candidates = curve.drafts[curve.specificity(curve.drafts) >= 0.5]
    if not candidates.size:
        return curve.rows(np.array([chosen]))
    places = np.linspace(0, candidates.size - 1, _ROWS - 1).astype(int)
    return curve.rows(np.unique([*candidates[places], chosen]))


def calibrate_for_precision(pairs: ScoredPairs, precision: float) -> Calibration | None:
    """The lowest threshold whose precision is at least ``precision``; None if none reaches it.

    By the 95% bound: a threshold above all of a few controls has an estimate of 1 and may be far from it. As
    in ``calibrate``, the threshold for the pairs of a document comes of the controls of all others.
    """
    scored = hard_scored(pairs.controls)
    threshold = _lowest(pairs, precision, FEWEST)
    if threshold is None:
        return None
    by_document = {
        document: _without(document, scored, pairs, precision)
        for document in sorted({control.document_id for control in scored})
    }
    if all(found == UNREACHABLE for found in by_document.values()):
        return None
    usual = calibrate(pairs.controls, pairs.drafts, SPECIFICITY)
    return replace(
        usual,
        threshold=threshold,
        strict_threshold=max(threshold, usual.strict_threshold),
        kept=sum(score >= threshold for score in pairs.drafts) / len(pairs.drafts),
        by_document=by_document,
        target_precision=precision,
    )


def best_precision(pairs: ScoredPairs) -> ThresholdRow | None:
    """The row of the highest precision by the 95% bound, the lowest threshold of equals.

    None without enough controls, or if code turns all drafts down.
    """
    curve = _Curve.of(pairs, FEWEST)
    if curve is None or not curve.drafts.size:
        return None
    return max(curve.rows(np.unique(curve.drafts)), key=lambda row: (row.precision_at_least, -row.threshold))


def _without(document: str, scored: Sequence[Control], pairs: ScoredPairs, precision: float) -> float:
    """The threshold without the controls of a document; beyond reach, where those left do not give one."""
    others = [control for control in scored if control.document_id != document]
    found = _lowest(replace(pairs, controls=others), precision, FEWEST_LEFT)
    return UNREACHABLE if found is None else found


def _lowest(pairs: ScoredPairs, precision: float, fewest: int) -> float | None:
    curve = _Curve.of(pairs, fewest)
    if curve is None:
        return None
    candidates = np.unique(curve.drafts)
    reached = candidates[curve.precision(candidates, curve.least_specificity) >= precision]
    return float(reached[0]) if reached.size else None


@dataclass(frozen=True, slots=True)
class _Curve:
    """Scores in ascending order, and what follows from them at any thresholds, shape (thresholds,)."""

    kinds: tuple[_Floats, ...]
    """Of the controls of each hard kind."""
    drafts: _Floats
    """Of those that code lets through."""
    judged: int
    golds: _Floats
    usual: float
    """The threshold that rejects the share of controls which proof asks for."""

    @classmethod
    def of(cls, pairs: ScoredPairs, fewest: int) -> "_Curve | None":
        """None if the controls of the hard kinds are fewer than ``fewest``."""
        scored = hard_scored(pairs.controls)
        kinds = scored_kinds(scored, fewest)
        if not kinds or not pairs.drafts:
            return None
        drafts = np.sort(np.array(pairs.drafts, dtype=np.float64))
        ascending = tuple(ascending_scores(scored, kind) for kind in kinds)
        golds = np.sort(np.array(pairs.human_golds, dtype=np.float64))
        usual = max(just_above(scores, SPECIFICITY) for scores in ascending)
        return cls(ascending, drafts[np.isfinite(drafts)], drafts.size, golds, usual)

    def specificity(self, thresholds: _Floats) -> _Floats:
        return np.min([1 - _share_from(scores, thresholds) for scores in self.kinds], axis=0)

    def least_specificity(self, thresholds: _Floats) -> _Floats:
        """The lower bound of its 95% interval (Wilson), on the kind where that is lowest."""
        return np.min([_least_rejected(scores, thresholds) for scores in self.kinds], axis=0)

    def precision(self, thresholds: _Floats, specificity: Callable[[_Floats], _Floats]) -> _Floats:
        """One minus the expected share of wrong golds at that specificity, see ``expected_wrong_share``.

        The share of drafts that answer is never taken for higher than the usual threshold says. A
        threshold that accepts nearly all, drafts and controls, would seem to say that nearly all answer.
        """
        accepted = self._accepted(thresholds)
        usual = np.array([self.usual])
        answering = np.minimum(
            self._prevalence(thresholds, specificity(thresholds)), self._prevalence(usual, specificity(usual))
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = (1 - specificity(thresholds)) * (1 - answering) / accepted
        return np.where(accepted > 0, 1 - np.minimum(wrong, 1), 0.0)

    def recall(self, thresholds: _Floats) -> _Floats:
        return _share_from(self.golds, thresholds)

    def rows(self, thresholds: _Floats) -> tuple[ThresholdRow, ...]:
        recall = self.recall(thresholds) if self.golds.size else None
        columns = zip(
            thresholds,
            self._accepted(thresholds),
            self.specificity(thresholds),
            self.precision(thresholds, self.specificity),
            self.precision(thresholds, self.least_specificity),
            strict=True,
        )
        return tuple(
            ThresholdRow(
                float(threshold),
                round(float(accepted) * self.judged),
                float(specificity),
                float(precision),
                float(least),
                None if recall is None else float(recall[place]),
            )
            for place, (threshold, accepted, specificity, precision, least) in enumerate(columns)
        )

    def _accepted(self, thresholds: _Floats) -> _Floats:
        """Share of all drafts, those that code turns down among them."""
        return _share_from(self.drafts, thresholds) * self.drafts.size / self.judged

    def _prevalence(self, thresholds: _Floats, specificity: _Floats) -> _Floats:
        """As in the proof, a sensitivity of a few golds, or one below the acceptance, is taken for 1."""
        accepted, recall = self._accepted(thresholds), self.recall(thresholds)
        enough = self.golds.size >= FEWEST_HUMAN_GOLDS
        sensitivity = np.where(enough & (recall >= accepted), recall, 1.0)
        columns = zip(specificity, accepted, sensitivity, strict=True)
        return np.array([prevalence(float(a), float(b), float(c)) for a, b, c in columns])


def _least_rejected(ascending: _Floats, thresholds: _Floats) -> _Floats:
    rejected = np.searchsorted(ascending, thresholds, side="left")
    return np.array([wilson(int(count), ascending.size).low for count in rejected])


def _share_from(ascending: _Floats, thresholds: _Floats) -> _Floats:
    """Share of the scores that reach each threshold; none of none."""
    if not ascending.size:
        return np.zeros_like(thresholds)
    return 1 - np.searchsorted(ascending, thresholds, side="left") / ascending.size
