"""Queries of a log as questions: scrubbed first, then cleaned, then all spellings of one counted together."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from goldgen.logs.behaviour import find_bots, find_rewrites
from goldgen.logs.clean import Cleaning, asks_nothing
from goldgen.logs.names import NameFinder
from goldgen.logs.read import LogRow
from goldgen.logs.table import UNKNOWN, LogTable
from goldgen.tabular import BadRow
from goldgen.text import fold, stable_id
from goldgen.types import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PLACEHOLDERS = re.compile(r"<[A-Z]+>")
_AROUND = " \"'"
_FINAL = " .,;:!?\u3002\uff61\u3001\u061f\u06d4"
"""Folding has made ASCII of the full-width marks."""
_LINKS_KEPT = 5


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
    unclicked: int = 0
    """How often the log says that nothing was clicked."""
    rewritten: int = 0
    """How often the user then asked in other words within minutes: a failure of the search."""
    rewritten_to: tuple[str, ...] = ()
    """Texts of what it became, most often first; five at most."""
    liked: int = 0
    disliked: int = 0

    @property
    def id(self) -> str:
        """Of the question that it becomes."""
        return stable_id(_merge_key(self.text), "log")


@dataclass(frozen=True, slots=True)
class LogMerge:
    """A whole log: ``rows`` is the sum of ``asked`` and the number of bad rows."""

    queries: tuple[LogQuery, ...]
    """Most often asked first; of equals, the first in the log."""
    scrubbed: Mapping[str, int]
    """Values taken out of queries and pages, by kind."""
    rows: int
    bad: tuple[BadRow, ...]
    """Rows that could not be read or were cleaned away, by line."""
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Of what was taken out, by kind: the shape of the value and the scrubbed text."""
    kept: Mapping[str, int] = field(default_factory=dict[str, int])
    """Rows that were kept though there was this reason to turn them down (``Cleaning.keep_all``)."""


def merge(
    rows: Iterable[LogRow | BadRow],
    region: str = "US",
    cleaning: Cleaning | None = None,
    language_of: Callable[[str], str] | None = None,
    names: NameFinder | None = None,
) -> LogMerge:
    """Scrub every row, turn down what asks nothing, and merge what differs in case, quotation marks or final
    punctuation alone.

    Nothing of a row is kept but what scrubbing lets through, and never who asked. ``region`` and ``names`` as
    for ``scrub_all``; ``language_of`` is needed to keep some languages only, and gives anything but their
    codes where it is not sure.
    """
    cleaning = cleaning or Cleaning()
    table = LogTable(region, names)
    bad: list[BadRow] = []
    for row, text in table.cleaned(rows):
        if isinstance(row, BadRow):
            bad.append(BadRow(row.line, text))
            continue
        page = table.clean(_without_query_string(row.page)) if row.page else None
        if any(map(str.isalnum, _PLACEHOLDERS.sub("", text))):
            table.add(row, text, page)
        else:
            bad.append(BadRow(row.line, "only personal data"))
    kept: Counter[str] = Counter()
    queries: list[LogQuery] = []
    if len(table):
        groups = _Groups(table)
        for number, reason in groups.turned_down(cleaning, language_of):
            if cleaning.keep_all:
                kept[reason] += 1
            else:
                bad.append(BadRow(int(table.lines[number]), reason))
                groups.keep[number] = False
        queries = sorted(groups.queries(), key=lambda query: -query.asked)
    return LogMerge(
        tuple(queries),
        dict(table.scrubbed),
        sum(query.asked for query in queries) + len(bad),
        tuple(sorted(bad, key=lambda row: row.line)),
        {kind: tuple(examples) for kind, examples in table.examples.items()},
        dict(kept),
    )


def to_questions(merged: LogMerge) -> tuple[Question, ...]:
    """The queries as draft questions, in the same order."""
    return tuple(
        Question(id=query.id, text=query.text, origin="log", style="log", asked=query.asked)
        for query in merged.queries
    )


class _Groups:
    """The rows of a table by query, whatever its spelling."""

    def __init__(self, table: LogTable) -> None:
        import numpy as np

        numbers: dict[str, int] = {}
        self.table = table
        self.texts = table.texts
        self.of_spelling = np.array([numbers.setdefault(_merge_key(t), len(numbers)) for t in self.texts])
        self.of_row = self.of_spelling[table.spelling]
        self.size = len(numbers)
        self.keep = np.ones(len(table), dtype=bool)
        firsts: list[int] = np.unique(self.of_spelling, return_index=True)[1].tolist()
        self.first_text = [self.texts[at] for at in firsts]

    def turned_down(
        self, cleaning: Cleaning, language_of: Callable[[str], str] | None
    ) -> list[tuple[int, str]]:
        """Row numbers and reasons: what the query is before who asked it."""
        import numpy as np

        table = self.table
        by_spelling = {at: reason for at, text in enumerate(self.texts) if (reason := asks_nothing(text))}
        if cleaning.languages and language_of:
            for at, text in enumerate(self.texts):
                language = language_of(text)
                if len(language) == len("en") and language not in cleaning.languages:
                    by_spelling.setdefault(at, f"language {language}")
        by_user = find_bots(table.user, table.time, self.of_row)
        spelled = np.isin(table.spelling, list(by_spelling))
        from_bots = np.isin(table.user, list(by_user))
        return [
            (row, by_spelling[int(table.spelling[row])] if spelled[row] else by_user[int(table.user[row])])
            for row in np.flatnonzero(spelled | from_bots).tolist()
        ]

    def queries(self) -> list[LogQuery]:
        """In the order of the log."""
        import numpy as np

        table, keep = self.table, self.keep
        asked = np.bincount(table.spelling[keep], minlength=len(self.texts))
        first, last = np.full(self.size, np.inf), np.full(self.size, -np.inf)
        timed = keep & ~np.isnan(table.time)
        np.minimum.at(first, self.of_row[timed], table.time[timed])
        np.maximum.at(last, self.of_row[timed], table.time[timed])
        variants: list[list[int]] = [[] for _ in range(self.size)]
        for at in np.argsort(-asked, kind="stable").tolist():
            if asked[at]:
                variants[self.of_spelling[at]].append(at)
        pages = self._pages()
        unclicked, liked, disliked = (
            self._count(table.clicked == 0),
            self._count(table.liked == 1),
            self._count(table.liked == 0),
        )
        rewrites = self._rewrites()
        main = [self.texts[spellings[0]] if spellings else "" for spellings in variants]
        return [
            LogQuery(
                text=main[group],
                asked=int(asked[spellings].sum()),
                pages=tuple(pages.get(group, ())),
                first_seen=_moment(first[group]),
                last_seen=_moment(last[group]),
                variants=tuple(self.texts[at] for at in spellings),
                unclicked=int(unclicked[group]),
                rewritten=rewrites[group].total() if group in rewrites else 0,
                rewritten_to=tuple(main[to] for to, _ in rewrites[group].most_common(_LINKS_KEPT))
                if group in rewrites
                else (),
                liked=int(liked[group]),
                disliked=int(disliked[group]),
            )
            for group, spellings in enumerate(variants)
            if spellings
        ]

    def _count(self, which: "NDArray[np.bool_]") -> "NDArray[np.int64]":
        import numpy as np

        return np.bincount(self.of_row[which & self.keep], minlength=self.size)

    def _pages(self) -> dict[int, list[str]]:
        import numpy as np

        table, names = self.table, self.table.pages
        rows = np.flatnonzero(self.keep & (table.page != UNKNOWN))
        keys = self.of_row[rows] * max(len(names), 1) + table.page[rows]
        found, where, inverse = np.unique(keys, return_index=True, return_inverse=True)
        clicks = np.bincount(inverse, weights=table.clicks[rows], minlength=len(found))
        pages: dict[int, list[str]] = {}
        for at in np.lexsort((where, -clicks)).tolist():
            if clicks[at]:
                group, page = divmod(int(found[at]), len(names))
                pages.setdefault(group, []).append(names[page])
        return pages

    def _rewrites(self) -> dict[int, Counter[int]]:
        import numpy as np

        table = self.table
        rows = np.flatnonzero(self.keep)
        query = self.of_row[rows]
        found = find_rewrites(table.user[rows], table.time[rows], query, table.clicked[rows], self.first_text)
        rewrites: dict[int, Counter[int]] = {}
        for before, after in found:
            rewrites.setdefault(int(query[before]), Counter())[int(query[after])] += 1
        return rewrites


def _moment(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if math.isfinite(seconds) else None


def _merge_key(text: str) -> str:
    return fold(text).strip(_AROUND).rstrip(_FINAL + _AROUND)


def _without_query_string(page: str) -> str:
    """The address alone: what users typed stands in query strings."""
    return re.split(r"[?#]", page, maxsplit=1)[0]
