"""Verifying: every draft judged, the judge measured by controls, near misses held to not answering."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.counting import CallCounts
from goldgen.app.judges import Verifier, open_verifier, planned_verifier, save_calibration
from goldgen.app.labelling import label_log_questions, plan_labels
from goldgen.app.models import ModelSettings, relation, verifier_endpoint
from goldgen.app.pairs import Verdicts, judge_all, shuffled_pairs
from goldgen.app.planning import CallPlan, scratch_copy
from goldgen.app.proofs import save_proof
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError
from goldgen.store import Store, open_store
from goldgen.types import GOLD, Chunk, Control, NearMiss, Question
from goldgen.verify import (
    SPECIFICITY,
    SPECIFICITY_FLOOR,
    Calibration,
    Passage,
    VerifierProof,
    assemble,
    best_window,
    calibrate,
    evidence_problem,
    make_controls,
    prove,
)

_EMBEDDED_CONTROLS = 200
"""Of each hard kind: the embedded judge costs nothing."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    db: Path
    controls: int = 40
    """Of each hard kind, for a chat model as verifier."""
    floor: float = SPECIFICITY_FLOOR
    seed: int = 0
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What a run of verify found."""

    verifier: str
    relation: str
    """To the generator: "other", "same family" or "same model"."""
    drafts: int
    accepted: int
    rejected: Mapping[str, int]
    """Drafts judged and not accepted, by reason."""
    unjudged: Mapping[str, int]
    """Drafts without a verdict, by cause; the next run tries them again."""
    questions: int
    """Verified questions of the set, after merging those that are worded alike."""
    merged: int
    """Questions merged into these."""
    near_misses: int
    near_misses_kept: int
    near_misses_unjudged: int
    log_pairs: int
    log_pairs_unjudged: Mapping[str, int]
    proof: VerifierProof
    calibration: Calibration | None
    """Of the embedded judge; None for a chat model."""
    calls: CallCounts


@dataclass(frozen=True, slots=True)
class _ScoredDraft:
    score: float
    sound: bool
    """The best window bears the generator's evidence out, so that only the threshold decides. Controls made
    from other drafts, which are rejected anyway, would say nothing about those that it lets through."""


async def verify(options: VerifyOptions, reporter: Reporter | None = None) -> VerifyReport:
    """Judge all drafts, near misses, controls and log queries of a set, and keep the judgments.

    Raises EmptyResultError if there is nothing to judge or nothing was accepted, SettingsError if the
    verifier is the generator, and BudgetError, with the judgments made so far kept, if the run may spend
    no more.
    """
    reporter = reporter or Silent()
    with open_store(options.db, create=False) as store:
        questions = _drafts(options, store)
        async with open_verifier(options.models, options.prompts, store, reporter) as verifier:
            report = await _verify(options, store, verifier, questions, reporter)
    if not report.accepted and report.proof.verdict != "failed":
        counts = (Counter(report.rejected) + Counter(report.unjudged)).most_common()
        raise EmptyResultError(
            f"none of {report.drafts} drafts was accepted: " + "; ".join(f"{n} {why}" for why, n in counts)
        )
    return report


async def plan_verify(options: VerifyOptions, reporter: Reporter | None = None) -> CallPlan:
    """What ``verify`` would ask of the verifier. Nothing is sent or loaded, and the set stays as it is.

    The controls of an embedded judge are those of all drafts, which is the most there can be.
    """
    reporter = reporter or Silent()
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db, create=False) as store,
    ):
        questions, chunks = _drafts(options, store), store.corpus.chunks()
        planned = planned_verifier(options.models, options.prompts, store)
        embedded = verifier_endpoint(options.models) is None
        controls = make_controls(questions, chunks, _per_kind(options, embedded), options.seed)
        pairs = shuffled_pairs(questions, chunks, store.questions.near_misses(), controls, options.seed)
        judge = planned.judge
        for pair in pairs:
            await judge.judge(pair.question, pair.passage)
        await plan_labels(store, planned)
        return planned.chat.plan()


def _drafts(options: VerifyOptions, store: Store) -> list[Question]:
    questions = store.questions.all("synthetic")
    if not questions:
        raise EmptyResultError(f"{options.db} has no questions to verify; run goldgen synth PATH first")
    return questions


def _per_kind(options: VerifyOptions, embedded: bool) -> int:
    return _EMBEDDED_CONTROLS if embedded else options.controls


async def _verify(
    options: VerifyOptions,
    store: Store,
    verifier: Verifier,
    questions: Sequence[Question],
    reporter: Reporter,
) -> VerifyReport:
    chunks = store.corpus.chunks()
    per_kind = _per_kind(options, verifier.scorer is not None)
    scored = await _score_drafts(verifier, questions, chunks, reporter)
    sound = [q for q in questions if q.id not in scored or scored[q.id].sound]
    controls = make_controls(sound, chunks, per_kind, options.seed)
    calibration = await _calibration(verifier, questions, scored, controls, reporter)
    if calibration is not None:
        save_calibration(store, verifier.name, calibration)
    near_misses = store.questions.near_misses()
    save_proof(store, verifier.name, None)
    pairs = shuffled_pairs(questions, chunks, near_misses, controls, options.seed)
    note = verifier.chat.spent if verifier.chat else None
    judge = verifier.judge(calibration)
    verdicts = await judge_all(judge, pairs, verifier.concurrency, store, reporter, note)
    judged = tuple(
        replace(control, grade=verdict.grade, score=verdict.score, reason=verdict.reason)
        for control in controls
        if (verdict := verdicts[control.question_id, control.id])
    )
    store.controls.put(judged)
    drafts = [verdicts[q.id, q.chunk_id] for q in questions if (q.id, q.chunk_id) in verdicts]
    accepted = sum(verdict.grade == GOLD for verdict in drafts)
    decided = sum(verdict.grade is not None for verdict in drafts)
    proof = prove(judged, accepted, decided, options.floor)
    save_proof(store, verifier.name, proof)
    labels = await label_log_questions(store, verifier, calibration, options.models, reporter)
    vanished = Counter({"its chunk is no longer in the corpus": len(questions) - len(drafts)})
    golden = assemble(questions, store.judgments.effective(), chunks)
    return VerifyReport(
        verifier=verifier.name,
        relation=relation(frozenset(q.model for q in questions), verifier.name),
        drafts=len(questions),
        accepted=accepted,
        rejected=dict(Counter(v.reason or "does not answer" for v in drafts if v.grade in range(GOLD))),
        unjudged=dict(Counter(v.reason for v in drafts if v.grade is None) + vanished),
        questions=sum(item.state == "golden" for item in golden),
        merged=sum(len(item.merged) for item in golden if item.state == "golden"),
        near_misses=len(near_misses),
        near_misses_kept=sum(_holds(near_miss, verdicts) for near_miss in near_misses),
        near_misses_unjudged=sum(_unjudged(near_miss, verdicts) for near_miss in near_misses),
        log_pairs=labels.pairs,
        log_pairs_unjudged=labels.unjudged,
        proof=proof,
        calibration=calibration,
        calls=verifier.chat.counts if verifier.chat else CallCounts(),
    )


async def _score_drafts(
    verifier: Verifier, questions: Sequence[Question], chunks: Sequence[Chunk], reporter: Reporter
) -> dict[str, _ScoredDraft]:
    """What a judge with scores gives each draft whose chunk is there; empty for one that gives verdicts."""
    scorer = verifier.scorer
    if scorer is None:
        return {}
    by_id = {chunk.id: chunk for chunk in chunks}
    scored: dict[str, _ScoredDraft] = {}
    with reporter.phase("scoring the drafts", len(questions)) as done:
        for question in questions:
            if (chunk := by_id.get(question.chunk_id or "")) is not None:
                passage = Passage.of_chunk(chunk)
                best = best_window(scorer, question.text, passage)
                if best is not None:
                    is_sound = not evidence_problem(question, passage, best)
                    scored[question.id] = _ScoredDraft(best.score, is_sound)
            done(1)
            await asyncio.sleep(0)  # lets Ctrl-C through
    return scored


async def _calibration(
    verifier: Verifier,
    questions: Sequence[Question],
    drafts: Mapping[str, _ScoredDraft],
    controls: Sequence[Control],
    reporter: Reporter,
) -> Calibration | None:
    """Thresholds for a judge with scores; None for one that gives verdicts."""
    scorer = verifier.scorer
    if scorer is None:
        return None
    text = {question.id: question.text for question in questions}
    scored: list[Control] = []
    with reporter.phase("calibrating the verifier", len(controls)) as done:
        for control in controls:
            best = best_window(scorer, text[control.question_id], Passage.of_overlay(control))
            scored.append(replace(control, score=best.score if best else None))
            done(1)
            await asyncio.sleep(0)
    return calibrate(scored, [draft.score for draft in drafts.values()], SPECIFICITY)


def _unjudged(near_miss: NearMiss, verdicts: Verdicts) -> bool:
    verdict = verdicts.get((near_miss.question_id, near_miss.id))
    return verdict is None or verdict.grade is None


def _holds(near_miss: NearMiss, verdicts: Verdicts) -> bool:
    """Whether a near miss was judged not to answer its question."""
    verdict = verdicts.get((near_miss.question_id, near_miss.id))
    return verdict is not None and verdict.grade is not None and verdict.grade < GOLD
