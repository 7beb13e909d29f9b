"""Verifying: every draft judged, the judge measured by controls, near misses held to not answering."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.calibrating import Calibrated, calibrated, score_drafts
from goldgen.app.counting import CallCounts
from goldgen.app.golden import MAX_GOLD, merged_duplicates
from goldgen.app.human_labels import HumanVerdicts
from goldgen.app.imported import refuse_imported
from goldgen.app.judges import Verifier, open_verifier, planned_verifier, require_votes, save_calibration
from goldgen.app.labelling import LabelOptions, LabelReport, complete_labels, plan_labels
from goldgen.app.models import ModelSettings, relation, verifier_endpoint
from goldgen.app.pairs import control_pair, graded, judge_all, shuffled_pairs
from goldgen.app.planning import CallPlan, scratch_copy
from goldgen.app.proofs import save_proof
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.review_queue import review_items, trusted
from goldgen.app.verify_report import DraftCounts, NearMissCounts, VerifyReport
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.types import GOLD, Chunk, Control, Proof, Question
from goldgen.verify import (
    SPECIFICITY_FLOOR,
    Calibration,
    StrictProof,
    VerifierProof,
    assemble,
    make_controls,
    prove,
    prove_strict,
)

__all__ = ["VerifyOptions", "VerifyReport", "plan_verify", "verify"]

_EMBEDDED_CONTROLS = 200
"""Of each hard kind: the embedded judge costs nothing."""
COMPLETION_DEPTH = 10
"""Results of each retriever that are judged for a draft, unless it is said otherwise."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    db: Path
    controls: int = 40
    """Of each hard kind, for a chat model as verifier."""
    floor: float = SPECIFICITY_FLOOR
    seed: int = 0
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)
    votes: int = 1
    """How often a chat model is asked about each pair; odd."""
    target_precision: float | None = None
    """What the embedded judge's threshold is to reach; None: the specificity that proof asks for."""
    complete: int | None = None
    """How many results of each retriever are judged for a draft, 0 for none. None: ``COMPLETION_DEPTH`` for a
    chat model, 0 for the embedded judge."""
    max_gold: int = MAX_GOLD
    """A question with more gold chunks counts as ambiguous."""
    pool_runs: tuple[Path, ...] = ()
    """Files with the rankings of other retrievers, whose first results are judged too."""


async def verify(options: VerifyOptions, reporter: Reporter | None = None) -> VerifyReport:
    """Judge all drafts, near misses, controls and candidates for labels of a set, and keep the judgments.

    Raises EmptyResultError if there is nothing to judge, nothing was accepted, or no threshold reaches
    ``target_precision``; SettingsError if the verifier is the generator or cannot do what is asked of it;
    and BudgetError, with the judgments made so far kept, if the run may spend no more.
    """
    reporter = reporter or Silent()
    _require_sense(options)
    with open_store(options.db, create=False) as store:
        questions = _drafts(options, store)
        async with open_verifier(options.models, options.prompts, store, reporter, options.votes) as verifier:
            run = _Run(options, store, verifier, questions, store.corpus.chunks(), reporter)
            report = await run.report()
    if report.drafts and not report.accepted and report.proof.verdict != "failed":
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
    _require_sense(options)
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db, create=False) as store,
    ):
        questions, chunks = _drafts(options, store), store.corpus.chunks()
        planned = planned_verifier(options.models, options.prompts, store, options.votes)
        embedded = verifier_endpoint(options.models) is None
        neighbours = HumanVerdicts.of(store).neighbours(questions, chunks)
        controls = make_controls(questions, chunks, _per_kind(options, embedded), options.seed, neighbours)
        pairs = shuffled_pairs(questions, chunks, store.questions.near_misses(), controls, options.seed)
        judge = planned.judge
        for pair in pairs:
            verdict = await judge.judge(pair.question, pair.passage)
            if pair.is_control and not embedded and verdict.grade in (None, GOLD):
                planned.may_look_again(pair.question, pair.passage)
        await plan_labels(store, planned, _label_options(options, embedded))
        return planned.chat.plan()


def _require_sense(options: VerifyOptions) -> None:
    """Raises SettingsError where options ask of the verifier what its kind cannot do."""
    embedded = verifier_endpoint(options.models) is None
    require_votes(options.votes, embedded=embedded)
    if embedded and options.complete:
        raise SettingsError(
            "label completion needs a stricter judge than the embedded verifier: among candidates, of which "
            "few answer, its mistakes would outnumber its finds. Name a --verifier-model, or leave out "
            "--complete"
        )
    if not embedded and options.target_precision is not None:
        raise SettingsError(
            "--target-precision chooses a threshold, and a chat model gives verdicts without scores; leave "
            "it out, or verify with --verifier-model embedded"
        )


def _drafts(options: VerifyOptions, store: Store) -> list[Question]:
    """Questions that name the chunk which is to answer them, written by a model or by hand."""
    refuse_imported(store)
    written = [*store.questions.all("synthetic"), *store.questions.all("manual")]
    # Those that name no chunk are no drafts: label completion looks for one.
    if not written:
        raise EmptyResultError(f"{options.db} has no questions to verify; run goldgen synth PATH first")
    return [question for question in written if question.chunk_id]


def _per_kind(options: VerifyOptions, embedded: bool) -> int:
    return _EMBEDDED_CONTROLS if embedded else options.controls


def _label_options(options: VerifyOptions, embedded: bool) -> LabelOptions:
    depth = options.complete
    if depth is None:
        depth = 0 if embedded else COMPLETION_DEPTH
    return LabelOptions(depth or COMPLETION_DEPTH, depth > 0, options.max_gold, options.pool_runs)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of verify."""

    options: VerifyOptions
    store: Store
    verifier: Verifier
    questions: Sequence[Question]
    chunks: Sequence[Chunk]
    reporter: Reporter

    async def report(self) -> VerifyReport:
        store, verifier, options = self.store, self.verifier, self.options
        controls, found = await self._controls()
        calibration = found.calibration if found else None
        if calibration is not None:
            save_calibration(store, verifier.name, calibration, verifier.asked.get("weights", ""))
        save_proof(store, verifier, None)
        near_misses = store.questions.near_misses()
        pairs = shuffled_pairs(self.questions, self.chunks, near_misses, controls, options.seed)
        judge = verifier.judge(calibration)
        verdicts = await judge_all(judge, pairs, verifier.concurrency, store, self.reporter, self._spent)
        tested = graded(controls, verdicts)
        store.controls.put(tested)
        drafts = DraftCounts.of(self.questions, self.chunks, verdicts)
        twins = NearMissCounts.of(near_misses, verdicts)
        proof = await self._proof(drafts, tested, calibration)
        save_proof(store, verifier, proof)
        labels = await self._labels(proof, calibration)
        judgments = store.judgments.effective()
        kept_for = merged_duplicates(store, self.questions, judgments, self.chunks)
        found_now = assemble(self.questions, judgments, self.chunks, kept_for=kept_for)
        golden = [item for item in found_now if item.state == "golden"]
        return VerifyReport(
            verifier=verifier.name,
            relation=relation(frozenset(q.model for q in self.questions if q.model), verifier.name),
            drafts=drafts.drafts,
            accepted=drafts.accepted,
            rejected=drafts.rejected,
            unjudged=drafts.unjudged,
            questions=len(golden),
            merged=sum(len(item.merged) for item in golden),
            near_misses=twins.near_misses,
            near_misses_kept=twins.kept,
            near_misses_unjudged=twins.unjudged,
            votes=verifier.votes,
            disputed=sum(j.is_disputed and j.judge == verifier.name for j in judgments),
            labels=labels,
            proof=proof,
            trusted=trusted(store, review_items(store)),
            calibration=calibration,
            thresholds=found.rows if found else (),
            calls=verifier.chat.counts if verifier.chat else CallCounts(),
        )

    async def _controls(self) -> tuple[tuple[Control, ...], Calibrated | None]:
        """The controls and, for a judge with scores, the thresholds that they give."""
        human = HumanVerdicts.of(self.store)
        neighbours = human.neighbours(self.questions, self.chunks)
        scorer = self.verifier.scorer
        per_kind = _per_kind(self.options, scorer is not None)
        if scorer is None:
            controls = make_controls(self.questions, self.chunks, per_kind, self.options.seed, neighbours)
            return controls, None
        scored = await score_drafts(scorer, self.questions, self.chunks, self.reporter)
        sound = [q for q in self.questions if q.id not in scored or scored[q.id].sound]
        controls = make_controls(sound, self.chunks, per_kind, self.options.seed, neighbours)
        found = await calibrated(
            scorer,
            self.questions,
            self.chunks,
            scored,
            controls,
            human.vouched,
            self.options.target_precision,
            self.reporter,
        )
        return controls, found

    async def _proof(
        self, drafts: DraftCounts, controls: Sequence[Control], calibration: Calibration | None
    ) -> VerifierProof:
        labels = HumanVerdicts.of(self.store).labels(self.store, self.verifier.name, self.questions)
        proof = prove(controls, drafts.accepted, drafts.judged, self.options.floor, labels)
        return replace(proof, strict=await self._strict(controls, calibration, proof.verdict))

    async def _strict(
        self, controls: Sequence[Control], calibration: Calibration | None, verdict: Proof
    ) -> StrictProof | None:
        """What the stricter judge shows on the controls; None for a judge that may not complete labels.

        It starts from the first judge's verdicts, so that only the controls which that one accepted go
        through it.
        """
        if self.verifier.scorer is not None:
            return None
        asked = {question.id: question for question in self.questions}
        passed = [control for control in controls if control.grade == GOLD]
        pairs = [control_pair(asked[control.question_id], control) for control in passed]
        judge = self.verifier.judge(calibration, strict=True)
        verdicts = await judge_all(
            judge, pairs, self.verifier.concurrency, self.store, self.reporter, self._spent, "judging again"
        )
        return prove_strict(controls, graded(passed, verdicts), verdict)

    async def _labels(self, proof: VerifierProof, calibration: Calibration | None) -> LabelReport:
        """Labels of log queries and, unless the verifier failed, of drafts."""
        options = _label_options(self.options, self.verifier.scorer is not None)
        if proof.verdict == "failed":
            options = replace(options, complete=False)
        return await complete_labels(
            self.store, self.verifier, calibration, self.options.models, options, proof.strict, self.reporter
        )

    def _spent(self) -> str:
        return self.verifier.chat.spent() if self.verifier.chat else ""
