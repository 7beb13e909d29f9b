"""Labels beyond a question's own chunk: what the pool holds, judged by the stricter verifier."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from pathlib import Path

from goldgen.app.candidates import Candidate, Candidates, find_candidates, pool_depths, questions_to_label
from goldgen.app.concurrency import as_finished
from goldgen.app.counting import dollars
from goldgen.app.golden import MAX_GOLD, ambiguous, assembled, save_max_gold
from goldgen.app.judges import PlannedVerifier, Verifier
from goldgen.app.label_figures import SourceRecall, gold_pairs, recalls, wrong_share
from goldgen.app.models import EMBEDDED_VERIFIER, ModelSettings
from goldgen.app.pooling import given_runs, pooled_retrievers
from goldgen.app.proofs import strict_proof, was_strict
from goldgen.app.proposals import doubt, proposal, withdraw_golds
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import NamedRetriever
from goldgen.app.verdicts import kept_verdicts
from goldgen.errors import BudgetError
from goldgen.retrieve import BM25Retriever
from goldgen.store import Store
from goldgen.types import GOLD, Judgment, Question
from goldgen.verify import Calibration, Interval, Passage, StrictProof
from goldgen.verify.estimates import Proportion, proportion


@dataclass(frozen=True, slots=True)
class LabelOptions:
    depth: int = 10
    """How many of each retriever's results are judged; for questions that name no chunk at least 10."""
    complete: bool = False
    """Also the golden questions that name their chunk."""
    max_gold: int = MAX_GOLD
    """A question with more gold chunks is ambiguous."""
    runs: tuple[Path, ...] = ()
    """Files with runs of other retrievers, whose first results are judged too."""


@dataclass(frozen=True, slots=True)
class LabelReport:
    """What a labelling run found. ``proposed`` pairs = ``pairs`` + ``shared``."""

    questions: int = 0
    """Whose pool was judged."""
    proposed: int = 0
    """Pairs in their pools, those of their own chunks left out."""
    shared: int = 0
    """Pairs labelled without a call: by a twin, by evidence that they contain, or by a human."""
    pairs: int = 0
    """Pairs to put to the verifier."""
    judged: int = 0
    """Of these, pairs with a verdict."""
    remembered: int = 0
    """Calls that the ledger answered."""
    unjudged: Mapping[str, int] = field(default_factory=dict[str, int])
    """Pairs asked about without a verdict, by cause; the next run tries them again."""
    left: int = 0
    """Pairs not asked about, the least promising, since the budget ended."""
    stopped: str = ""
    """Which limit ended the run, and how to go on; empty if none did."""
    log_pairs: int = 0
    """Of ``pairs``, those of log queries."""
    log_unjudged: Mapping[str, int] = field(default_factory=dict[str, int])
    golds_before: int = 0
    """Gold chunks of the completed questions without completion: what the set knew."""
    golds: int = 0
    """Gold chunks of the completed questions now."""
    new_golds: int = 0
    held_back: int = 0
    """Pairs that the strict judge accepted, but that wait for a human: it was not shown to be strict."""
    withdrawn: int = 0
    """Golds of earlier runs that wait for a human again, since the judge is no longer shown to be strict."""
    max_gold: int = MAX_GOLD
    ambiguous: tuple[str, ...] = ()
    """Ids of the questions of the set with more gold chunks than that."""
    strict: Interval | None = None
    """Specificity that the strict judge showed; None if it was not measured."""
    acceptance: float | None = None
    """Share of the judged search results that the strict judge accepted."""
    wrong_golds: Interval | None = None
    """Estimated share of wrong ones among the accepted; None without a measured specificity."""
    recalls: tuple[SourceRecall, ...] = ()


async def complete_labels(
    store: Store,
    verifier: Verifier,
    calibration: Calibration | None,
    settings: ModelSettings,
    options: LabelOptions,
    strict: StrictProof | None,
    reporter: Reporter,
) -> LabelReport:
    """Judge the pools of questions that name no chunk and, if asked for, of golden ones, and keep both.

    A pair that only a search proposed meets the strict judge: few candidates answer, so a judge that is
    right nine times in ten would fill the set with wrong golds. Even so its golds count only if ``strict``
    (None: its last stored proof) shows that it is strict enough; else they are kept as proposals, with
    grade 2, and so are those of earlier runs. Pairs are judged the most promising first, and a budget that
    ends is no error but reported.

    Raises TableError or RetrieverError for a run file that cannot be used.
    """
    save_max_gold(store, options.max_gold)
    strict = strict or strict_proof(store, verifier)
    specificity = strict.specificity if strict else None
    chunks = store.corpus.chunks()
    why = doubt(strict)
    # A proof of the same judge asked in another way still holds for what that one found.
    withdrawn = (
        withdraw_golds(store, verifier.name, chunks, why) if why and not was_strict(store, verifier) else 0
    )
    asked = questions_to_label(store, chunks, complete=options.complete)
    if options.runs and not asked:
        reporter.say("the run files were not read: no question is to be labelled; see --complete")
    if not asked or not chunks:
        return LabelReport(max_gold=options.max_gold, strict=specificity, withdrawn=withdrawn)
    depths = pool_depths(store, options.depth, asked)
    retrievers = pooled_retrievers(store, settings, chunks, reporter)
    retrievers += given_runs(options.runs, store.questions.all(), chunks, reporter)
    found, before = await find_candidates(store, depths, chunks, retrievers)
    if why and was_strict(store, verifier):
        found = replace(found, to_judge=_without_verdict(store, verifier.name, found.to_judge))
    await _say_cost(verifier.planned(store), found, reporter)
    remembered = verifier.chat.counts.remembered if verifier.chat else 0
    judging = _Judging(verifier, calibration, why)
    stopped = await judging.run(store, found.to_judge, reporter)
    after = assembled(store, chunks)
    completed = frozenset(question.id for question in asked if question.origin != "log")
    golds_before, golds = gold_pairs(before, completed), gold_pairs(after, completed)
    return LabelReport(
        questions=len(asked),
        proposed=found.proposed,
        shared=found.shared,
        pairs=len(found.to_judge),
        judged=judging.judged,
        remembered=(verifier.chat.counts.remembered if verifier.chat else 0) - remembered,
        unjudged=dict(judging.unjudged + judging.log_unjudged),
        left=len(found.to_judge) - judging.done,
        stopped=stopped,
        log_pairs=sum(candidate.question.origin == "log" for candidate in found.to_judge),
        log_unjudged=dict(judging.log_unjudged),
        golds_before=len(golds_before),
        golds=len(golds),
        new_golds=len(golds - golds_before),
        held_back=judging.held_back,
        withdrawn=withdrawn,
        max_gold=options.max_gold,
        ambiguous=ambiguous(after, options.max_gold),
        strict=specificity,
        acceptance=judging.acceptance.share.estimate if judging.acceptance else None,
        wrong_golds=wrong_share(specificity, judging.acceptance),
        recalls=recalls(store.pool.all(), before, after, completed),
    )


async def plan_labels(store: Store, planned: PlannedVerifier, options: LabelOptions) -> None:
    """Let ``planned`` count the pairs that ``complete_labels`` would judge, without the embedding model.

    What bm25 and run files propose is exact. What dense search adds is known for a question that an earlier
    run pooled so deep, and otherwise an estimate: chunks that the others did not propose, up to the depth.
    So are the pairs of drafts without a verdict, which may yet be rejected.
    """
    chunks = store.corpus.chunks()
    asked = questions_to_label(store, chunks, complete=options.complete, with_unjudged=True)
    if not asked or not chunks:
        return
    depths = pool_depths(store, options.depth, asked)
    retrievers = [
        NamedRetriever("bm25", "bm25", BM25Retriever(chunks)),
        *given_runs(options.runs, store.questions.all(), chunks, Silent()),
    ]
    wanted = {question.id: depth for question, depth in depths.items()}
    known = {i.question_id for i in store.pool.all() if i.depth >= wanted.get(i.question_id, inf)}
    found, _ = await find_candidates(store, depths, chunks, retrievers)
    certain = {q.id for q in questions_to_label(store, chunks, complete=options.complete)}
    for candidate in found.to_judge:
        if candidate.question.id in certain:
            await _plan(planned, candidate)
        else:
            planned.may_judge(_without_quote(candidate.question), Passage.of_chunk(candidate.chunk))
    proposed = {(candidate.question.id, candidate.chunk.id) for candidate in found.to_judge}
    for question, depth in depths.items():
        if question.id not in known:
            others = (chunk for chunk in chunks if (question.id, chunk.id) not in proposed)
            for chunk in islice(others, depth):
                planned.may_judge(_without_quote(question), Passage.of_chunk(chunk))


def _without_verdict(store: Store, verifier: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that the verifier has not graded: what it found while it was strict is not put in doubt again."""
    graded = (v for v in store.judgments.all() if v.judge == verifier and v.grade is not None)
    known = {verdict.pair for verdict in graded}
    return tuple(c for c in candidates if (c.question.id, c.chunk.id) not in known)


class _Judging:
    """Judges candidates, and counts what came of it."""

    def __init__(self, verifier: Verifier, calibration: Calibration | None, doubt: str) -> None:
        self._verifier = verifier
        self._named = verifier.judge(calibration)
        self._strict = verifier.judge(calibration, strict=True)
        self._doubt = doubt
        self._searched = self._accepted = 0
        self.done = self.judged = self.held_back = 0
        self.unjudged: Counter[str] = Counter()
        self.log_unjudged: Counter[str] = Counter()

    @property
    def acceptance(self) -> Proportion | None:
        """Of the pairs that only a search proposed, the share that the strict judge accepted."""
        return proportion(self._accepted, self._searched)

    async def run(self, store: Store, candidates: Sequence[Candidate], reporter: Reporter) -> str:
        """Judge them and keep the verdicts; the message of the budget if that ended first."""
        note = self._verifier.chat.spent if self._verifier.chat else None
        try:
            with (
                kept_verdicts(store) as keep,
                reporter.phase("judging candidates", len(candidates), note) as done,
            ):
                async for candidate, judgment in as_finished(
                    self._judge, candidates, 2 * self._verifier.concurrency
                ):
                    keep(self._counted(candidate, judgment))
                    done(1)
        except BudgetError as error:
            return str(error)
        return ""

    async def _judge(self, candidate: Candidate) -> tuple[Candidate, Judgment]:
        judge = self._named if candidate.named else self._strict
        question = _without_quote(candidate.question)
        return candidate, await judge.judge(question, Passage.of_chunk(candidate.chunk))

    def _counted(self, candidate: Candidate, judgment: Judgment) -> Judgment:
        self.done += 1
        if judgment.grade is None:
            causes = self.log_unjudged if candidate.question.origin == "log" else self.unjudged
            causes[judgment.reason] += 1
            return judgment
        self.judged += 1
        if candidate.named:
            return judgment
        self._searched += 1
        self._accepted += judgment.grade == GOLD
        if judgment.grade < GOLD or not self._doubt:
            return judgment
        self.held_back += 1
        return proposal(judgment, self._doubt)


def _without_quote(question: Question) -> Question:
    """The generator's quote stands in the question's own chunk, so no other is held to it."""
    return replace(question, quote="")


async def _plan(planned: PlannedVerifier, candidate: Candidate) -> None:
    """Note the calls for a candidate. The strict judge's second one depends on the first's verdict; the
    embedded judge makes none.
    """
    question, passage = _without_quote(candidate.question), Passage.of_chunk(candidate.chunk)
    verdict = await planned.judge.judge(question, passage)
    if candidate.named or planned.chat.model == EMBEDDED_VERIFIER:
        return
    if verdict.grade is None:
        planned.may_look_again(question, passage)
    elif verdict.grade == GOLD:
        await planned.strict.judge(question, passage)


async def _say_cost(planned: PlannedVerifier | None, found: Candidates, reporter: Reporter) -> None:
    """Say what judging will cost, before it starts; an embedded judge costs nothing."""
    if planned is None:
        return
    for candidate in found.to_judge:
        await _plan(planned, candidate)
    plan = planned.chat.plan()
    cost = plan.expected
    reporter.say(
        f"judging {len(found.to_judge):,} candidates: about {cost.calls:,} calls ({plan.remembered:,} "
        f"remembered), {cost.prompt_tokens + cost.completion_tokens:,} tokens, {dollars(cost.usd)}"
    )
