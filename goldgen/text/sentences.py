"""Sentences with their offsets, and windows of them."""

import re
from collections.abc import Iterator
from itertools import groupby

_LINES = re.compile(r"[^\n]+")
_STARTS_BLOCK = re.compile(r"[-*+•](?:\s|$)|\d+[.)]\s|[#>|]|```|~~~|(?:-{3,}|\*{3,}|_{3,}|={3,})$")
_ENDS = re.compile(
    r"""(?:(?<![.!?…])[.!?…]+["'”’)\]*_`]*(?=\s+["'“‘(\[*_`]*[^\Wa-z_])|[。！？]+[」』”’）]*)"""
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|st|z\.b|bzw|ca)|\b[^\W\d_])\.$", re.I
)
_LONGEST_ABBREVIATION = len("approx.")
_LIST_NUMBER = re.compile(r"\d+\.$")


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences; a line break ends one only before a block or an empty line.

    White space between sentences belongs to none of them.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        spans.extend(_sentences_of_block(text, start, end))
    return spans


def is_heading(text: str, start: int) -> bool:
    """Whether the sentence at ``start`` is a Markdown heading: it names an answer and gives none."""
    return text[start] == "#"


def heading_above(text: str, at: int) -> str:
    """The last heading of ``text`` before ``at``, with its marks; empty if there is none."""
    return next((text[a:b] for a, b in reversed(sentences(text[:at])) if is_heading(text, a)), "")


def windows(text: str, size: int = 2) -> list[tuple[int, int]]:
    """Spans of ``size`` neighbouring sentences under one heading, one step apart; fewer where there are.

    Headings are in none of them.
    """
    found: list[tuple[int, int]] = []
    for heading, group in groupby(sentences(text), key=lambda span: is_heading(text, span[0])):
        spans = list(group)
        if not heading:
            last = max(1, len(spans) - size + 1)
            found.extend((spans[i][0], spans[min(i + size, len(spans)) - 1][1]) for i in range(last))
    return found


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Runs of lines that read on: a list item, table row, heading or fence starts a new one."""
    start = end = -1
    for line in _LINES.finditer(text):
        content = line.group().strip()
        if not content:
            continue
        gap = text[end : line.start()].count("\n") > 1 if end >= 0 else True
        if start >= 0 and (gap or _STARTS_BLOCK.match(content) or text[start] in "#|"):
            yield start, end
            start = -1
        if start < 0:
            start = line.start() + len(line.group()) - len(line.group().lstrip())
        end = line.start() + len(line.group().rstrip())
    if start >= 0:
        yield start, end


def _sentences_of_block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for found in _ENDS.finditer(text, start, end):
        stop = found.start() + 1
        if found.group().startswith(".") and (
            _ABBREVIATION.search(text, max(at, stop - _LONGEST_ABBREVIATION), stop)
            or (at == start and _LIST_NUMBER.match(text, at, stop))
        ):
            continue
        yield at, found.end()
        at = found.end()
        while at < end and text[at].isspace():
            at += 1
    if at < end:
        yield at, end
