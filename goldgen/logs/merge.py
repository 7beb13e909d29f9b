"""Queries of a log as questions: scrubbed first, then every spelling of one query counted together."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from goldgen.logs.read import LogRow
from goldgen.logs.scrub import scrub
from goldgen.tabular import BadRow
from goldgen.text import fold, stable_id
from goldgen.types import Question

_PLACEHOLDERS = re.compile(r"<[A-Z]+>")
_AROUND = " \"'"
_FINAL = " .,;:!?\u3002\uff61\u3001\u061f\u06d4"
"""Folding has made ASCII of the full-width marks."""


@dataclass(frozen=True, slots=True)
class LogQuery:
    """One query in all its spellings, scrubbed."""

    text: str
    """The spelling asked most often; of equals, the first."""
    asked: int
    pages: tuple[str, ...]
    """Clicked pages without query string and fragment, most clicks first; a row without clicks counts 1."""
    first_seen: datetime | None
    last_seen: datetime | None
    variants: tuple[str, ...]
    """All spellings, most often asked first."""


@dataclass(frozen=True, slots=True)
class LogMerge:
    """A whole log: ``rows`` is the sum of ``asked`` and the number of bad rows."""

    queries: tuple[LogQuery, ...]
    """Most often asked first; of equals, the first in the log."""
    scrubbed: Mapping[str, int]
    """Values taken out of queries and pages, by kind."""
    rows: int
    bad: tuple[BadRow, ...]


@dataclass(slots=True)
class _Group:
    variants: Counter[str] = field(default_factory=Counter[str])
    pages: Counter[str] = field(default_factory=Counter[str])
    times: list[datetime] = field(default_factory=list[datetime])

    def query(self) -> LogQuery:
        variants = tuple(text for text, _ in self.variants.most_common())
        return LogQuery(
            text=variants[0],
            asked=self.variants.total(),
            pages=tuple(page for page, clicks in self.pages.most_common() if clicks),
            first_seen=min(self.times, default=None),
            last_seen=max(self.times, default=None),
            variants=variants,
        )


def merge(rows: Iterable[LogRow | BadRow], region: str = "US") -> LogMerge:
    """Scrub every row, then merge queries that differ in case, quotation marks or final punctuation.

    Nothing of a row is kept but what scrubbing lets through. ``region`` as for ``scrub``.
    """
    groups: dict[str, _Group] = {}
    scrubbed: Counter[str] = Counter()
    bad: list[BadRow] = []

    def clean(text: str) -> str:
        result = scrub(text, region)
        scrubbed.update(result.counts)
        return result.text

    for row in rows:
        if isinstance(row, BadRow):
            bad.append(BadRow(row.line, clean(row.reason)))
            continue
        text = clean(row.query)
        if not any(map(str.isalnum, _PLACEHOLDERS.sub("", text))):
            bad.append(BadRow(row.line, "only personal data"))
            continue
        group = groups.setdefault(_merge_key(text), _Group())
        group.variants[text] += 1
        if row.page:
            group.pages[clean(_without_query_string(row.page))] += 1 if row.clicks is None else row.clicks
        if row.time:
            group.times.append(row.time)
    queries = sorted((group.query() for group in groups.values()), key=lambda query: -query.asked)
    asked = sum(query.asked for query in queries)
    return LogMerge(tuple(queries), dict(scrubbed), asked + len(bad), tuple(bad))


def to_questions(merged: LogMerge) -> tuple[Question, ...]:
    """The queries as draft questions, in the same order."""
    return tuple(
        Question(
            id=stable_id(_merge_key(query.text), "log"),
            text=query.text,
            origin="log",
            style="log",
            asked=query.asked,
        )
        for query in merged.queries
    )


def _merge_key(text: str) -> str:
    return fold(text).strip(_AROUND).rstrip(_FINAL + _AROUND)


def _without_query_string(page: str) -> str:
    """The address alone: what users typed stands in query strings."""
    return re.split(r"[?#]", page, maxsplit=1)[0]
