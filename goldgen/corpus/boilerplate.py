"""Boilerplate: paragraphs at the ends of many pages, about which no question should be written."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from goldgen.types import Document

SHORTEST = 40
"""Characters. Shorter paragraphs, such as "See below", repeat by chance."""
FEWEST_DOCUMENTS = 5
LEAST_SHARE = 0.2
_ENDS = 5
"""Paragraphs from the start or the end that may belong to a menu or a footer."""
_WINDOW = 4_000
"""Characters from the start or the end in which they are looked for."""

_PARAGRAPH = re.compile(r"\S.*(?:\n.*\S.*)*")
_FRAME = re.compile(r"#{1,6}\s.*|[-*_ ]+|.+\n(?:=+|-+)")
"""Headings and rules: they introduce a footer without being one."""


def boilerplate(documents: Iterable[Document]) -> frozenset[str]:
    """Paragraphs, white space collapsed, that begin or end at least 5 documents and a fifth of them.

    Documents are looked at one by one, so that they need not be in memory together.
    """
    counts: Counter[str] = Counter()
    seen = 0
    for document in documents:
        seen += 1
        counts.update(
            {
                collapsed
                for paragraph in _ends(document.text)
                if len(collapsed := _collapsed(paragraph)) >= SHORTEST
            }
        )
    enough = max(FEWEST_DOCUMENTS, math.ceil(LEAST_SHARE * seen))
    return frozenset(paragraph for paragraph, count in counts.items() if count >= enough)


def body_span(text: str, shared: frozenset[str]) -> tuple[int, int]:
    """The text without the shared paragraphs that it begins and ends with: offsets, the end exclusive.

    At the start only paragraphs above everything else are left off, such as a menu or a banner.
    """
    end = body_end(text, shared)
    start = 0
    if not shared:
        return start, end
    for match in _PARAGRAPH.finditer(text, 0, end):
        start = match.start()
        if _collapsed(match[0]) not in shared:
            return start, end
    return end, end


def body_end(text: str, footers: frozenset[str]) -> int:
    """Where the text ends if the footers at its end, and headings and rules above them, are left off."""
    end = len(text)
    if not footers:
        return end
    for start, paragraph in _tail(text):
        if _collapsed(paragraph) in footers:
            end = start
        elif end == len(text) or not _FRAME.fullmatch(paragraph):
            break
        else:
            end = start
    return end


def _collapsed(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _ends(text: str) -> Iterator[str]:
    yield from (match[0] for match in islice(_PARAGRAPH.finditer(text, 0, _WINDOW), _ENDS))
    yield from (paragraph for _, paragraph in _tail(text))


def _tail(text: str) -> Iterator[tuple[int, str]]:
    """The last paragraphs with their offsets, the very last first."""
    # A tail is short: looking at the end alone keeps long documents cheap. It begins with a paragraph.
    offset = text.rfind("\n\n", 0, max(0, len(text) - _WINDOW)) + 1
    found = [(offset + match.start(), match[0]) for match in _PARAGRAPH.finditer(text[offset:])]
    yield from reversed(found[-_ENDS:])
