"""Whether a retriever's score tells what answers from what does not: the distributions, and their overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf
from operator import attrgetter
from typing import Self

import numpy as np
from numpy.typing import NDArray

from goldgen.evaluation.judging import Judgments
from goldgen.evaluation.ordering import OrderedRun
from goldgen.types import GOLD, JudgedQuestion, Ranking, Scores

_LARGEST = 1e300
"""Beyond it a score counts as infinite, so that bins and medians cannot overflow."""
_ORDER = attrgetter("score", "chunk_id")


@dataclass(frozen=True, slots=True)
class ScoreClass:
    """The scores of one class of hits, over all questions."""

    count: int
    bins: tuple[int, ...]
    """How many fall into each bin of ``Similarity.edges``."""
    median: float | None
    """None without hits."""


@dataclass(frozen=True, slots=True)
class HighScore:
    """A wrong hit that scores above most gold."""

    question_id: str
    chunk_id: str
    """Of a chunk, or of a near miss in the question's overlay."""
    rank: int
    """From 1, in the ranking of its question."""
    score: float
    above_gold: float
    """The share of all gold hits, over all questions, that score lower."""
    grade: float | None
    """None: unjudged, or a written near miss, which has its verdict elsewhere."""
    is_near_miss: bool


@dataclass(frozen=True, slots=True)
class Similarity:
    """What one retriever's scores say of its hits."""

    edges: tuple[float, ...]
    """Of the bins, ascending, one more than there are bins; all classes share them."""
    gold: ScoreClass
    near_miss: ScoreClass
    """Judged and not gold: written near misses, and chunks of a lower grade that is above 0."""
    other: ScoreClass
    """Irrelevant or unjudged."""
    auc_near_miss: float | None
    """How often a gold hit scores above a near miss, each drawn at random from all questions, ties half.
    0.5 is no better than chance; None if either class is empty."""
    auc_other: float | None
    auc_near_miss_within: float | None
    """The same with both drawn from one question, averaged over the questions that have both."""
    auc_other_within: float | None
    highest_wrong: tuple[HighScore, ...]
    """Wrong hits at rank 1, the highest score first; none where no gold was retrieved to compare with."""
    comparable: bool = True
    """Whether scores of different questions compare. If not, the AUCs over all questions are None, and
    there is no ``highest_wrong``: no threshold could hold for all."""


@dataclass(frozen=True, slots=True)
class NearMissHit:
    """Where a written near miss came in the search of its question with its overlay in the index."""

    question_id: str
    near_miss_id: str
    rank: int
    """From 1."""
    score: float
    """Not NaN."""


def similarity(
    questions: Sequence[JudgedQuestion],
    run: Mapping[str, Ranking],
    near_misses: Sequence[NearMissHit] = (),
    *,
    threshold: float = GOLD,
    bins: int = 40,
    highest: int = 10,
    comparable: bool = True,
) -> Similarity | None:
    """The scores of gold, near misses and others, and how far they overlap.

    Only hits count, over the whole rankings: what was not retrieved has no score. Questions without gold are
    left out, with their near misses. None if there are no hits or if the scores say no more than the ranks.
    ``comparable`` is the retriever's word on whether a score means the same for every question.

    An infinite score keeps its order in every AUC and in ``highest_wrong``; in bins and medians, and where it
    is shown, it is the highest or lowest finite one, so that every number is finite. A near miss at rank 1
    stands in ``highest_wrong`` beside the wrong chunk that comes first without it.
    Raises RetrieverError for a NaN score in the run, GoldgenError for a grade that is no finite number.
    AUC is the Mann-Whitney statistic by the number of pairs: Hanley and McNeil, Radiology 143, 1982.
    """
    hits = _Hits.of(questions, run, near_misses, threshold)
    if not len(hits.scores) or _say_only_ranks(hits.scores[: hits.in_run], hits.ranks[: hits.in_run]):
        return None
    low, high = _finite_range(hits.scores)
    finite = hits.scores.clip(low, high)
    edges = _edges(low, high, bins)
    other = ~(hits.gold | hits.near_miss)
    pooled = np.zeros_like(hits.owners)
    return Similarity(
        edges=tuple(edges.tolist()),
        gold=_score_class(finite[hits.gold], edges),
        near_miss=_score_class(finite[hits.near_miss], edges),
        other=_score_class(finite[other], edges),
        auc_near_miss=_auc(hits.scores, pooled, hits.gold, hits.near_miss) if comparable else None,
        auc_other=_auc(hits.scores, pooled, hits.gold, other) if comparable else None,
        auc_near_miss_within=_auc(hits.scores, hits.owners, hits.gold, hits.near_miss),
        auc_other_within=_auc(hits.scores, hits.owners, hits.gold, other),
        highest_wrong=_highest_wrong(hits, finite, run, highest) if comparable else (),
        comparable=comparable,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """The hits of the questions with gold, laid end to end; the near misses of their overlays behind them."""

    question_ids: tuple[str, ...]
    owners: NDArray[np.int64]
    """(hits,): the place of the question of each."""
    scores: Scores
    """(hits,)."""
    ranks: NDArray[np.int64]
    """(hits,)."""
    grades: NDArray[np.float64]
    """(hits,): NaN for what is unjudged and for what comes from an overlay."""
    gold: NDArray[np.bool_]
    """(hits,)."""
    near_miss: NDArray[np.bool_]
    """(hits,): mined or written."""
    written: tuple[NearMissHit, ...]
    """Those behind the run."""

    @property
    def in_run(self) -> int:
        """How many are of the run."""
        return len(self.scores) - len(self.written)

    @classmethod
    def of(
        cls,
        questions: Sequence[JudgedQuestion],
        run: Mapping[str, Ranking],
        near_misses: Sequence[NearMissHit],
        threshold: float,
    ) -> Self:
        judgments = Judgments.of(questions)
        have_gold = judgments.have_relevant(len(questions), threshold)
        judgments = judgments.only(have_gold)
        scored = list(compress(questions, have_gold.tolist()))
        ids = tuple(question.question_id for question in scored)
        ordered = OrderedRun.of(
            ids, [run.get(question_id, ()) for question_id in ids], [question.grades for question in scored]
        )
        starts = ordered.lengths.cumsum() - ordered.lengths
        owners = np.repeat(np.arange(len(scored)), ordered.lengths)
        found = ordered.ranks < inf
        places = starts[judgments.owners[found]] + ordered.ranks[found].astype(np.int64) - 1
        grades = np.full(len(owners), np.nan)
        grades[places] = judgments.grades[found]
        place_of = {question_id: place for place, question_id in enumerate(ids)}
        written = tuple(hit for hit in near_misses if hit.question_id in place_of)
        grades = np.append(grades, np.full(len(written), np.nan))
        gold = grades >= threshold
        near_miss = (grades > 0) & ~gold
        near_miss[len(owners) :] = True
        return cls(
            question_ids=ids,
            owners=np.append(owners, np.array([place_of[h.question_id] for h in written], dtype=np.int64)),
            scores=np.append(ordered.scores, np.array([hit.score for hit in written], dtype=np.float64)),
            ranks=np.append(
                np.arange(1, len(owners) + 1) - starts[owners],
                np.array([hit.rank for hit in written], dtype=np.int64),
            ),
            grades=grades,
            gold=gold,
            near_miss=near_miss,
            written=written,
        )


def _say_only_ranks(scores: Scores, ranks: NDArray[np.int64]) -> bool:
    """Whether the scores of a run tell nothing but the ranks.

    So it is if each is 1 / n or each -n, n whole and ascending from 1 (from 0 too, in -n) down every ranking,
    with gaps where a hit fell out; and if all rankings have the same score at the same rank.
    """
    first = ranks == 1
    # Both are their own inverse.
    for turned in (np.negative, np.reciprocal):
        with np.errstate(divide="ignore", over="ignore"):  # of 0 and of what is next to it
            numbers = np.rint(turned(scores))
            exact = (turned(numbers) == scores) & np.isfinite(scores) & (numbers >= 0) & (numbers < inf)
        ascending = first[1:] | (numbers[1:] > numbers[:-1])
        if len(scores) and exact.all() and ascending.all() and (numbers[first] <= 1).all():
            return True
    if np.count_nonzero(ranks == 2) < 2:
        return False
    by_rank = np.full(ranks.max() + 1, np.nan)
    by_rank[ranks] = scores
    return bool((by_rank[ranks] == scores).all())


def _finite_range(scores: Scores) -> tuple[float, float]:
    """The lowest and the highest of the finite scores; 0 and 0 if there are none."""
    finite = scores[np.abs(scores) <= _LARGEST]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def _edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Equal bins from one to the other, with room around them if they are all but equal."""
    steps = np.linspace(0, 1, bins + 1)
    edges = low * (1 - steps) + high * steps
    if (edges[1:] > edges[:-1]).all():
        return edges
    room = max(1.0, abs(low), abs(high)) / 2
    return (low - room) * (1 - steps) + (high + room) * steps


def _score_class(scores: Scores, edges: NDArray[np.float64]) -> ScoreClass:
    counts, _ = np.histogram(scores, edges)
    median = float(np.median(scores)) if len(scores) else None
    return ScoreClass(len(scores), tuple(counts.tolist()), median)


def _auc(
    scores: Scores, groups: NDArray[np.int64], gold: NDArray[np.bool_], wrong: NDArray[np.bool_]
) -> float | None:
    """The share of the pairs of a gold and a wrong hit of one group in which the gold one scores higher.

    Ties count half. The mean over the groups that have both; None if there are none.
    """
    levels = np.unique(scores, return_inverse=True)[1]
    # Groups side by side on one scale, so that one search serves all.
    keys = groups * len(scores) + levels
    below = np.sort(keys[wrong])
    counts = np.bincount(groups[wrong], minlength=int(groups.max()) + 1)
    lower = np.searchsorted(below, keys[gold], side="left")
    not_higher = np.searchsorted(below, keys[gold], side="right")
    others = (counts.cumsum() - counts)[groups[gold]]
    won = np.bincount(groups[gold], (lower + not_higher) / 2 - others, minlength=len(counts))
    pairs = np.bincount(groups[gold], minlength=len(counts)) * counts
    both = pairs > 0
    return float(np.mean(won[both] / pairs[both])) if both.any() else None


def _highest_wrong(
    hits: _Hits, finite: Scores, run: Mapping[str, Ranking], highest: int
) -> tuple[HighScore, ...]:
    golds = np.sort(hits.scores[hits.gold])
    if not len(golds):
        return ()
    wrong: NDArray[np.int64] = np.flatnonzero((hits.ranks == 1) & ~hits.gold)
    # Stable: among equals the questions stand as given, and each one's chunk before its near misses.
    best_first: NDArray[np.int64] = wrong[np.argsort(-hits.scores[wrong], kind="stable")][:highest]
    above: NDArray[np.float64] = np.searchsorted(golds, hits.scores[best_first]) / len(golds)
    found: list[HighScore] = []
    for place, share in zip(map(int, best_first), map(float, above), strict=True):
        question_id = hits.question_ids[int(hits.owners[place])]
        written = hits.written[place - hits.in_run].near_miss_id if place >= hits.in_run else None
        found.append(
            HighScore(
                question_id=question_id,
                chunk_id=written or max(run[question_id], key=_ORDER).chunk_id,
                rank=1,
                score=float(finite[place]),
                above_gold=share,
                grade=None if np.isnan(hits.grades[place]) else float(hits.grades[place]),
                is_near_miss=written is not None,
            )
        )
    return tuple(found)
