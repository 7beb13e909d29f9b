"""Score a run: the value of every measure for every question, and what was counted on the way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import EmptyResultError, GoldgenError, SettingsError
from goldgen.evaluate.measures import DEFAULT_MEASURES, JudgedRankings, Measure
from goldgen.evaluate.ordering import in_order
from goldgen.types import GOLD, JudgedQuestion, Ranking


@dataclass(frozen=True, slots=True, eq=False)
class RunScores:
    """One run, scored. Every number in ``values`` is finite and within [0, 1]."""

    measures: tuple[Measure, ...]
    question_ids: tuple[str, ...]
    """The questions with gold, in the order given."""
    clusters: tuple[str, ...]
    """The cluster of each question."""
    values: NDArray[np.float64]
    """Shape (questions, measures)."""
    threshold: float
    """The grade from which a chunk is relevant for the binary measures."""
    excluded: int
    """Questions with no gold: in no mean."""
    missing: int
    """Questions with gold for which the run has nothing: 0 in every mean."""
    duplicates: int
    """Hits dropped because their chunk stood at a better rank already."""
    tied_share: float
    """Of the hits down to the deepest cutoff, the share whose score another hit of the question has."""
    ceilings: Mapping[Measure, float]
    """For each P@k the best mean that this set allows."""

    def of(self, measure: Measure) -> NDArray[np.float64]:
        """The values of one measure, shape (questions,). Raises SettingsError if it was not scored."""
        if measure not in self.measures:
            scored = ", ".join(map(str, self.measures))
            raise SettingsError(f"{measure} was not scored; choose one of {scored}, or score the run again")
        return self.values[:, self.measures.index(measure)]

    def mean(self, measure: Measure) -> float:
        """The mean over the questions with gold."""
        return float(self.of(measure).mean())


def score_run(
    questions: Sequence[JudgedQuestion],
    run: Mapping[str, Ranking],
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    *,
    threshold: float = GOLD,
) -> RunScores:
    """Score the rankings of a run (question id to ranking) against the golden set.

    ``threshold`` is the grade from which a chunk is gold: 3 on a graded set, 1 on an imported binary one.
    Rankings of other questions are ignored. Raises EmptyResultError if no question has gold,
    RetrieverError for a NaN score, SettingsError for no measures or a threshold that is not positive.
    """
    if not measures:
        raise SettingsError("no measures to score; name at least one, such as nDCG@10")
    if not threshold > 0:
        raise SettingsError(
            f"the relevance threshold is {threshold}; it must be above 0, for 0 is irrelevant"
        )
    scored = [question for question in questions if _has_gold(question, threshold)]
    if not scored:
        raise EmptyResultError(
            f"nothing to score: none of the {len(questions)} questions has a chunk with grade {threshold:g} "
            "or more; run goldgen verify first, or lower the threshold"
        )
    depth = max(measure.k for measure in measures)
    given = [run.get(question.question_id, ()) for question in scored]
    ordered = [in_order(q.question_id, ranking) for q, ranking in zip(scored, given, strict=True)]
    judged = _judged_rankings(scored, ordered, depth, threshold)
    return RunScores(
        measures=tuple(measures),
        question_ids=tuple(question.question_id for question in scored),
        clusters=tuple(question.cluster for question in scored),
        values=np.stack([judged.values(measure) for measure in measures], axis=1),
        threshold=threshold,
        excluded=len(questions) - len(scored),
        missing=sum(not ranking for ranking in given),
        duplicates=sum(map(len, given)) - sum(map(len, ordered)),
        tied_share=_tied_share(ordered, depth),
        ceilings={m: judged.precision_ceiling(m.k) for m in measures if m.name == "P"},
    )


def _has_gold(question: JudgedQuestion, threshold: float) -> bool:
    undefined = next((chunk_id for chunk_id, grade in question.grades.items() if not isfinite(grade)), None)
    if undefined is not None:
        raise GoldgenError(
            f"question {question.question_id!r}: chunk {undefined!r} has a grade that is no finite number; "
            "correct the judgments"
        )
    return any(grade >= threshold for grade in question.grades.values())


def _judged_rankings(
    questions: Sequence[JudgedQuestion], ordered: Sequence[Ranking], depth: int, threshold: float
) -> JudgedRankings:
    longest = max(
        *(len(ranking[:depth]) for ranking in ordered), *(len(question.grades) for question in questions), 1
    )
    shape = (len(questions), min(depth, longest))
    grades = np.zeros(shape)
    judged = np.zeros(shape, dtype=np.bool_)
    ideal_gains = np.zeros(shape)
    for row, (question, ranking) in enumerate(zip(questions, ordered, strict=True)):
        for column, hit in enumerate(ranking[:depth]):
            if hit.chunk_id in question.grades:
                judged[row, column] = True
                grades[row, column] = question.grades[hit.chunk_id]
        best = sorted(question.grades.values(), reverse=True)[: shape[1]]
        ideal_gains[row, : len(best)] = best
    return JudgedRankings(
        gains=np.maximum(grades, 0),
        relevant=grades >= threshold,
        judged=judged,
        retrieved=np.array([len(ranking) for ranking in ordered]),
        ideal_gains=np.maximum(ideal_gains, 0),
        relevant_total=np.array([sum(g >= threshold for g in q.grades.values()) for q in questions]),
    )


def _tied_share(ordered: Sequence[Ranking], depth: int) -> float:
    """A tie across the cutoff counts, for it decides who is in."""
    tied = total = 0
    for ranking in ordered:
        holders = Counter(hit.score for hit in ranking)
        tied += sum(holders[hit.score] > 1 for hit in ranking[:depth])
        total += len(ranking[:depth])
    return tied / total if total else 0.0
