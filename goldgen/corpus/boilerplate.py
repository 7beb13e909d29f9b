"""Footers: paragraphs at the end of many pages, about which no question should be written."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from goldgen.types import Document

SHORTEST = 40
"""Characters. Shorter paragraphs, such as "See below", repeat by chance."""
FEWEST_DOCUMENTS = 5
LEAST_SHARE = 0.2
_TAIL = 5
"""Paragraphs from the end that may belong to a footer."""

_PARAGRAPH = re.compile(r"\S.*(?:\n.*\S.*)*")
_FRAME = re.compile(r"#{1,6}\s.*|[-*_ ]+|.+\n(?:=+|-+)")
"""Headings and rules: they introduce a footer without being one."""


def boilerplate(documents: Sequence[Document]) -> frozenset[str]:
    """Paragraphs, white space collapsed, that end at least 5 documents and a fifth of them."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update({_collapsed(paragraph) for _, paragraph in _tail(document.text)})
    enough = max(FEWEST_DOCUMENTS, math.ceil(LEAST_SHARE * len(documents)))
    return frozenset(
        paragraph for paragraph, count in counts.items() if count >= enough and len(paragraph) >= SHORTEST
    )


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


def _tail(text: str) -> Iterator[tuple[int, str]]:
    """The last paragraphs with their offsets, the very last first."""
    # A tail is short: looking at the end alone keeps long documents cheap.
    offset = max(0, len(text) - 4_000)
    found = [(offset + match.start(), match[0]) for match in _PARAGRAPH.finditer(text, offset)]
    yield from reversed(found[-_TAIL:])
