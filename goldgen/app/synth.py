"""Drafting: questions and near misses for a sample of chunks."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from goldgen.app.concurrency import as_finished, batched
from goldgen.app.counting import CallCounts, CountedChat
from goldgen.app.imported import refuse_imported
from goldgen.app.loading import CorpusReport, held_corpus, load_corpus
from goldgen.app.models import EMBEDDED_SLOTS, ModelSettings, generator_endpoint, open_generator
from goldgen.app.planning import CallPlan, PlanningChat, embedded_endpoint, scratch_copy
from goldgen.app.reporting import Reporter, Silent
from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.models.endpoints import EMBEDDED_GENERATOR, Endpoint
from goldgen.prompts import Prompt, PromptLibrary, delimited
from goldgen.store import Rejection, Store, open_store
from goldgen.synth import (
    ChunkNearMisses,
    ChunkQuestions,
    ConditionFinder,
    NearMissWriter,
    QuestionWriter,
    nothing_to_ask,
    spread,
)
from goldgen.synth import Rejection as RejectedDraft
from goldgen.synth.near_miss import MAX_TOKENS, Choice
from goldgen.tabular import SqlSource
from goldgen.types import Chat, ChatRequest, Chunk

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


@dataclass(frozen=True, slots=True)
class SynthReport:
    """What a run of synth made, by stage."""

    corpus: CorpusReport
    chunks_skipped: Mapping[str, int]
    """Chunks that are no ground for a question, by reason."""
    chunks_asked: int
    questions_asked: int
    questions: int
    questions_rejected: Mapping[str, int]
    calls_failed: Mapping[str, int]
    near_misses: int
    near_misses_by_edit: Mapping[str, int]
    near_misses_rejected: Mapping[str, int]
    generator: str
    calls: CallCounts


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The chunks to ask about, and what became of the others."""

    chunks: Sequence[Chunk]
    corpus: CorpusReport
    skipped: Mapping[str, int]


async def synthesize(options: SynthOptions, reporter: Reporter | None = None) -> SynthReport:
    """Load a corpus and draft questions and near misses for it, each kept as soon as it is made.

    Run again, it asks only for what is missing. Raises EmptyResultError if no question came of it, and
    BudgetError, with what was finished kept, if the run may spend no more.
    """
    reporter = reporter or Silent()
    prompts = _Prompts.of(options)
    with open_store(options.db) as store:
        drawn = _draw(store, options, reporter)
        async with open_generator(options.models, store.calls, store.meta, reporter) as opened:
            chat = CountedChat(opened)
            drafting = _Drafting(options, prompts, store, chat, reporter, chat.spent)
            drafted = await drafting.questions(drawn.chunks)
            missed = await drafting.near_misses(drafted)
            report = _report(drawn, drafted, missed, chat)
    if not report.questions:
        raise EmptyResultError(f"no question came of {report.chunks_asked} chunks: {_reasons(report)}")
    return report


async def plan_synth(options: SynthOptions, reporter: Reporter | None = None) -> CallPlan:
    """What ``synthesize`` would ask of the generator. Nothing is sent, and the set stays as it is.

    Calls about chunks without questions yet (again for what is rejected, near misses) are estimates.
    """
    reporter = reporter or Silent()
    prompts = _Prompts.of(options)
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db) as store,
    ):
        drawn = _draw(store, options, Silent())
        chat = PlanningChat(_planned_endpoint(options.models), store.calls)
        drafting = _Drafting(options, prompts, store, chat, Silent())
        drafted = await drafting.questions(drawn.chunks)
        await drafting.near_misses(drafted)
        writer = drafting.writer()
        for outcome in drafted:
            if outcome.failure == "planned":
                for request in drafting.likely_requests(writer, outcome.chunk):
                    chat.may_ask(request)
        return chat.plan()


def _draw(store: Store, options: SynthOptions, reporter: Reporter) -> _Drawn:
    refuse_imported(store)
    chunks, corpus = _corpus(store, options, reporter)
    unfit = {chunk.id: reason for chunk in chunks if (reason := nothing_to_ask(chunk))}
    fit = [chunk for chunk in chunks if chunk.id not in unfit]
    alone = len({" ".join(chunk.full_text.split()) for chunk in fit})
    skipped = Counter(unfit.values()) + Counter({"same text as another chunk": len(fit) - alone})
    drawn = spread(fit, len(fit) if options.sample is None else options.sample, options.seed)
    return _Drawn(drawn, corpus, skipped)


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


@dataclass(frozen=True, slots=True)
class _Prompts:
    styles: Mapping[str, str]
    question: Prompt
    near_miss: Prompt

    @classmethod
    def of(cls, options: SynthOptions) -> "_Prompts":
        """Raises SettingsError for more questions a chunk than there are styles."""
        library = PromptLibrary(options.prompts) if options.prompts else PromptLibrary.packaged()
        styles = library.styles()
        if not 1 <= options.per_chunk <= len(styles):
            raise SettingsError(f"--per-chunk is {options.per_chunk}; give 1 to {len(styles)}, one a style")
        return cls(styles, library.load("question"), library.load("near_miss"))


@dataclass(frozen=True, slots=True)
class _Drafting:
    """Drafts with one chat model. What a killed run has not kept is drafted again from the ledger."""

    options: SynthOptions
    prompts: _Prompts
    store: Store
    chat: Chat
    reporter: Reporter
    note: Callable[[], str] | None = None
    """What was spent so far."""

    async def questions(self, chunks: Sequence[Chunk]) -> list[ChunkQuestions]:
        drafted: list[ChunkQuestions] = []
        with (
            batched(self._keep_questions) as keep,
            self.reporter.phase("writing questions", len(chunks), self.note) as done,
        ):
            async for outcome in as_finished(self.writer().write, chunks, _limit(self.options)):
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

    def likely_requests(self, writer: QuestionWriter, chunk: Chunk) -> Iterator[ChatRequest[BaseModel]]:
        """What may be asked about a chunk once its first questions are there."""
        yield writer.request(chunk, sorted(self.prompts.styles)[: self.options.per_chunk])
        prompt = self.prompts.near_miss
        values = {name: delimited(name, _TYPICAL_TEXT) for name in ("question", "answer", "changes")}
        messages = prompt.render({"passage": delimited("passage", chunk.full_text)} | values)
        for _ in range(self.options.near_misses):
            yield ChatRequest("near_miss", messages, Choice, prompt.hash, MAX_TOKENS)

    def writer(self) -> QuestionWriter:
        drafted = self.store.questions.drafted_chunks()
        return QuestionWriter(
            self.chat, self.prompts.question, self.prompts.styles, self.options.per_chunk, drafted
        )

    def _keep_questions(self, batch: Sequence[ChunkQuestions]) -> None:
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


def _report(
    drawn: _Drawn,
    drafted: Sequence[ChunkQuestions],
    missed: Sequence[ChunkNearMisses],
    chat: CountedChat,
) -> SynthReport:
    near_misses = [item for outcome in missed for item in outcome.near_misses]
    return SynthReport(
        corpus=drawn.corpus,
        chunks_skipped=dict(drawn.skipped),
        chunks_asked=len(drafted),
        questions_asked=sum(outcome.asked for outcome in drafted),
        questions=sum(len(outcome.questions) for outcome in drafted),
        questions_rejected=dict(Counter(item.reason for outcome in drafted for item in outcome.rejections)),
        calls_failed=dict(Counter(outcome.failure for outcome in drafted if outcome.failure)),
        near_misses=len(near_misses),
        near_misses_by_edit=dict(Counter(item.edit for item in near_misses)),
        near_misses_rejected=dict(Counter(item.reason for outcome in missed for item in outcome.rejections)),
        generator=chat.model,
        calls=chat.counts,
    )


def _reasons(report: SynthReport) -> str:
    """Why nothing came, most frequent reason first."""
    counts = (
        Counter(report.calls_failed) + Counter(report.questions_rejected) + Counter(report.chunks_skipped)
    )
    return "; ".join(f"{count} {reason}" for reason, count in counts.most_common()) or "no chunk was drawn"
