"""Boilerplate: paragraphs that stand on many pages, about which no question should be written.

At the ends of pages they are menus and footers, which are left out. In the middle they tell something, such
as the options that many commands have; they count once.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice

from goldgen.types import Document

SHORTEST = 40
"""Characters. Shorter paragraphs, such as "See below", repeat by chance."""
FEWEST_DOCUMENTS = 5
LEAST_SHARE = 0.2
SHORTEST_INSIDE = 200
FEWEST_DOCUMENTS_INSIDE = 20
"""More than at the ends, for a few pages that are nearly alike stay whole."""
_ENDS = 5
"""Paragraphs from the start or the end that may belong to a menu or a footer."""
_WINDOW = 4_000
"""Characters from the start or the end in which they are looked for."""

_PARAGRAPH = re.compile(r"\S.*(?:\n.*\S.*)*")
_FRAME = re.compile(r"#{1,6}\s.*|[-*_ ]+|.+\n(?:=+|-+)")
"""Headings and rules: they introduce a footer without being one."""


@dataclass(frozen=True, slots=True)
class SharedText:
    """Paragraphs, white space collapsed."""

    ends: frozenset[str] = frozenset()
    """Left out at the ends of all documents."""
    once: Mapping[str, str] = field(default_factory=dict[str, str])
    """Hash to the path of the document that keeps it; left out in the others."""

    def parts(self) -> list[str]:
        """All that tells one from another, in order."""
        return [*sorted(self.ends), *(f"{key} {path}" for key, path in sorted(self.once.items()))]


def boilerplate(documents: Iterable[Document]) -> SharedText:
    """What a fifth of the documents share: at their ends if that is 5, else if it is 20 and long.

    The first by path keeps what stands inside. Documents are looked at one by one, so that they need not be
    in memory together.
    """
    counts: Counter[str] = Counter()
    inside: Counter[bytes] = Counter()
    first: dict[bytes, str] = {}
    seen = 0
    for document in documents:
        seen += 1
        keys = {_key(match[0]) for match in _long_paragraphs(document.text)}
        inside.update(keys)
        for key in keys:
            first[key] = min(first.get(key, document.path), document.path)
        counts.update(
            {
                collapsed
                for paragraph in _ends(document.text)
                if len(collapsed := _collapsed(paragraph)) >= SHORTEST
            }
        )
    enough = max(FEWEST_DOCUMENTS, math.ceil(LEAST_SHARE * seen))
    enough_inside = max(FEWEST_DOCUMENTS_INSIDE, enough)
    return SharedText(
        frozenset(paragraph for paragraph, count in counts.items() if count >= enough),
        {key.hex(): first[key] for key, count in inside.items() if count >= enough_inside},
    )


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


def spans_left_out(text: str, shared: SharedText, path: str) -> list[tuple[int, int]]:
    """Spans of paragraphs that another document keeps, in order; the end is exclusive."""
    if not shared.once:
        return []
    return [
        match.span()
        for match in _long_paragraphs(text)
        if shared.once.get(_key(match[0]).hex(), path) != path
    ]


def _long_paragraphs(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _PARAGRAPH.finditer(text) if match.end() - match.start() >= SHORTEST_INSIDE)


def _key(paragraph: str) -> bytes:
    return blake2b(_collapsed(paragraph).encode(), digest_size=8).digest()


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
