"""Queries from the users' logs: scrubbed, merged, labelled."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.counting import CallCounts
from goldgen.app.golden import load_golden, max_gold, unanswered_to_depth
from goldgen.app.imported import refuse_imported
from goldgen.app.judges import load_calibration, open_verifier, planned_verifier
from goldgen.app.labelling import LabelOptions, LabelReport, complete_labels, plan_labels
from goldgen.app.models import ModelSettings, verifier_endpoint
from goldgen.app.planning import CallPlan, scratch_copy
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError, TableError
from goldgen.logs import LogColumns, LogMerge, merge, read_log, resolve_page, to_questions
from goldgen.store import Store, open_store
from goldgen.tabular import read_rows
from goldgen.types import Question

_COUNTS_KEY = "log_counts"


@dataclass(frozen=True, slots=True)
class LogOptions:
    db: Path
    file: Path
    columns: LogColumns = field(default_factory=LogColumns)
    region: str = "US"
    """Country whose phone numbers are recognised without a country code."""
    depth: int = 10
    """How many of bm25's and dense search's results are judged for a query; 10 at least."""
    prompts: Path | None = None
    models: ModelSettings = field(default_factory=ModelSettings)


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


async def add_logs(options: LogOptions, reporter: Reporter | None = None) -> LogReport:
    """Merge a log into the set. Personal data is replaced before anything is stored.

    The same file twice counts once. A budget that ends while candidates are judged is in the report's
    ``labels``. Raises TableError if the file cannot be read or has no column of queries, and EmptyResultError
    if no row holds a query.
    """
    reporter = reporter or Silent()
    merged = _read(options, reporter)
    with open_store(options.db, create=False) as store:
        questions, unknown = _add_questions(store, merged, options)
        async with open_verifier(options.models, options.prompts, store, reporter) as verifier:
            calibration = load_calibration(store, verifier.name)
            labels = LabelReport()
            if verifier.scorer is not None and calibration is None:
                reporter.say(
                    "the embedded verifier is not calibrated yet: goldgen verify will label these queries"
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
        rows=merged.rows,
        queries=len(merged.queries),
        rejected=dict(Counter(row.reason for row in merged.bad)),
        rejected_lines=tuple(f"{row.line}: {row.reason}" for row in merged.bad),
        scrubbed=merged.scrubbed,
        pages_named=sum(question.document_id is not None for question in questions),
        pages_unknown=unknown,
        labelled=states["golden"],
        unanswered=states["unanswered"],
        gaps=sum(item.is_gap and item.state == "unanswered" for item in queries),
        unanswered_to_depth=unanswered_to_depth(queries),
        unjudged=states["unjudged"],
        labels=labels,
        verifier=verifier.name,
        calls=calls,
    )


async def plan_logs(options: LogOptions, reporter: Reporter | None = None) -> CallPlan:
    """What ``add_logs`` would ask of the verifier. Nothing is sent or loaded, and the set stays as it is."""
    reporter = reporter or Silent()
    merged = _read(options, reporter)
    with (
        reporter.phase("counting the calls", None),
        scratch_copy(options.db) as db,
        open_store(db, create=False) as store,
    ):
        _add_questions(store, merged, options)
        planned = planned_verifier(options.models, options.prompts, store)
        embedded = verifier_endpoint(options.models) is None
        if not embedded or load_calibration(store, planned.chat.model) is not None:
            await plan_labels(store, planned, _labels(store, options))
        return planned.chat.plan()


def _labels(store: Store, options: LogOptions) -> LabelOptions:
    return LabelOptions(depth=options.depth, max_gold=max_gold(store))


def _read(options: LogOptions, reporter: Reporter) -> LogMerge:
    with reporter.phase("reading the log", None):
        try:
            rows = read_log(read_rows(options.file), options.columns, str(options.file))
            merged = merge(rows, options.region)
        except OSError as error:
            raise TableError(
                f"cannot read {options.file}: {error.strerror}; check its rights or name another"
            ) from error
    if not merged.queries:
        rejected = Counter(row.reason for row in merged.bad)
        counted = "; ".join(f"{count} {reason}" for reason, count in rejected.most_common())
        raise EmptyResultError(f"no query in {options.file}: {counted or 'it has no rows'}")
    return merged


def _add_questions(store: Store, merged: LogMerge, options: LogOptions) -> tuple[list[Question], int]:
    refuse_imported(store)
    questions, unknown = log_questions(store, merged, options.file)
    store.questions.add(questions)
    if not store.corpus.chunk_count():
        raise EmptyResultError(
            f"{options.db} has no documents to label queries by; run goldgen synth PATH first"
        )
    return questions, unknown


def log_questions(store: Store, merged: LogMerge, file: Path) -> tuple[list[Question], int]:
    """The queries as questions, counted over all logs added so far, and how many name an unknown page.

    A question keeps the document that an earlier log named where this one names none.
    """
    ids = {document.path: document.id for document in store.corpus.documents()}
    paths = sorted(ids)
    known = {question.id: question.document_id for question in store.questions.all("log")}
    drafts = to_questions(merged)
    counts = _counts(store, file, {question.id: question.asked for question in drafts})
    questions: list[Question] = []
    unknown = 0
    for query, question in zip(merged.queries, drafts, strict=True):
        resolved = [path for page in query.pages if (path := resolve_page(page, paths))]
        unknown += bool(query.pages) and not resolved
        document_id = ids[resolved[0]] if resolved else known.get(question.id)
        questions.append(replace(question, document_id=document_id, asked=counts[question.id]))
    return questions, unknown


def _counts(store: Store, file: Path, asked: Mapping[str, int]) -> Counter[str]:
    """How often each query stands in all logs; a file is known by its content, so it counts once."""
    logs: dict[str, dict[str, int]] = json.loads(store.meta.get(_COUNTS_KEY) or "{}")
    with file.open("rb") as opened:
        logs[hashlib.file_digest(opened, "sha256").hexdigest()] = dict(asked)
    store.meta.set(_COUNTS_KEY, json.dumps(logs))
    total: Counter[str] = Counter()
    for counts in logs.values():
        total.update(counts)
    return total
