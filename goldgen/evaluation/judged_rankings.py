"""What the measures are: formulas over the ranks of judged chunks.

The conventions are those of trec_eval: unjudged is not relevant, P divides by k, AP by R (the number
of relevant chunks), nDCG takes the grade itself as its gain and cuts its ideal ranking at k.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from goldgen.evaluation.measures import Measure


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRankings:
    """Each judged chunk of each question, by question and then by rank.

    What is unjudged stands in no measure but as the places that it takes, so it is not here.
    """

    owners: NDArray[np.int64]
    """(judged,): the question of each chunk, ascending."""
    ranks: NDArray[np.float64]
    """(judged,): from 1, ascending within a question; infinite for what was not retrieved."""
    grades: NDArray[np.float64]
    """(judged,)."""
    retrieved: NDArray[np.int64]
    """(questions,): the length of the ranking."""
    complete_at: NDArray[np.float64]
    """(questions,): the rank at which a first evidence set is whole; infinite if none ever is."""
    threshold: float
    """The grade from which a chunk is relevant. Each question has one such chunk at least."""

    def values(self, measure: Measure) -> NDArray[np.float64]:
        """The measure for each question, shape (questions,), within [0, 1]."""
        k = inf if measure.k is None else measure.k
        match measure.name:
            case "P":
                return self._hits(k) / k
            case "R":
                return self._hits(k) / self.relevant_total
            case "RR":
                first = self.first_relevant
                return np.where(first <= k, 1 / first, 0.0)
            case "AP":
                return self._summed_precision(k) / self.relevant_total
            case "AP_min":
                return self._summed_precision(k) / np.minimum(self.relevant_total, k)
            case "nDCG":
                return self._ndcg(np.maximum(self.grades, 0), k)
            case "nDCG_exp":
                return self._ndcg(self._exponential_gains(), k)
            case "Success":
                return (self.first_relevant <= k).astype(np.float64)
            case "AllGold":
                return (self.complete_at <= k).astype(np.float64)
            case "Judged":
                return self._count(self.ranks <= k) / np.clip(self.retrieved, 1, k)
            case "bpref":
                return self._bpref()

    def condensed(self) -> "JudgedRankings":
        """The same without what is unjudged: each rank becomes its place among the judged.

        Source: Sakai, Alternatives to Bpref, SIGIR 2007.
        """
        found = self.ranks < inf
        complete_at = self._count(self.ranks <= self.complete_at[self.owners]).astype(np.float64)
        return replace(
            self,
            ranks=np.where(found, self._running_count(found), inf),
            retrieved=self._count(found),
            complete_at=np.where(self.complete_at < inf, complete_at, inf),
        )

    @property
    def relevant_total(self) -> NDArray[np.int64]:
        """(questions,): R, at least 1."""
        return self._count(self._relevant)

    @property
    def first_relevant(self) -> NDArray[np.float64]:
        """(questions,): the rank of the first relevant chunk; infinite if none was retrieved."""
        first = np.full(len(self.retrieved), inf)
        np.minimum.at(first, self.owners[self._relevant], self.ranks[self._relevant])
        return first

    def precision_ceiling(self, k: int) -> float:
        """The mean over the questions of min(R, k) / k: the best that P@k can be on this set."""
        return float(np.mean(np.minimum(self.relevant_total, k) / k))

    @property
    def _relevant(self) -> NDArray[np.bool_]:
        return self.grades >= self.threshold

    def _count(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(questions,): how many of each question's judged chunks."""
        return np.bincount(self.owners[which], minlength=len(self.retrieved)).astype(np.int64)

    def _sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(questions,): the sum over each question's judged chunks."""
        return np.bincount(self.owners, values, minlength=len(self.retrieved)).astype(np.float64)

    def _running_count(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(judged,): how many of the question's, from its best rank down to each chunk."""
        counts = self._count(which)
        return which.cumsum() - (counts.cumsum() - counts)[self.owners]

    def _hits(self, k: float) -> NDArray[np.int64]:
        return self._count(self._relevant & (self.ranks <= k))

    def _summed_precision(self, k: float) -> NDArray[np.float64]:
        """The precisions at the ranks of the relevant, summed."""
        hits = self._relevant & (self.ranks <= k)
        return self._sum(hits * self._running_count(hits) / self.ranks)

    def _exponential_gains(self) -> NDArray[np.float64]:
        """2^grade - 1 in units of 2^(the question's best), so that no grade is too large."""
        best = np.zeros(len(self.retrieved))
        np.maximum.at(best, self.owners, self.grades)
        units = best[self.owners]
        return 2 ** (np.maximum(self.grades, 0) - units) - 2**-units

    def _ndcg(self, gains: NDArray[np.float64], k: float) -> NDArray[np.float64]:
        """Gains discounted by log2(rank + 1), by those of the ideal ranking, both cut at k.

        Source: Järvelin and Kekäläinen, TOIS 2002, with the discount as trec_eval has it.
        """
        best_first = np.lexsort((-gains, self.owners))
        ideal_ranks = self._running_count(np.ones(len(gains), dtype=np.bool_))
        found = self._sum(np.where(self.ranks <= k, gains / np.log2(self.ranks + 1), 0.0))
        ideal = self._sum(np.where(ideal_ranks <= k, gains[best_first] / np.log2(ideal_ranks + 1), 0.0))
        return found / ideal

    def _bpref(self) -> NDArray[np.float64]:
        """How few of the judged nonrelevant stand above the relevant, R of them counted at most.

        A negative grade is neither. Source: Buckley and Voorhees, SIGIR 2004, in the form of trec_eval, which
        divides by min(R, nonrelevant).
        """
        nonrelevant = ~self._relevant & (self.grades >= 0)
        total = self.relevant_total
        most = np.minimum(total, np.maximum(self._count(nonrelevant), 1))
        above = np.minimum(self._running_count(nonrelevant), total[self.owners])
        hits = self._relevant & (self.ranks < inf)
        return self._sum(hits * (1 - above / most[self.owners])) / total
