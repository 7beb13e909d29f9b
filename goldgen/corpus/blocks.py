"""The blocks of a document, in order, each with what a cut before it would cost."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from goldgen.corpus.outline import Fence, Heading, Outline, Table

Kind = Literal["heading", "prose", "fence", "table"]

_SECTION = -1.0
"""Less than nothing: a section is better begun in a chunk of its own."""
_LEVEL = 0.1
_BLOCK = 1.0
_ITEM = 1.0
_NESTED = 0.25
"""For each character that an item or a block within one is indented by."""
_LED_IN = 4.0
"""Before what the line above announces with a colon."""
_SHOWN = 1.0
"""More for code and tables: mostly the text above tells what they show."""

_ITEM_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")
_INDENT = re.compile(r"[ \t]*")
_ANNOUNCES = (":", "：")


@dataclass(frozen=True, slots=True)
class Block:
    start: int
    """The start of its first line, so that the indentation is part of it."""
    end: int
    kind: Kind
    cost: float


def blocks(text: str, parts: Outline) -> Iterator[Block]:
    """Headings, fences, tables, list items and paragraphs; only white space is in none of them."""
    known = sorted((*parts.headings, *parts.fences, *parts.tables), key=lambda part: (part.start, -part.end))
    at, before = 0, ""
    for part in known:
        if part.start < at:
            continue
        for block in _prose(text, at, part.start, before):
            before = text[block.start : block.end]
            yield block
        end = min(part.end, len(text))
        last = part.start + len(text[part.start : end].rstrip())
        yield Block(part.start, last, _kind(part), _cost_of(part, text, before))
        at, before = end, text[part.start : end] if isinstance(part, Heading) else ""
    yield from _prose(text, at, len(text), before)


def _kind(part: Heading | Fence | Table) -> Kind:
    if isinstance(part, Heading):
        return "heading"
    return "fence" if isinstance(part, Fence) else "table"


def _cost_of(part: Heading | Fence | Table, text: str, before: str) -> float:
    if isinstance(part, Heading):
        return _SECTION + _LEVEL * part.level
    if before.endswith(_ANNOUNCES):
        return _LED_IN
    return _BLOCK + _SHOWN + _NESTED * _indent(text, part.start)


def _indent(text: str, start: int) -> int:
    match = _INDENT.match(text, start)
    return min(8, len(match[0].expandtabs(4))) if match else 0


def _prose(text: str, start: int, end: int, before: str) -> Iterator[Block]:
    """Paragraphs and list items between two offsets; ``before`` is the text of the block above."""
    begin, last, after_gap = -1, start, True
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop].rstrip()
        is_item = bool(_ITEM_MARK.match(line))
        if begin >= 0 and (not line or is_item):
            yield _paragraph(text, begin, last, before, after_gap=after_gap)
            before, begin, after_gap = text[begin:last], -1, False
        if not line:
            after_gap = True
        elif begin < 0:
            begin = at
        last = at + len(line) if line else last
        at = stop + 1
    if begin >= 0:
        yield _paragraph(text, begin, last, before, after_gap=after_gap)


def _paragraph(text: str, start: int, end: int, before: str, *, after_gap: bool) -> Block:
    if before.endswith(_ANNOUNCES):
        cost = _LED_IN
    else:
        cost = (_BLOCK if after_gap else _ITEM) + _NESTED * _indent(text, start)
    return Block(start, end, "prose", cost)
