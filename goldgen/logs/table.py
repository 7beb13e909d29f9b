"""The rows of a log in memory: 39 bytes a row, and each distinct spelling and page once, scrubbed.

Whoever asked is known by a hash whose salt is drawn anew for each table and never leaves it.
"""

import hashlib
import math
import secrets
from array import array
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from goldgen.logs.read import LogRow
from goldgen.logs.scrub import Scrubbed, scrub
from goldgen.logs.spans import Finder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEMBERED = 1 << 16
"""Texts as typed whose scrubbed form is kept at hand, in memory only."""
_EXAMPLES = 3
NOBODY = 0
UNKNOWN = -1


class LogTable:
    """Scrubbed rows by column. ``spelling``, ``page`` and ``user`` are numbers in order of appearance."""

    def __init__(self, region: str = "US", names: Finder | None = None) -> None:
        self.scrubbed: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        """A few texts by kind, each scrubbed, with the shape of what stood there."""
        self._salt = secrets.token_bytes(16)
        self._spellings: dict[str, int] = {}
        self._pages: dict[str, int] = {}
        self._users: dict[bytes, int] = {}
        self._lines, self._spelling, self._page = array("Q"), array("I"), array("i")
        self._clicks, self._user, self._time = array("q"), array("I"), array("d")
        self._clicked, self._liked = array("b"), array("b")

        @lru_cache(maxsize=_REMEMBERED)
        def clean(text: str, *, is_query: bool) -> Scrubbed:
            return scrub(text, region, names if is_query else None)

        self._clean = clean

    def clean(self, text: str, *, is_query: bool = False) -> str:
        """The scrubbed text; what was taken out is counted. Names of people are looked for in queries only:
        a path is no text to a model."""
        result = self._clean(text, is_query=is_query)
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
