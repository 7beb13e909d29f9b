"""Logs into the set: what is read of them, what is kept, and which queries become questions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from goldgen.app.languages import language_of
from goldgen.app.reporting import Reporter
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.logs import (
    Cleaning,
    LogColumns,
    LogFormat,
    LogMerge,
    LogQuery,
    LogSource,
    Part,
    draw,
    merge,
    parts,
    person_finder,
    read_log,
    resolve_page,
)
from goldgen.store import Store
from goldgen.store.logs import LoggedQuery
from goldgen.types import Question

_SAMPLE_KEY = "log_sample"
_MANY = 2_000
_COUNTED_LANGUAGES = 10_000


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How logs are read, cleaned and sampled."""

    columns: LogColumns = field(default_factory=LogColumns)
    region: str = "US"
    """Country whose phone numbers are recognised without a country code."""
    names: str = ""
    """The spaCy model that finds names of people, a package or a folder; empty: they are not looked for."""
    format: LogFormat | None = None
    cleaning: Cleaning = field(default_factory=Cleaning)
    sample: int | None = None
    """How many queries of all logs become questions; 0: all; None: as at the last time, at first all."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ReadLogs:
    """Several logs, each by the hash of its content."""

    logs: Mapping[str, LogMerge]
    names: tuple[str, ...]
    """Of the logs, in the same order; the same log given twice has its first name."""

    @property
    def rows(self) -> int:
        return sum(log.rows for log in self.logs.values())

    @property
    def queries(self) -> dict[str, LogQuery]:
        """By id; a query of several logs as the last of them has it."""
        return {query.id: query for log in self.logs.values() for query in log.queries}

    @property
    def rejected(self) -> dict[str, int]:
        return dict(Counter(row.reason for log in self.logs.values() for row in log.bad).most_common())

    @property
    def rejected_lines(self) -> tuple[str, ...]:
        """``line: reason``, with the log's name in front where there are several."""
        return tuple(
            f"{name}:{row.line}: {row.reason}" if len(self.names) > 1 else f"{row.line}: {row.reason}"
            for name, log in zip(self.names, self.logs.values(), strict=True)
            for row in log.bad
        )

    @property
    def kept(self) -> dict[str, int]:
        return dict(sum((Counter(log.kept) for log in self.logs.values()), Counter[str]()))

    @property
    def scrubbed(self) -> dict[str, int]:
        return dict(sum((Counter(log.scrubbed) for log in self.logs.values()), Counter[str]()))

    @property
    def examples(self) -> dict[str, tuple[str, ...]]:
        """Of what was taken out: the shape of the value and the scrubbed text, a few for each kind."""
        found: dict[str, tuple[str, ...]] = {}
        for log in self.logs.values():
            for kind, examples in log.examples.items():
                found.setdefault(kind, examples)
        return found

    @property
    def languages(self) -> dict[str, int]:
        """Rows by language, of the 10,000 queries asked most often."""
        asked: Counter[str] = Counter()
        most = sorted(self.queries.values(), key=lambda query: -query.asked)[:_COUNTED_LANGUAGES]
        for query in most:
            asked[language_of(query.text)] += query.asked
        return dict(asked.most_common())


@dataclass(frozen=True, slots=True)
class LogQuestions:
    """The queries of the set's logs that are questions now."""

    questions: tuple[Question, ...]
    pages_unknown: int
    """Of the logs just read: queries among these whose page the corpus does not have."""
    parts: tuple[Part, ...]
    """Head, torso and tail of all logs."""


def read_logs(
    files: Sequence[Path], options: ReadingOptions, stdin: BinaryIO | None, reporter: Reporter
) -> ReadLogs:
    """Read, scrub, clean and merge some logs. Nothing is stored.

    Raises SettingsError for a region, language or model of names that is none, TableError if a log cannot be
    read or has no column of queries, and EmptyResultError if no row holds a query.
    """
    for code in options.cleaning.languages:
        if len(code) != len("en") or not code.isalpha():
            raise SettingsError(f"language {code!r} is not known; give two letters such as en or de")
    names_in = person_finder(options.names) if options.names else None
    logs: dict[str, LogMerge] = {}
    names: dict[str, str] = {}
    with reporter.phase("reading the log" if len(files) == 1 else "reading the logs", len(files)) as done:
        for file in files:
            source = LogSource(file, stdin, options.format, options.columns.query)
            rows = read_log(source.rows(), options.columns, source.name)
            merged = merge(rows, options.region, options.cleaning, language_of, names_in)
            logs.setdefault(source.digest, merged)
            names.setdefault(source.digest, source.name)
            done(1)
    read = ReadLogs(logs, tuple(names.values()))
    if not read.queries:
        counted = "; ".join(f"{count} {reason}" for reason, count in read.rejected.items())
        raise EmptyResultError(f"no query in {', '.join(read.names)}: {counted or 'it has no rows'}")
    return read


def store_logs(store: Store, read: ReadLogs, options: ReadingOptions, reporter: Reporter) -> LogQuestions:
    """Keep what the logs say, draw the sample anew, and make its queries questions.

    The same log again changes nothing. A question keeps the document that an earlier log named where these
    name none. A question of an earlier sample stays in the set, without a weight.
    """
    for digest, log in read.logs.items():
        ids = {query.text: query.id for query in log.queries}
        store.logs.replace(digest, [_stored(query, ids) for query in log.queries])
    asked = store.logs.asked()
    weights = draw(asked, _sample(store, options), options.seed)
    if len(weights) > _MANY:
        reporter.say(
            f"{len(weights):,} queries become questions; --sample 500 takes some that stand for all traffic"
        )
    store.logs.set_weights(weights)
    questions, unknown = _questions(store, read.queries, weights)
    store.questions.add(questions)
    return LogQuestions(tuple(questions), unknown, parts(asked, weights))


def _sample(store: Store, options: ReadingOptions) -> int | None:
    if options.sample is not None:
        store.meta.set(_SAMPLE_KEY, str(options.sample))
    return int(store.meta.get(_SAMPLE_KEY) or 0) or None


def _questions(
    store: Store, fresh: Mapping[str, LogQuery], weights: Mapping[str, float]
) -> tuple[list[Question], int]:
    ids = {document.path: document.id for document in store.corpus.documents()}
    paths = sorted(ids)
    resolved: dict[str, str | None] = {}
    known = {question.id: question for question in store.questions.all("log")}
    questions: list[Question] = []
    unknown = 0
    for total in store.logs.totals(list(weights)):
        query = fresh.get(total.question_id)
        pages = query.pages if query else total.pages
        for page in pages:
            if page not in resolved:
                resolved[page] = resolve_page(page, paths)
        found = next((path for page in pages if (path := resolved[page])), None)
        unknown += query is not None and bool(pages) and found is None
        before = known.get(total.question_id)
        document_id = ids[found] if found else before.document_id if before else None
        text = total.text or (before.text if before else "")
        question = before or Question(total.question_id, text, "log", "log")
        questions.append(replace(question, text=text, document_id=document_id, asked=total.asked))
    return questions, unknown


def _stored(query: LogQuery, ids: Mapping[str, str]) -> LoggedQuery:
    return LoggedQuery(
        question_id=query.id,
        text=query.text,
        asked=query.asked,
        first_seen=query.first_seen,
        last_seen=query.last_seen,
        variants=query.variants,
        pages=query.pages,
        unclicked=query.unclicked,
        rewritten=query.rewritten,
        rewritten_to=tuple(ids[text] for text in query.rewritten_to),
        liked=query.liked,
        disliked=query.disliked,
    )
