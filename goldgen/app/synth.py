"""Drafting: questions and near misses for a sample of chunks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel

from goldgen.app.concurrency import as_finished, batched
from goldgen.app.counting import CountedChat
from goldgen.app.drafting import MAX_OVERLAP, DraftingPrompts, Wording, chunk_drafter
from goldgen.app.drawing import Drawn, draw
from goldgen.app.duplicates import find_duplicates, question_embedder
from goldgen.app.examples import Source, example_queries
from goldgen.app.imported import refuse_imported
from goldgen.app.loading import CorpusReport, held_corpus, load_corpus
from goldgen.app.log_mix import log_mix
from goldgen.app.models import (
    EMBEDDED_SLOTS,
    ModelSettings,
    generator_endpoint,
    open_generator,
)
from goldgen.app.planning import CallPlan, PlanningChat, embedded_endpoint, scratch_copy
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.synth_report import StyleCount, SynthReport, synth_report
from goldgen.app.wordings import Wordings
from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.models.endpoints import EMBEDDED_GENERATOR, Endpoint
from goldgen.prompts import PromptLibrary, delimited
from goldgen.store import Rejection, Store, open_store
from goldgen.synth import (
    ChunkDrafter,
    ChunkNearMisses,
    ChunkQuestions,
    ConditionFinder,
    NearMissWriter,
)
from goldgen.synth import Rejection as RejectedDraft
from goldgen.synth.near_miss import MAX_TOKENS, Choice
from goldgen.tabular import SqlSource
from goldgen.types import Chat, ChatRequest, Chunk, Question

__all__ = ["StyleCount", "SynthOptions", "SynthReport", "plan_synth", "synthesize"]

_AHEAD = 2
"""Items under way for each call that may run, so that no slot waits for the next item."""
_TYPICAL_TEXT = "word " * 16
"""As long as a question, an answer or a list of changes mostly is."""


@dataclass(frozen=True, slots=True)
class SynthOptions:
    db: Path
    path: Path | None = None
    """What to read; None, and no ``sql``: the corpus as the set holds it."""
    per_chunk: int = 3
    near_misses: int = 1
    """At most so many for a chunk."""
    sample: int | None = None
    """Chunks to ask about; None means all."""
    seed: int = 0
    chunking: ChunkOptions | None = None
    """None: as at the last load."""
    name: str = ""
    """Of the corpus; it is part of all ids. Empty: the folder's name at the first load."""
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)
    sql: SqlSource | None = None
    """Chunks by query, in place of ``path``."""
    selection: Selection | None = None
    """Which files to read; None: as at the last load."""
    jobs: int = 1
    """Processes that read files."""
    styles: Mapping[str, int] = field(default_factory=dict[str, int])
    """Style to weight; empty: all styles that one chunk is enough for."""
    examples: Source = None
    """Queries whose length and register the questions are to have."""
    language: str = ""
    """ISO 639-1 code that questions are to be in; empty: that of each chunk."""
    max_overlap: float = MAX_OVERLAP
    """Share of a question's words, by their rarity, that its chunk may have before it is reworded."""
    fill: bool = False
    """Ask only about documents and sections without a question."""
    match_logs: bool = False
    """Take the mix of styles after the log queries of the set, by their traffic, and so the ``examples``
    where none are given. Not together with ``styles``."""


async def synthesize(options: SynthOptions, reporter: Reporter | None = None) -> SynthReport:
    """Load a corpus and draft questions and near misses for it, each kept as soon as it is made.

    Run again, it asks only for what is missing. Raises EmptyResultError if no question came of it, and
    BudgetError, with what was finished kept, if the run may spend no more.
    """
    reporter = reporter or Silent()
    _check(options)
    with open_store(options.db, create=not options.match_logs) as store:
        options = _matched(store, options, reporter)
        prompts = _prompts(options)
        drawn = _drawn(store, options, reporter)
        async with open_generator(options.models, store.calls, store.meta, reporter) as opened:
            chat = CountedChat(opened)
            wording = _wording(store, options, reporter)
            drafting = _Drafting(options, prompts, wording, store, chat, reporter, chat.spent)
            drafted = await drafting.questions(drawn.chunks)
            missed = await drafting.near_misses(drafted)
            report = synth_report(drawn, drafted, missed, chat)
        opened = question_embedder(store, options.models, reporter)
        report = replace(report, near_duplicates=find_duplicates(store, opened, reporter))
    if not report.questions:
        raise EmptyResultError(f"no question came of {report.chunks_asked} chunks: {report.reasons}")
    return report


async def plan_synth(options: SynthOptions, reporter: Reporter | None = None) -> CallPlan:
    """What ``synthesize`` would ask of the generator. Nothing is sent, and the set stays as it is.

    Calls about chunks without questions yet (again for what is rejected, near misses) are estimates.
    """
    reporter = reporter or Silent()
    _check(options)
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db, create=not options.match_logs) as store,
    ):
        options = _matched(store, options, reporter)
        prompts = _prompts(options)
        drawn = _drawn(store, options, Silent())
        chat = PlanningChat(_planned_endpoint(options.models), store.calls)
        drafting = _Drafting(options, prompts, _wording(store, options, Silent()), store, chat, Silent())
        drafted = await drafting.questions(drawn.chunks)
        await drafting.near_misses(drafted)
        drafter = drafting.drafter()
        for outcome in drafted:
            if outcome.failure == "planned":
                for request in drafting.likely_requests(drafter, outcome.chunk):
                    chat.may_ask(request)
        return chat.plan()


def _check(options: SynthOptions) -> None:
    """Refuse what cannot be done before a file is made."""
    if not options.match_logs:
        _prompts(options)
    elif options.styles:
        raise SettingsError("--match-logs takes the styles of the log queries; leave out --styles")


def _matched(store: Store, options: SynthOptions, reporter: Reporter) -> SynthOptions:
    """The options with the styles, and the examples if none are given, of the set's log queries."""
    if not options.match_logs:
        return options
    found = log_mix(store, PromptLibrary.of(options.prompts).styles())
    reporter.say(found.line)
    return replace(options, styles=found.weights, examples=options.examples or found.examples)


def _prompts(options: SynthOptions) -> DraftingPrompts:
    return DraftingPrompts.of(options.prompts, options.styles, options.per_chunk)


def _drawn(store: Store, options: SynthOptions, reporter: Reporter) -> Drawn:
    refuse_imported(store)
    chunks, corpus = _corpus(store, options, reporter)
    return draw(store, chunks, corpus, options.sample, options.seed, fill=options.fill)


def _corpus(store: Store, options: SynthOptions, reporter: Reporter) -> tuple[Sequence[Chunk], CorpusReport]:
    source = options.sql or options.path
    if source is None:
        report = held_corpus(store)
        return store.corpus.chunks(), report
    return load_corpus(
        store,
        source,
        options.name,
        options.chunking,
        reporter,
        selection=options.selection,
        jobs=options.jobs,
    )


def _planned_endpoint(models: ModelSettings) -> Endpoint:
    """The generator's; the embedded one by its name, without its weights."""
    weights = Path(models.gguf.rpartition(":")[2]).stem
    return generator_endpoint(models) or embedded_endpoint(weights or EMBEDDED_GENERATOR)


def _wording(store: Store, options: SynthOptions, reporter: Reporter) -> Wording:
    examples = example_queries(store, options.examples)
    endpoint = generator_endpoint(options.models)
    if examples and endpoint and endpoint.remote:
        reporter.say(f"a few of {len(set(examples)):,} example queries go with each call, too")
    return Wording(options.language, examples, options.seed, options.max_overlap)


@dataclass(frozen=True, slots=True)
class _Drafting:
    """Drafts with one chat model. What a killed run has not kept is drafted again from the ledger."""

    options: SynthOptions
    prompts: DraftingPrompts
    wording: Wording
    store: Store
    chat: Chat
    reporter: Reporter
    note: Callable[[], str] | None = None
    """What was spent so far."""

    async def questions(self, chunks: Sequence[Chunk]) -> list[ChunkQuestions]:
        drafted: list[ChunkQuestions] = []
        known = Wordings.of(self.store, self.prompts.rewrite.hash)
        with (
            batched(self._keep_questions) as keep,
            self.reporter.phase("writing questions", len(chunks), self.note) as done,
        ):
            async for made in as_finished(self.drafter().write, chunks, _limit(self.options)):
                outcome = known.settled(made)
                keep(outcome)
                drafted.append(outcome)
                done(1)
        return drafted

    async def near_misses(self, drafted: Sequence[ChunkQuestions]) -> list[ChunkNearMisses]:
        work = [outcome for outcome in drafted if outcome.questions] if self.options.near_misses else []
        finder = ConditionFinder(self.store.corpus.chunks())
        writer = NearMissWriter(self.chat, self.prompts.near_miss, finder, self.options.near_misses)

        async def write(outcome: ChunkQuestions) -> ChunkNearMisses:
            return await writer.write(outcome.chunk, outcome.questions)

        made: list[ChunkNearMisses] = []
        with (
            batched(self._keep_near_misses) as keep,
            self.reporter.phase("writing near misses", len(work), self.note) as done,
        ):
            async for outcome in as_finished(write, work, _limit(self.options)):
                keep(outcome)
                made.append(outcome)
                done(1)
        return made

    def likely_requests(self, drafter: ChunkDrafter, chunk: Chunk) -> Iterator[ChatRequest[BaseModel]]:
        """What may be asked about a chunk once its first questions are there."""
        slots = [
            slot
            for slot in self.prompts.mix.slots(chunk.id, self.options.per_chunk)
            if slot.style.needs == "chunk"
        ]
        if slots:
            yield drafter.questions.request(chunk, slots)
        if slots and drafter.rewriter:
            typical = Question(id="", text=_TYPICAL_TEXT, origin="synthetic", style="")
            yield drafter.rewriter.request(chunk, [typical] * len(slots))
        prompt = self.prompts.near_miss
        values = {name: delimited(name, _TYPICAL_TEXT) for name in ("question", "answer", "changes")}
        messages = prompt.render({"passage": delimited("passage", chunk.full_text)} | values)
        for _ in range(self.options.near_misses):
            yield ChatRequest("near_miss", messages, Choice, prompt.hash, MAX_TOKENS)

    def drafter(self) -> ChunkDrafter:
        return chunk_drafter(
            self.chat,
            self.prompts,
            self.store.corpus.chunks(),
            self.options.per_chunk,
            self.wording,
            self.store.questions.drafted_chunks(),
        )

    def _keep_questions(self, batch: Sequence[ChunkQuestions]) -> None:
        self.store.questions.remove([key for outcome in batch for key in outcome.replaced])
        self.store.questions.add([question for outcome in batch for question in outcome.questions])
        self._keep_rejections("synth", [item for outcome in batch for item in outcome.rejections])

    def _keep_near_misses(self, batch: Sequence[ChunkNearMisses]) -> None:
        made = [near_miss for outcome in batch for near_miss in outcome.near_misses]
        self.store.questions.replace_near_misses([outcome.chunk.id for outcome in batch], made)
        self._keep_rejections("near_miss", [item for outcome in batch for item in outcome.rejections])

    def _keep_rejections(self, stage: str, rejected: Sequence[RejectedDraft]) -> None:
        rows = [Rejection(stage, item.item, item.chunk_id, item.reason) for item in rejected]
        self.store.questions.add_rejections(rows)


def _limit(options: SynthOptions) -> int:
    endpoint = generator_endpoint(options.models)
    return _AHEAD * (endpoint.concurrency if endpoint else EMBEDDED_SLOTS)
