"""AUC and false accepts at a wanted recall, with bootstrap intervals, as rows of a Markdown table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from judging_data import NEGATIVES, Kind
from numpy.typing import NDArray

from goldgen.types import Scores

REJECTED = -np.inf
"""The score of a pair that fails the evidence check."""
RECALLS = (0.85, 0.9)
_ROUNDS = 1000
_Figure = Callable[[Scores, Scores], float]
HEADER = (
    "| set | judge | n | kind | AUC | false accepts at 85% recall | at 90% | gold that passes the check "
    "| with the check: AUC | at 85% | at 90% |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Scored:
    """The judge's score of one pair, and the score after the evidence check; None where it has no check."""

    score: float
    checked: float | None = None


ScoredTrio = dict[Kind, Scored]


def auc(gold: Scores, wrong: Scores) -> float:
    """How often gold scores above wrong; ties count half."""
    ascending = np.sort(wrong)
    below = np.searchsorted(ascending, gold, "left") + np.searchsorted(ascending, gold, "right")
    return float(below.mean() / 2 / len(wrong))


def false_accepts(recall: float) -> _Figure:
    """The share of wrong that is accepted at the highest threshold that keeps ``recall`` of gold.

    NaN if none keeps it.
    """

    def share(gold: Scores, wrong: Scores) -> float:
        threshold = np.sort(gold)[::-1][ceil(recall * len(gold) - 1e-9) - 1]
        return float((wrong >= threshold).mean()) if threshold > REJECTED else np.nan

    return share


def table_rows(name: str, judge: str, trios: Sequence[ScoredTrio], seed: int = 0) -> list[str]:
    """A row for each kind of wrong text."""
    has_check = all(trio["gold"].checked is not None for trio in trios)
    gold, checked_gold = _scores(trios, "gold"), _checked(trios, "gold")
    made: list[str] = []
    for kind in NEGATIVES:
        if kind not in trios[0]:
            continue
        figures: tuple[_Figure, ...] = (auc, *map(false_accepts, RECALLS))
        plain = [_cell(figure, gold, _scores(trios, kind), seed) for figure in figures]
        passing = f"{(checked_gold > REJECTED).mean():.0%}" if has_check else "–"
        after = [_cell(f, checked_gold, _checked(trios, kind), seed) if has_check else "–" for f in figures]
        cells = [name, judge, str(len(trios)), kind, *plain, passing, *after]
        made.append(f"| {' | '.join(cells)} |")
    return made


def _scores(trios: Sequence[ScoredTrio], kind: Kind) -> Scores:
    return np.array([trio[kind].score for trio in trios], dtype=np.float64)


def _checked(trios: Sequence[ScoredTrio], kind: Kind) -> Scores:
    values = [trio[kind].checked for trio in trios]
    return np.array([REJECTED if value is None else value for value in values], dtype=np.float64)


def _cell(figure: _Figure, gold: Scores, wrong: Scores, seed: int) -> str:
    """The figure with its interval; a dash where too little of gold passes the check."""
    estimate = figure(gold, wrong)
    if np.isnan(estimate):
        return "–"
    low, high = np.nanquantile(_resampled(figure, gold, wrong, seed), (0.025, 0.975))
    if figure is auc:
        return f"{estimate:.3f} ({low:.3f}–{high:.3f})"
    return f"{estimate:.0%} ({low:.0%}–{high:.0%})"


def _resampled(figure: _Figure, gold: Scores, wrong: Scores, seed: int) -> NDArray[np.float64]:
    """The figure for questions drawn with replacement; a question's texts are drawn together."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(gold), size=(_ROUNDS, len(gold)))
    return np.array([figure(gold[questions], wrong[questions]) for questions in drawn])
