"""Where a chunk begins that repeats the end of the one before it."""

import re

from goldgen.corpus.measure import Measure
from goldgen.corpus.outline import Outline
from goldgen.text.breaks import SENTENCE, breaks

_LINE_START = re.compile(r"\n(?=[^\n]*\S)")
_MOST_CHARACTERS = 4
"""That measure one token or character."""


def overlapping_start(
    text: str, parts: Outline, before: int, start: int, measure: Measure, overlap: int
) -> int:
    """The earliest sentence, line of code or row that measures ``overlap`` at most up to ``start``.

    ``before`` is where the chunk before begins. Nothing is repeated across a heading, or of half a fence
    or table. Without a sentence that is short enough it is the earliest clause, or ``start`` itself.
    """
    heading = parts.heading_at(start)
    if heading and heading.start == start:
        return start
    fence, table = parts.fence_at(start), parts.table_at(start)
    first = max(
        before + 1,  # not all of it
        start - _MOST_CHARACTERS * overlap,
        heading.end if heading else 0,
        fence.body_start if fence else 0,
        table.body_start if table else 0,
    )
    if fence or table:
        places = [(match.end(), SENTENCE) for match in _LINE_START.finditer(text, max(0, first - 1), start)]
    else:
        places = [
            (at, cost)
            for at, cost in breaks(text, first, start)
            if not parts.fence_at(at) and not parts.table_at(at)
        ]
    fitting = [(at, cost) for at, cost in places if at >= first and measure(at, start) <= overlap]
    sentences = [at for at, cost in fitting if cost <= SENTENCE]
    return min(sentences or [at for at, _ in fitting], default=start)
