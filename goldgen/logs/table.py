"""The rows of a log in memory: 39 bytes a row, and each distinct spelling and page once, scrubbed.

Whoever asked is known by a hash whose salt is drawn anew for each table and never leaves it.
"""

import hashlib
import math
import secrets
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from goldgen.logs.names import NameFinder
from goldgen.logs.read import LogRow
from goldgen.logs.scrub import Scrubbed, scrub, scrub_all
from goldgen.tabular import BadRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEMBERED = 1 << 15
"""Queries as typed, and as many pages, whose scrubbed form is kept at hand, in memory only."""
_AT_ONCE = 512
"""Rows whose queries are scrubbed together."""
_EXAMPLES = 3
NOBODY = 0
UNKNOWN = -1


class LogTable:
    """Scrubbed rows by column. ``spelling``, ``page`` and ``user`` are numbers in order of appearance."""

    def __init__(self, region: str = "US", names: NameFinder | None = None) -> None:
        self.scrubbed: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        """A few texts by kind, each scrubbed, with the shape of what stood there."""
        self._region, self._names = region, names
        self._queries: dict[str, Scrubbed] = {}
        self._salt = secrets.token_bytes(16)
        self._spellings: dict[str, int] = {}
        self._pages: dict[str, int] = {}
        self._users: dict[bytes, int] = {}
        self._lines, self._spelling, self._page = array("Q"), array("I"), array("i")
        self._clicks, self._user, self._time = array("q"), array("I"), array("d")
        self._clicked, self._liked = array("b"), array("b")

        @lru_cache(maxsize=_REMEMBERED)
        def clean(text: str) -> Scrubbed:
            return scrub(text, region)

        self._clean = clean

    def cleaned(self, rows: Iterable[LogRow | BadRow]) -> Iterator[tuple[LogRow | BadRow, str]]:
        """Each row with its scrubbed query, or the scrubbed reason why it is bad.

        Names of people are looked for in queries only: a path is no text to a model.
        """
        rows = iter(rows)
        while piece := list(islice(rows, _AT_ONCE)):
            self._scrub(row.query for row in piece if isinstance(row, LogRow))
            for row in piece:
                if isinstance(row, LogRow):
                    yield row, self._counted(self._queries[row.query])
                else:
                    yield row, self.clean(row.reason)

    def _scrub(self, queries: Iterable[str]) -> None:
        """What is not known of some queries; a model that looks for names is asked once."""
        if len(self._queries) > _REMEMBERED:
            self._queries.clear()
        wanted = dict.fromkeys(queries)
        new = [query for query in wanted if query not in self._queries]
        self._queries.update(zip(new, scrub_all(new, self._region, self._names), strict=True))

    def clean(self, text: str) -> str:
        """The scrubbed text of a page or a reason; what was taken out is counted."""
        return self._counted(self._clean(text))

    def _counted(self, result: Scrubbed) -> str:
        if result.counts:
            self.scrubbed.update(result.counts)
            for kind, shape in result.shapes:
                kept = self.examples.setdefault(kind, [])
                example = f"{shape} in: {result.text}"
                if len(kept) < _EXAMPLES and example not in kept:
                    kept.append(example)
        return result.text

    def add(self, row: LogRow, text: str, page: str | None) -> None:
        """A row whose text and page are scrubbed already."""
        self._lines.append(row.line)
        self._spelling.append(self._spellings.setdefault(text, len(self._spellings)))
        self._page.append(UNKNOWN if page is None else self._pages.setdefault(page, len(self._pages)))
        self._clicks.append(1 if row.clicks is None else min(row.clicks, 2**62))
        self._user.append(self._number_of(row.user))
        self._time.append(row.time.timestamp() if row.time else math.nan)
        self._clicked.append(UNKNOWN if row.clicked is None else row.clicked)
        self._liked.append(UNKNOWN if row.liked is None else row.liked)

    def _number_of(self, user: str | None) -> int:
        if user is None:
            return NOBODY
        digest = hashlib.blake2b(user.encode("utf-8", "replace"), key=self._salt, digest_size=8).digest()
        return self._users.setdefault(digest, len(self._users) + 1)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def texts(self) -> list[str]:
        return list(self._spellings)

    @property
    def pages(self) -> list[str]:
        return list(self._pages)

    @property
    def lines(self) -> "NDArray[np.uint64]":
        return _view(self._lines)

    @property
    def spelling(self) -> "NDArray[np.uint32]":
        return _view(self._spelling)

    @property
    def page(self) -> "NDArray[np.int32]":
        return _view(self._page)

    @property
    def clicks(self) -> "NDArray[np.int64]":
        return _view(self._clicks)

    @property
    def user(self) -> "NDArray[np.uint32]":
        """0 for a row that names nobody."""
        return _view(self._user)

    @property
    def time(self) -> "NDArray[np.float64]":
        """Seconds since 1970; NaN where the row has no time."""
        return _view(self._time)

    @property
    def clicked(self) -> "NDArray[np.int8]":
        """1 yes, 0 no, -1 unknown."""
        return _view(self._clicked)

    @property
    def liked(self) -> "NDArray[np.int8]":
        """1 yes, 0 no, -1 unknown."""
        return _view(self._liked)


def _view(values: "array[Any]") -> "NDArray[Any]":
    import numpy as np

    return np.frombuffer(values, dtype=values.typecode) if values else np.zeros(0, dtype=values.typecode)
