"""Drafting: questions and near misses for a sample of chunks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from goldgen.app.concurrency import as_finished
from goldgen.app.counting import CallCounts, CountedChat
from goldgen.app.loading import CorpusReport, load_corpus
from goldgen.app.models import ModelSettings, generator_endpoint, open_generator
from goldgen.app.paths import model_cache
from goldgen.app.reporting import Reporter, Silent
from goldgen.corpus import ChunkOptions
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.prompts import PromptLibrary
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
from goldgen.types import Chunk

_AHEAD = 2
"""Items under way for each call that may run, so that no slot waits for the next item."""


@dataclass(frozen=True, slots=True)
class SynthOptions:
    db: Path
    path: Path
    per_chunk: int = 3
    near_misses: int = 1
    """At most so many for a chunk."""
    sample: int | None = None
    """Chunks to ask about; None means all."""
    seed: int = 0
    chunking: ChunkOptions = field(default_factory=ChunkOptions)
    name: str = ""
    """Of the corpus; it is part of all ids. Empty: the folder's name at the first load."""
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)


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


async def synthesize(options: SynthOptions, reporter: Reporter | None = None) -> SynthReport:
    """Load a corpus and draft questions and near misses for it, each kept as soon as it is made.

    Run again, it asks only for what is missing. Raises EmptyResultError if no question came of it.
    """
    reporter = reporter or Silent()
    library = PromptLibrary(options.prompts) if options.prompts else PromptLibrary.packaged()
    styles, question, near_miss = library.styles(), library.load("question"), library.load("near_miss")
    if not 1 <= options.per_chunk <= len(styles):
        raise SettingsError(f"--per-chunk is {options.per_chunk}; give 1 to {len(styles)}, one a style")
    with open_store(options.db) as store:
        chunks, corpus = load_corpus(store, options.path, options.name, options.chunking, reporter)
        unfit = {chunk.id: reason for chunk in chunks if (reason := nothing_to_ask(chunk))}
        fit = [chunk for chunk in chunks if chunk.id not in unfit]
        alone = len({" ".join(chunk.full_text.split()) for chunk in fit})
        unfit_counts = Counter(unfit.values()) + Counter({"same text as another chunk": len(fit) - alone})
        drawn = spread(fit, len(fit) if options.sample is None else options.sample, options.seed)
        async with open_generator(options.models, store.calls, model_cache(), reporter) as opened:
            chat = CountedChat(opened)
            writer = QuestionWriter(chat, question, styles, options.per_chunk)
            drafted = await _write_questions(writer, drawn, store, options, reporter)
            finder = ConditionFinder(store.corpus.chunks())
            twins = NearMissWriter(chat, near_miss, finder, options.near_misses)
            missed = await _write_near_misses(twins, drafted, store, options, reporter)
            report = _report(corpus, unfit_counts, drafted, missed, chat)
    if not report.questions:
        raise EmptyResultError(f"no question came of {report.chunks_asked} chunks: {_reasons(report)}")
    return report


async def _write_questions(
    writer: QuestionWriter, chunks: Sequence[Chunk], store: Store, options: SynthOptions, reporter: Reporter
) -> list[ChunkQuestions]:
    drafted: list[ChunkQuestions] = []
    with reporter.phase("writing questions", len(chunks)) as done:
        async for outcome in as_finished(writer.write, chunks, _limit(options)):
            store.questions.add(outcome.questions)
            store.questions.add_rejections(
                [Rejection("synth", item.item, item.chunk_id, item.reason) for item in outcome.rejections]
            )
            drafted.append(outcome)
            done(1)
    return drafted


async def _write_near_misses(
    writer: NearMissWriter,
    drafted: Sequence[ChunkQuestions],
    store: Store,
    options: SynthOptions,
    reporter: Reporter,
) -> list[ChunkNearMisses]:
    work = [outcome for outcome in drafted if outcome.questions] if options.near_misses else []

    async def write(outcome: ChunkQuestions) -> ChunkNearMisses:
        return await writer.write(outcome.chunk, outcome.questions)

    made: list[ChunkNearMisses] = []
    with reporter.phase("writing near misses", len(work)) as done:
        async for outcome in as_finished(write, work, _limit(options)):
            store.questions.replace_near_misses(outcome.chunk.id, outcome.near_misses)
            store.questions.add_rejections(
                [Rejection("near_miss", item.item, item.chunk_id, item.reason) for item in outcome.rejections]
            )
            made.append(outcome)
            done(1)
    return made


def _limit(options: SynthOptions) -> int:
    endpoint = generator_endpoint(options.models)
    return _AHEAD * (endpoint.concurrency if endpoint else 2)


def _report(
    corpus: CorpusReport,
    skipped: Mapping[str, int],
    drafted: Sequence[ChunkQuestions],
    missed: Sequence[ChunkNearMisses],
    chat: CountedChat,
) -> SynthReport:
    near_misses = [item for outcome in missed for item in outcome.near_misses]
    return SynthReport(
        corpus=corpus,
        chunks_skipped=dict(skipped),
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
