"""The scores of kept runs: anew from their rankings, or as they were measured."""

from collections.abc import Sequence

import numpy as np

from goldgen.app.golden import GoldenSet
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Measure, RunScores, score_run
from goldgen.store import StoredRun
from goldgen.types import Ranking


def rankings(run: StoredRun) -> dict[str, Ranking]:
    return {result.question_id: result.ranking for result in run.questions}


def scored_anew(
    pair: tuple[StoredRun, StoredRun], golden: GoldenSet, measure: Measure
) -> tuple[RunScores, RunScores]:
    """Two runs on the present labels, over the questions that both have.

    Raises EmptyResultError if there are none.
    """
    first, second = rankings(pair[0]), rankings(pair[1])
    both = first.keys() & second.keys()
    questions = [item.judged for item in golden.golden if item.question.id in both]
    if not questions:
        raise EmptyResultError(
            f"runs {pair[0].id} and {pair[1].id} have no question in common that the set still has gold for; "
            "run goldgen eval for both"
        )
    return (
        score_run(questions, first, [measure], threshold=golden.threshold),
        score_run(questions, second, [measure], threshold=golden.threshold),
    )


def scores_as_kept(run: StoredRun, golden: GoldenSet, measure: Measure) -> RunScores:
    if str(measure) not in run.measures:
        raise SettingsError(
            f"run {run.id} was measured on labels that the set has no more, in {', '.join(run.measures)}; "
            f"choose one of these, or score {measure} on the present labels with --common"
        )
    place = run.measures.index(str(measure))
    measured = [(item.question_id, item.values[place]) for item in run.questions]
    clusters = {draft.id: draft.cluster for draft in golden.drafts}
    known = [(question_id, value) for question_id, value in measured if value is not None]
    return RunScores(
        measures=(measure,),
        question_ids=tuple(question_id for question_id, _ in known),
        clusters=tuple(clusters.get(question_id, question_id) for question_id, _ in known),
        values=np.array([[value] for _, value in known], dtype=np.float64),
        threshold=golden.threshold,
        excluded=len(measured) - len(known),
        missing=0,
        duplicates=0,
        tied_share=0.0,
        ceilings={},
    )


def hits_gone(run: StoredRun, questions: Sequence[str], golden: GoldenSet) -> tuple[int, int]:
    """Of a run's hits for these questions, those on chunks that the set has no more; and all of them."""
    present, ranked = {chunk.id for chunk in golden.chunks}, rankings(run)
    hits = [hit.chunk_id for question_id in questions for hit in ranked[question_id]]
    return sum(chunk_id not in present for chunk_id in hits), len(hits)
