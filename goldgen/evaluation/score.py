"""Score a run: the value of every measure for every question, and what was counted on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation.judging import Judgments
from goldgen.evaluation.measures import DEFAULT_MEASURES, Measure
from goldgen.evaluation.ordering import OrderedRun
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
    """Of the hits down to the deepest cutoff, the share whose score another hit of the question has.

    With bpref, which has no cutoff, of all hits.
    """
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
    judgments = Judgments.of(questions)
    have_gold = judgments.have_relevant(len(questions), threshold)
    scored = [question for question, has in zip(questions, have_gold.tolist(), strict=True) if has]
    if not scored:
        raise EmptyResultError(
            f"nothing to score: none of the {len(questions)} questions has a chunk with grade {threshold:g} "
            "or more; run goldgen verify first, or lower the threshold"
        )
    ids = tuple(question.question_id for question in scored)
    given = [run.get(question_id, ()) for question_id in ids]
    ordered = OrderedRun.of(ids, given, [question.grades for question in scored])
    whole = judgments.only(have_gold).in_run(scored, ordered, threshold)
    condensed = whole.condensed()
    values = [(condensed if measure.condensed else whole).values(measure) for measure in measures]
    return RunScores(
        measures=tuple(measures),
        question_ids=ids,
        clusters=tuple(question.cluster for question in scored),
        values=np.stack(values, axis=1),
        threshold=threshold,
        excluded=len(questions) - len(scored),
        missing=sum(not ranking for ranking in given),
        duplicates=sum(map(len, given)) - len(ordered.scores),
        tied_share=ordered.tied_share(max(measure.k or inf for measure in measures)),
        ceilings={m: whole.precision_ceiling(m.k) for m in measures if m.name == "P" and m.k},
    )
