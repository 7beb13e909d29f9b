"""What the order of queries tells: who is a machine, and which query was asked again in other words."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from goldgen.logs.table import NOBODY
from goldgen.text.words import telling_stems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BURST, BURST_SECONDS = 30, 60.0
"""So many queries within so many seconds are no person's."""
LEAST_OF_A_CLOCK, CLOCK_VARIATION = 20, 0.05
"""Queries whose intervals differ by less than this share (standard deviation / mean) come from a clock."""
LEAST_OF_A_ROTATION, ROTATION_SHARE = 50, 0.9
"""Queries of which this share repeats, in the same order, the round before."""
REWRITTEN_WITHIN = 300.0
"""Seconds."""
_SIMILAR = 0.6
_LONGEST_COMPARED = 200
_PLACEHOLDERS = re.compile(r"<[A-Z]+>")


def find_bots(
    user: "NDArray[np.uint32]", time: "NDArray[np.float64]", query: "NDArray[np.int64]"
) -> dict[int, str]:
    """Users that are machines, with what gave them away. Rows that name no user are nobody's.

    By rate or a clock only where the rows have times; by rotation in the order of times, else of the log.
    """
    import numpy as np

    found: dict[int, str] = {}
    for rows in _by_user(user, time, LEAST_OF_A_CLOCK):
        times = time[rows]
        times = times[~np.isnan(times)]
        who = int(user[rows[0]])
        if len(times) >= BURST and bool((times[BURST - 1 :] - times[: 1 - BURST] <= BURST_SECONDS).any()):
            found[who] = "bot: rate"
        elif len(times) >= LEAST_OF_A_CLOCK and _is_a_clock(np.diff(times)):
            found[who] = "bot: uniform intervals"
        elif len(rows) >= LEAST_OF_A_ROTATION and _rotates(query[rows]):
            found[who] = "bot: rotation"
    return found


def find_rewrites(
    user: "NDArray[np.uint32]",
    time: "NDArray[np.float64]",
    query: "NDArray[np.int64]",
    clicked: "NDArray[np.int8]",
    texts: Sequence[str],
) -> Iterator[tuple[int, int]]:
    """Row numbers of a query without a click and of its next wording by the same user, minutes later.

    ``texts`` is by number of query. A next query that shares neither a telling word nor most of its letters
    is another question. Nothing is found in a log without users, times or clicks.
    """
    import numpy as np

    order = np.lexsort((time, user))
    first, second = order[:-1], order[1:]
    apart = time[second] - time[first]
    candidates = (
        (user[first] == user[second])
        & (user[first] != NOBODY)
        & (clicked[first] == 0)
        & (query[first] != query[second])
        & (apart >= 0)
        & (apart <= REWRITTEN_WITHIN)
    )
    for before, after in zip(first[candidates].tolist(), second[candidates].tolist(), strict=True):
        if _alike(texts[int(query[before])], texts[int(query[after])]):
            yield before, after


def _by_user(
    user: "NDArray[np.uint32]", time: "NDArray[np.float64]", least: int
) -> "Iterator[NDArray[np.int64]]":
    """The rows of each user that has at least so many, by time."""
    import numpy as np

    order = np.lexsort((time, user))
    starts = np.flatnonzero(np.diff(user[order], prepend=-1)) if len(order) else order
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        if end - start >= least and user[order[start]] != NOBODY:
            yield order[start:end]


def _is_a_clock(apart: "NDArray[np.float64]") -> bool:
    mean = float(apart.mean())
    return mean > 0 and float(apart.std()) < CLOCK_VARIATION * mean


def _rotates(queries: "NDArray[np.int64]") -> bool:
    """Whether they go round a fixed list of at least three, again and again."""
    import numpy as np

    period = len(np.unique(queries))
    if period < 3 or len(queries) < 3 * period:
        return False
    return float((queries[period:] == queries[:-period]).mean()) >= ROTATION_SHARE


def _alike(before: str, after: str) -> bool:
    # Two queries are not about the same because something personal stood in both.
    before, after = (_PLACEHOLDERS.sub(" ", text[:_LONGEST_COMPARED]) for text in (before, after))
    if telling_stems(before) & telling_stems(after):
        return True
    return SequenceMatcher(None, before.casefold(), after.casefold()).ratio() >= _SIMILAR
