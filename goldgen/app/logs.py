"""Queries from the users' logs: scrubbed, merged, labelled."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from goldgen.app.counting import CallCounts
from goldgen.app.duplicates import find_duplicates, question_embedder
from goldgen.app.golden import load_golden, max_gold, unanswered_to_depth
from goldgen.app.imported import refuse_imported
from goldgen.app.judges import (
    calibration_problem,
    load_calibration,
    open_verifier,
    planned_verifier,
    will_be_calibrated,
)
from goldgen.app.labelling import LabelOptions, LabelReport, complete_labels, plan_labels
from goldgen.app.log_reading import LogQuestions, ReadingOptions, ReadLogs, read_logs, store_logs
from goldgen.app.models import ModelSettings, verifier_endpoint
from goldgen.app.planning import CallPlan, scratch_copy
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError
from goldgen.logs import Cleaning, LogColumns, LogFormat, Part
from goldgen.store import Store, open_store


@dataclass(frozen=True, slots=True)
class LogOptions:
    db: Path
    file: Path | tuple[Path, ...]
    """One log or several; ``-`` is ``stdin``."""
    columns: LogColumns = field(default_factory=LogColumns)
    region: str = "US"
    """Country whose phone numbers are recognised without a country code."""
    depth: int = 10
    """How many of bm25's and dense search's results are judged for a query; 10 at least."""
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)
    stdin: BinaryIO | None = field(default=None, repr=False)
    format: LogFormat | None = None
    """None: by a file's suffix, else by what it begins with."""
    cleaning: Cleaning = field(default_factory=Cleaning)
    sample: int | None = None
    """How many queries of all logs become questions, the often asked ones more likely; 0: all; None: as at
    the last time, at first all."""
    seed: int = 0
    names: str = ""
    """The spaCy model that finds names of people, a package or a folder; empty: they are not looked for."""

    @property
    def files(self) -> tuple[Path, ...]:
        return self.file if isinstance(self.file, tuple) else (self.file,)

    @property
    def reading(self) -> ReadingOptions:
        return ReadingOptions(
            columns=self.columns,
            region=self.region,
            names=self.names,
            format=self.format,
            cleaning=self.cleaning,
            sample=self.sample,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class LogPlan:
    """What a log would bring: its calls, and what would be replaced or turned down. Nothing is kept of it."""

    calls: CallPlan
    rows: int
    queries: int
    rejected: Mapping[str, int]
    scrubbed: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]
    """By kind: the shape of a value and the scrubbed text it stood in."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """What became of the rows of a log. ``rows`` = rows of the merged queries + ``rejected``."""

    rows: int
    queries: int
    """Distinct queries of this file."""
    rejected: Mapping[str, int]
    rejected_lines: tuple[str, ...]
    """``line: reason`` of each rejected row."""
    scrubbed: Mapping[str, int]
    """Personal data and secrets replaced, by kind."""
    pages_named: int
    pages_unknown: int
    """Queries whose log names a page that the corpus does not have."""
    labelled: int
    unanswered: int
    """Log queries of the set without gold, though their pool was judged."""
    gaps: int
    """Of these, queries that the documents do not answer: judged to depth 50, or the whole corpus, and no
    chunk does more than touch the topic."""
    unanswered_to_depth: Mapping[int, int]
    """How deep the pool is judged to the number of ``unanswered`` queries, without ``gaps``."""
    unjudged: int
    labels: LabelReport
    verifier: str
    calls: CallCounts
    questions: int = 0
    """Queries of all logs that are questions of the set now."""
    kept: Mapping[str, int] = field(default_factory=dict[str, int])
    """Rows that ``keep_all`` kept, by the reason for which they would have been turned down."""
    rewritten: int = 0
    """Queries asked again in other words within minutes, after no click; their rows count in the set."""
    languages: Mapping[str, int] = field(default_factory=dict[str, int])
    """Rows by language, of the 10,000 queries asked most often."""
    parts: tuple[Part, ...] = ()
    """Head, torso and tail: each holds a third of the traffic of all logs."""
    near_duplicates: int = 0
    """Questions of the whole set that another one in nearly the same words stands for."""


async def add_logs(options: LogOptions, reporter: Reporter | None = None) -> LogReport:
    """Merge a log into the set. Personal data is replaced before anything is stored.

    The same log twice counts once. A budget that ends while candidates are judged is in the report's
    ``labels``. Raises TableError if the file cannot be read or has no column of queries, and EmptyResultError
    if no row holds a query.
    """
    reporter = reporter or Silent()
    read = read_logs(options.files, options.reading, options.stdin, reporter)
    with open_store(options.db, create=False) as store:
        found = _add_questions(store, read, options, reporter)
        opened = question_embedder(store, options.models, reporter)
        merged = find_duplicates(store, opened, reporter)
        logged = read.queries
        async with open_verifier(options.models, options.prompts, store, reporter) as verifier:
            calibration = load_calibration(store, verifier.name, verifier.asked.get("weights", ""))
            labels = LabelReport()
            if verifier.scorer is not None and calibration is None:
                reporter.say(
                    f"the embedded verifier is {calibration_problem(store, verifier.name)}: "
                    "goldgen verify will label these queries"
                )
            else:
                wanted = _labels(store, options)
                labels = await complete_labels(
                    store, verifier, calibration, options.models, wanted, None, reporter
                )
            calls = verifier.chat.counts if verifier.chat else CallCounts()
        queries = [item for item in load_golden(store).questions if item.question.origin == "log"]
    states = Counter(item.state for item in queries)
    return LogReport(
        rows=read.rows,
        queries=len(logged),
        rejected=read.rejected,
        rejected_lines=read.rejected_lines,
        scrubbed=read.scrubbed,
        pages_named=sum(
            question.document_id is not None for question in found.questions if question.id in logged
        ),
        pages_unknown=found.pages_unknown,
        labelled=states["golden"],
        unanswered=states["unanswered"],
        gaps=sum(item.is_gap and item.state == "unanswered" for item in queries),
        unanswered_to_depth=unanswered_to_depth(queries),
        unjudged=states["unjudged"],
        labels=labels,
        verifier=verifier.name,
        calls=calls,
        questions=len(found.questions),
        kept=read.kept,
        rewritten=sum(query.rewritten > 0 for query in logged.values()),
        languages=read.languages,
        parts=found.parts,
        near_duplicates=merged,
    )


async def plan_logs(options: LogOptions, reporter: Reporter | None = None) -> CallPlan:
    """What ``add_logs`` would ask of the verifier. Nothing is sent or loaded, and the set stays as it is."""
    return (await preview_logs(options, reporter)).calls


async def preview_logs(options: LogOptions, reporter: Reporter | None = None) -> LogPlan:
    """What ``add_logs`` would replace, turn down and ask of the verifier; the set stays as it is."""
    reporter = reporter or Silent()
    read = read_logs(options.files, options.reading, options.stdin, reporter)
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db, create=False) as store,
    ):
        _add_questions(store, read, options, Silent())
        planned = planned_verifier(options.models, options.prompts, store)
        embedded = verifier_endpoint(options.models) is None
        if not embedded or will_be_calibrated(store, options.models):
            await plan_labels(store, planned, _labels(store, options))
        calls = planned.chat.plan()
    return LogPlan(calls, read.rows, len(read.queries), read.rejected, read.scrubbed, read.examples)


def _labels(store: Store, options: LogOptions) -> LabelOptions:
    return LabelOptions(depth=options.depth, max_gold=max_gold(store))


def _add_questions(store: Store, read: ReadLogs, options: LogOptions, reporter: Reporter) -> LogQuestions:
    refuse_imported(store)
    found = store_logs(store, read, options.reading, reporter)
    if not store.corpus.chunk_count():
        raise EmptyResultError(
            f"{options.db} has no documents to label queries by; run goldgen synth PATH first"
        )
    return found
