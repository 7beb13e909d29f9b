"""Verifying: every draft judged, the judge measured by controls, near misses held to not answering."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.concurrency import as_finished
from goldgen.app.counting import CallCounts
from goldgen.app.judges import Verifier, open_verifier, save_calibration
from goldgen.app.labelling import label_log_questions
from goldgen.app.models import ModelSettings, relation
from goldgen.app.proofs import save_proof
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError
from goldgen.store import Store, open_store
from goldgen.types import GOLD, Chunk, Control, Judgment, NearMiss, Question
from goldgen.verify import (
    SPECIFICITY,
    SPECIFICITY_FLOOR,
    Calibration,
    Judge,
    Passage,
    VerifierProof,
    assemble,
    best_window,
    calibrate,
    evidence_problem,
    make_controls,
    prove,
)

_BATCH = 50
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
class _Job:
    """One pair to judge; controls lie among the real pairs, and nothing shows which is which."""

    question: Question
    passage: Passage
    is_control: bool = False


@dataclass(frozen=True, slots=True)
class _ScoredDraft:
    score: float
    sound: bool
    """The best window bears the generator's evidence out, so that only the threshold decides. Controls made
    from other drafts, which are rejected anyway, would say nothing about those that it lets through."""


async def verify(options: VerifyOptions, reporter: Reporter | None = None) -> VerifyReport:
    """Judge all drafts, near misses, controls and log queries of a set, and keep the judgments.

    Raises EmptyResultError if there is nothing to judge or nothing was accepted, and SettingsError if
    the verifier is the generator.
    """
    reporter = reporter or Silent()
    with open_store(options.db, create=False) as store:
        questions = store.questions.all("synthetic")
        if not questions:
            raise EmptyResultError(f"{options.db} has no questions to verify; run goldgen synth PATH first")
        async with open_verifier(options.models, options.prompts, store, reporter) as verifier:
            report = await _verify(options, store, verifier, questions, reporter)
    if not report.accepted and report.proof.verdict != "failed":
        counts = (Counter(report.rejected) + Counter(report.unjudged)).most_common()
        raise EmptyResultError(
            f"none of {report.drafts} drafts was accepted: " + "; ".join(f"{n} {why}" for why, n in counts)
        )
    return report


async def _verify(
    options: VerifyOptions,
    store: Store,
    verifier: Verifier,
    questions: Sequence[Question],
    reporter: Reporter,
) -> VerifyReport:
    chunks = store.corpus.chunks()
    embedded = verifier.scorer is not None
    per_kind = _EMBEDDED_CONTROLS if embedded else options.controls
    scored = await _score_drafts(verifier, questions, chunks, reporter)
    sound = [q for q in questions if q.id not in scored or scored[q.id].sound]
    controls = make_controls(sound, chunks, per_kind, options.seed)
    calibration = await _calibration(verifier, questions, scored, controls, reporter)
    if calibration is not None:
        save_calibration(store, verifier.name, calibration)
    near_misses = store.questions.near_misses()
    save_proof(store, verifier.name, None)
    jobs = _jobs(questions, chunks, near_misses, controls, options.seed)
    verdicts = await _judge_all(verifier.judge(calibration), jobs, verifier.concurrency, store, reporter)
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


def _jobs(
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    near_misses: Sequence[NearMiss],
    controls: Sequence[Control],
    seed: int,
) -> list[_Job]:
    """All pairs in one shuffled order. Only a draft is judged together with its generator's evidence."""
    by_id = {chunk.id: chunk for chunk in chunks}
    bare = {question.id: replace(question, answer="", quote="") for question in questions}
    of_chunk: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        of_chunk[question.chunk_id or ""].append(bare[question.id])
    jobs = [_Job(q, Passage.of_chunk(by_id[q.chunk_id])) for q in questions if q.chunk_id in by_id]
    for near_miss in near_misses:
        passage = Passage.of_overlay(near_miss)
        jobs.extend(_Job(question, passage) for question in of_chunk[near_miss.chunk_id])
    jobs.extend(_Job(bare[c.question_id], Passage.of_overlay(c), is_control=True) for c in controls)
    random.Random(seed).shuffle(jobs)
    return jobs


async def _judge_all(
    judge: Judge, jobs: Sequence[_Job], concurrency: int, store: Store, reporter: Reporter
) -> dict[tuple[str, str | None], Judgment]:
    """Verdicts by question and target; those of real pairs are kept as they come."""
    verdicts: dict[tuple[str, str | None], Judgment] = {}
    batch: list[Judgment] = []

    async def work(job: _Job) -> tuple[_Job, Judgment]:
        return job, await judge.judge(job.question, job.passage)

    with reporter.phase("judging drafts, near misses and controls", len(jobs)) as done:
        async for job, verdict in as_finished(work, jobs, 2 * concurrency):
            verdicts[verdict.question_id, verdict.target_id] = verdict
            if not job.is_control:
                batch.append(verdict)
            if len(batch) >= _BATCH:
                store.judgments.put(batch)
                batch = []
            done(1)
    store.judgments.put(batch)
    return verdicts


def _unjudged(near_miss: NearMiss, verdicts: Mapping[tuple[str, str | None], Judgment]) -> bool:
    verdict = verdicts.get((near_miss.question_id, near_miss.id))
    return verdict is None or verdict.grade is None


def _holds(near_miss: NearMiss, verdicts: Mapping[tuple[str, str | None], Judgment]) -> bool:
    """Whether a near miss was judged not to answer its question."""
    verdict = verdicts.get((near_miss.question_id, near_miss.id))
    return verdict is not None and verdict.grade is not None and verdict.grade < GOLD
