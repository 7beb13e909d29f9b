"""The order rule, applied to whatever a retriever or a run file gave."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from math import inf, isnan
from operator import attrgetter
from typing import Self

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import RetrieverError
from goldgen.types import Ranking, Scores, ranked

_CHUNK_ID = attrgetter("chunk_id")
_SCORE = attrgetter("score")


def in_order(question_id: str, ranking: Ranking) -> Ranking:
    """The hits by score descending in float64, ties by chunk id descending, each chunk at its best rank.

    trec_eval compares scores in 32 bits, so scores that differ by less than that tie there but not here.
    Raises RetrieverError for a score that is NaN.
    """
    if any(map(isnan, map(_SCORE, ranking))):
        undefined = next(hit for hit in ranking if isnan(hit.score))
        raise RetrieverError(
            f"question {question_id!r}: chunk {undefined.chunk_id!r} has the score NaN; "
            "correct the retriever or the run file"
        )
    return ranked(ranking)


@dataclass(frozen=True, slots=True, eq=False)
class OrderedRun:
    """The rankings of many questions, each in order: their scores, and the ranks of the chunks asked for."""

    scores: Scores
    """(hits,): best first, the questions laid end to end."""
    lengths: NDArray[np.int64]
    """(questions,): how many hits each has."""
    ranks: NDArray[np.float64]
    """(chunks asked for,): from 1, infinite for what was not retrieved; the questions laid end to end."""

    @classmethod
    def of(
        cls, question_ids: Sequence[str], rankings: Sequence[Ranking], asked: Sequence[Collection[str]]
    ) -> Self:
        """Put in order what is not: retrievers give the best first, so mostly there is nothing to sort.

        ``asked`` names the chunks of each question whose ranks are wanted. Raises RetrieverError for a NaN.
        """
        scores, lengths = _laid_end_to_end(rankings)
        mended = {
            place: in_order(question_ids[place], rankings[place])
            for place in _out_of_order(rankings, scores, lengths)
        }
        ranks: list[float] = []
        for place, chunk_ids in enumerate(asked):
            ranking = mended.get(place, rankings[place])
            rank_of = _ranks(ranking)
            if len(rank_of) < len(ranking):
                mended[place] = in_order(question_ids[place], ranking)
                rank_of = _ranks(mended[place])
            ranks.extend(map(rank_of.get, chunk_ids, repeat(inf)))
        if mended:
            scores, lengths = _laid_end_to_end([mended.get(n, rankings[n]) for n in range(len(rankings))])
        return cls(scores, lengths, np.array(ranks, dtype=np.float64))

    def tied_share(self, depth: float) -> float:
        """Of the hits down to ``depth``, the share whose score another hit of the question has.

        A tie across the cutoff counts, for it decides who is in. An infinite depth takes all hits.
        """
        ties = _is_followed(self.lengths)
        ties[:-1] &= self.scores[:-1] == self.scores[1:]
        tied = ties.copy()
        tied[1:] |= ties[:-1]
        within = _ranks_of_hits(self.lengths) <= depth
        return float(tied[within].mean()) if within.any() else 0.0


def _ranks(ranking: Ranking) -> dict[str, int]:
    return dict(zip(map(_CHUNK_ID, ranking), range(1, len(ranking) + 1), strict=True))


def _laid_end_to_end(rankings: Sequence[Ranking]) -> tuple[Scores, NDArray[np.int64]]:
    """The scores of all hits, and how many each question has."""
    lengths = np.fromiter(map(len, rankings), np.int64, len(rankings))
    scores = np.fromiter(map(_SCORE, chain.from_iterable(rankings)), np.float64, int(lengths.sum()))
    return scores, lengths


def _out_of_order(rankings: Sequence[Ranking], scores: Scores, lengths: NDArray[np.int64]) -> list[int]:
    """The questions with a NaN, a score above the one before, or a tie that is not by falling chunk id."""
    followed = _is_followed(lengths)[:-1]
    # A NaN is neither above nor below another, but may be the only score of its question.
    risen = np.isnan(scores)
    risen[:-1] |= followed & ~(scores[:-1] >= scores[1:])
    ends = lengths.cumsum()
    wrong: set[int] = set(np.searchsorted(ends, np.flatnonzero(risen), side="right").tolist())
    tied = np.flatnonzero(followed & (scores[:-1] == scores[1:]))
    questions: NDArray[np.int64] = np.searchsorted(ends, tied, side="right")
    columns: NDArray[np.int64] = tied - (ends - lengths)[questions]
    for question, column in zip(map(int, questions), map(int, columns), strict=True):
        ranking = rankings[question]
        if ranking[column].chunk_id < ranking[column + 1].chunk_id:
            wrong.add(question)
    return sorted(wrong)


def _is_followed(lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(hits,): whether another hit of the same question comes after."""
    followed = np.ones(int(lengths.sum()), dtype=np.bool_)
    followed[lengths.cumsum()[lengths > 0] - 1] = False
    return followed


def _ranks_of_hits(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """(hits,): the place of each in its ranking, from 1."""
    return np.arange(1, int(lengths.sum()) + 1) - np.repeat(lengths.cumsum() - lengths, lengths)
