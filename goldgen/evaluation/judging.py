"""From ids to numbers: the ranks of the judged chunks of every question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import GoldgenError
from goldgen.evaluation.judged_rankings import JudgedRankings
from goldgen.evaluation.ordering import OrderedRun
from goldgen.types import JudgedQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """The grades of many questions, laid end to end."""

    grades: NDArray[np.float64]
    """(judged,)."""
    owners: NDArray[np.int64]
    """(judged,): the place of the question of each."""

    @classmethod
    def of(cls, questions: Sequence[JudgedQuestion]) -> "Judgments":
        """Raises GoldgenError for a grade that is no finite number."""
        sizes = [len(question.grades) for question in questions]
        grades = np.fromiter(
            chain.from_iterable(question.grades.values() for question in questions), np.float64, sum(sizes)
        )
        owners = np.repeat(np.arange(len(questions)), sizes)
        for place in np.flatnonzero(~np.isfinite(grades)).tolist():
            owner = int(owners[place])
            undefined = list(questions[owner].grades)[place - sum(sizes[:owner])]
            raise GoldgenError(
                f"question {questions[owner].question_id!r}: chunk {undefined!r} has a grade that is no "
                "finite number; correct the judgments"
            )
        return cls(grades, owners)

    def have_relevant(self, questions: int, threshold: float) -> NDArray[np.bool_]:
        """(questions,): whether each has a chunk of this grade or more."""
        return np.bincount(self.owners[self.grades >= threshold], minlength=questions) > 0

    def only(self, chosen: NDArray[np.bool_]) -> "Judgments":
        """Those of the questions that are ``chosen``, shape (questions,), which are numbered anew."""
        kept = chosen[self.owners]
        return Judgments(self.grades[kept], (chosen.cumsum() - 1)[self.owners[kept]])

    def in_run(
        self, questions: Sequence[JudgedQuestion], run: OrderedRun, threshold: float
    ) -> JudgedRankings:
        """Each grade at its rank. ``run`` has these questions and was asked for the ranks of their grades."""
        by_rank = np.lexsort((run.ranks, self.owners))
        return JudgedRankings(
            owners=self.owners,
            ranks=run.ranks[by_rank],
            grades=self.grades[by_rank],
            retrieved=run.lengths,
            complete_at=self._complete_at(questions, run, threshold),
            threshold=threshold,
        )

    def _complete_at(
        self, questions: Sequence[JudgedQuestion], run: OrderedRun, threshold: float
    ) -> NDArray[np.float64]:
        """The rank at which a first evidence set is whole; most questions have only sets of one."""
        relevant = self.grades >= threshold
        complete_at = np.full(len(questions), inf)
        np.minimum.at(complete_at, self.owners[relevant], run.ranks[relevant])
        start = 0
        for place, question in enumerate(questions):
            end = start + len(question.grades)
            if question.sets:
                ranks = dict(zip(question.grades, run.ranks[start:end].tolist(), strict=True))
                complete_at[place] = _first_whole_set(question, ranks, threshold)
            start = end
        return complete_at


def _first_whole_set(question: JudgedQuestion, ranks: Mapping[str, float], threshold: float) -> float:
    """Chunks of larger sets do not count alone."""
    in_sets = {chunk_id for chunk_ids in question.sets for chunk_id in chunk_ids}
    alone = [(c,) for c, grade in question.grades.items() if grade >= threshold and c not in in_sets]
    return min(max(ranks.get(c, inf) for c in chunk_ids) for chunk_ids in (*question.sets, *alone))
