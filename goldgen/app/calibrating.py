"""The thresholds of a judge with scores, from the scores of drafts, controls and human golds."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from goldgen.app.reporting import Reporter
from goldgen.errors import EmptyResultError
from goldgen.types import Chunk, Control, Judgment, Question
from goldgen.verify import (
    SPECIFICITY,
    AnswerScorer,
    Calibration,
    Passage,
    ScoredPairs,
    ThresholdRow,
    best_precision,
    calibrate,
    calibrate_for_precision,
    evidence_problem,
    judged_passages,
    trade_off,
)


@dataclass(frozen=True, slots=True)
class ScoredDraft:
    score: float
    sound: bool
    """The best window bears the generator's evidence out, so that only the threshold decides. Controls made
    from other drafts, which are rejected anyway, would say nothing about those that it lets through."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Thresholds, and what others would do."""

    calibration: Calibration
    rows: tuple[ThresholdRow, ...]


async def score_drafts(
    scorer: AnswerScorer, questions: Sequence[Question], chunks: Sequence[Chunk], reporter: Reporter
) -> dict[str, ScoredDraft]:
    """What the scorer gives each draft, by question id, whose chunks are there."""
    by_id = {chunk.id: chunk for chunk in chunks}
    scored: dict[str, ScoredDraft] = {}
    with reporter.phase("scoring the drafts", len(questions)) as done:
        for question in questions:
            for passage in judged_passages(question, by_id)[:1]:
                best = scorer.best_window(question.text, passage)
                if best is not None:
                    is_sound = not evidence_problem(question, passage, best)
                    scored[question.id] = ScoredDraft(best.score, is_sound)
            done(1)
            await asyncio.sleep(0)  # lets Ctrl-C through
    return scored


async def calibrated(
    scorer: AnswerScorer,
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    drafts: Mapping[str, ScoredDraft],
    controls: Sequence[Control],
    human_golds: Sequence[Judgment],
    precision: float | None,
    reporter: Reporter,
) -> Calibrated:
    """Thresholds for the specificity that proof asks for or, if it is given, for a wanted precision.

    Raises EmptyResultError, before anything is judged, if no threshold reaches that precision.
    """
    texts = {question.id: question.text for question in questions}
    scored: list[Control] = []
    with reporter.phase("calibrating the verifier", len(controls)) as done:
        for control in controls:
            best = scorer.best_window(texts[control.question_id], Passage.of_overlay(control))
            scored.append(replace(control, score=best.score if best else None))
            done(1)
            await asyncio.sleep(0)
    golds = _gold_scores(scorer, questions, chunks, drafts, human_golds)
    passing = [draft.score if draft.sound else -inf for draft in drafts.values()]
    pairs = ScoredPairs(scored, passing, golds)
    if precision is None:
        calibration = calibrate(scored, [draft.score for draft in drafts.values()], SPECIFICITY)
    else:
        calibration = calibrate_for_precision(pairs, precision)
        if calibration is None:
            raise EmptyResultError(_out_of_reach(pairs, precision))
    return Calibrated(calibration, trade_off(pairs, calibration.threshold))


def _gold_scores(
    scorer: AnswerScorer,
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    drafts: Mapping[str, ScoredDraft],
    human_golds: Sequence[Judgment],
) -> list[float]:
    """The scores of the pairs that people vouched for, of those whose text is there."""
    by_id = {chunk.id: chunk for chunk in chunks}
    asked = {question.id: question for question in questions}
    scores: list[float] = []
    for judgment in human_golds:
        question = asked.get(judgment.question_id)
        if question is None:
            continue
        own = judged_passages(question, by_id)[:1]
        if own and own[0].id == judgment.target_id:
            draft = drafts.get(question.id)
            scores.append(draft.score if draft and draft.sound else -inf)
        elif (chunk := by_id.get(judgment.target_id)) is not None:
            best = scorer.best_window(question.text, Passage.of_chunk(chunk))
            scores.append(best.score if best else -inf)
    return scores


def _out_of_reach(pairs: ScoredPairs, precision: float) -> str:
    best = best_precision(pairs)
    if best is None or best.precision_at_least >= precision:
        return (
            f"a precision of {precision:g} cannot be aimed at: the controls are too few, or of too few "
            "documents, to choose a threshold by; nothing was judged. Draft more questions, or verify "
            "without --target-precision"
        )
    return (
        f"no threshold reaches a precision of at least {precision:g}, by the 95% bound: the best is "
        f"{best.precision_at_least:.3f} (estimate {best.precision:.3f}) at {best.threshold:.3f}, which keeps "
        f"{best.kept} of {len(pairs.drafts)} drafts; nothing was judged. Draft more questions, which gives "
        "more controls, give a lower --target-precision, or name a stronger --verifier-model"
    )
