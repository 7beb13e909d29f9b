"""Rows of a search log: which column is what, and which rows hold a query."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import chain, islice

from goldgen.errors import TableError
from goldgen.logs.scrub import scrub
from goldgen.tabular import BadRow, Row, pick_column

QUERY_NAMES = ("query", "q", "search", "search_term", "question", "text")
PAGE_NAMES = ("page", "url", "clicked", "document", "doc")
CLICKS_NAMES = ("clicks",)
TIME_NAMES = ("time", "timestamp", "date")
USER_NAMES = ("user", "user_id", "userid", "session", "session_id", "visitor", "client_id")
FEEDBACK_NAMES = ("feedback", "helpful", "thumbs")

LONGEST_QUERY = 2_000
"""Characters. What is longer was pasted, not asked."""

_PEEKED_ROWS = 100
"""The first objects of a JSONL file need not hold every column."""
_UNIX_TIME = re.compile(r"\d{9,}(?:\.\d+)?")
_LATEST_SECONDS = 1e11
"""Unix times above it are milliseconds: as seconds they lie after the year 5000."""
_FLAGS = {
    "true": True,
    "t": True,
    "yes": True,
    "1": True,
    "false": False,
    "f": False,
    "no": False,
    "0": False,
}
_LIKED = frozenset({"up", "+1", "thumbs_up", "👍", "good", "helpful", "like", "liked", "positive"})
_DISLIKED = frozenset(
    {"down", "-1", "thumbs_down", "👎", "bad", "unhelpful", "dislike", "disliked", "negative"}
)


@dataclass(frozen=True, slots=True)
class LogColumns:
    """The columns by name; None: found by the usual names."""

    query: str | None = None
    page: str | None = None
    clicks: str | None = None
    time: str | None = None
    user: str | None = None
    feedback: str | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """One query as it was asked, not scrubbed yet: never store it."""

    line: int
    query: str
    page: str | None = None
    """The page that was clicked, as the log names it."""
    clicks: int | None = None
    time: datetime | None = None
    """Always with a time zone; UTC where the log names none."""
    user: str | None = field(default=None, repr=False)
    """Who asked, as the log names them."""
    clicked: bool | None = None
    """Whether anything was clicked; None where the log does not say."""
    liked: bool | None = None
    """Thumbs up or down; stars and other scales are not read."""


def read_log(
    rows: Iterable[Row | BadRow], columns: LogColumns | None = None, source: str = "the log"
) -> Iterator[LogRow | BadRow]:
    """Each row as a LogRow, or as a BadRow with the reason, in order.

    A row is bad if its query is missing, is not text, has no letter or digit, or is too long. Clicks and
    times that cannot be read are None, for the query counts all the same. Raises TableError if a column is
    missing that was named, or that of the queries.
    """
    rows = iter(rows)
    first = list(islice(rows, _PEEKED_ROWS))
    names = list(dict.fromkeys(name for row in first if isinstance(row, Row) for name in row.values))
    found = _found_columns(names, columns or LogColumns(), source) if names else LogColumns()
    for row in chain(first, rows):
        yield row if isinstance(row, BadRow) else _log_row(row, found)


def _found_columns(names: Sequence[str], given: LogColumns, source: str) -> LogColumns:
    def find(flag: str, name: str | None, usual: Sequence[str]) -> str | None:
        column = pick_column(names, [name] if name else usual)
        if column is None and (name or flag == "--query"):
            missing = f"no column {name!r}" if name else "no column of queries"
            # A file without a header has a query for its names.
            shown = ", ".join(sorted(scrub(name).text for name in names))
            raise TableError(f"{source} has {missing}, only {shown}; name it with {flag}")
        return column

    return LogColumns(
        find("--query", given.query, QUERY_NAMES),
        find("--page", given.page, PAGE_NAMES),
        find("--clicks", given.clicks, CLICKS_NAMES),
        find("--time", given.time, TIME_NAMES),
        find("--user", given.user, USER_NAMES),
        find("--feedback", given.feedback, FEEDBACK_NAMES),
    )


def _log_row(row: Row, columns: LogColumns) -> LogRow | BadRow:
    def value(column: str | None) -> object:
        return row.values.get(column) if column else None

    query = value(columns.query)
    if isinstance(query, bool | bytes | list | tuple | dict):
        return BadRow(row.line, "the query is not text")
    text = _text(query)
    if not text:
        return BadRow(row.line, "the query is empty")
    if len(text) > LONGEST_QUERY:
        return BadRow(row.line, f"the query is longer than {LONGEST_QUERY:,} characters")
    if not any(map(str.isalnum, text)):
        return BadRow(row.line, "the query has no letter or digit")
    page = _text(value(columns.page))
    clicks = _clicks(value(columns.clicks))
    clicked = bool(page) if columns.page in row.values else None
    if (flag := _FLAGS.get(page.lower())) is not None:
        page, clicked = "", flag
    return LogRow(
        row.line,
        text,
        page or None,
        clicks,
        _time(value(columns.time)),
        _text(value(columns.user)) or None,
        clicked if clicks is None else clicks > 0,
        _liked(_text(value(columns.feedback)).lower()),
    )


def _liked(feedback: str) -> bool | None:
    if feedback in _LIKED or feedback in _DISLIKED:
        return feedback in _LIKED
    return _FLAGS.get(feedback)


def _text(value: object) -> str:
    """The value on one line, with single spaces; empty if it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return " ".join(str(value).split())


def _clicks(value: object) -> int | None:
    try:
        clicks = float(_text(value))
    except ValueError:
        return None
    return int(clicks) if clicks >= 0 and clicks.is_integer() else None


def _time(value: object) -> datetime | None:
    """ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    text = _text(value)
    try:
        # Python would take long runs of digits for a date and a time without separators.
        if _UNIX_TIME.fullmatch(text):
            seconds = float(text)
            return datetime.fromtimestamp(seconds / 1000 if seconds > _LATEST_SECONDS else seconds, UTC)
        time = value if isinstance(value, datetime) else datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
