"""Units: the parts of which chunks are put together, each with what a cut before it would cost."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from goldgen.corpus.blocks import Block, Kind, blocks
from goldgen.corpus.measure import Measure
from goldgen.corpus.outline import LONGEST_TITLE, Fence, Outline
from goldgen.text.breaks import Break, breaks, word_breaks

_BOUND = 1e6
"""Between a heading and what it introduces."""
_BARE_HEADING = 50.0
"""Before a heading that introduces nothing."""
_CODE_LINE = 3.0
_ROW = 1.5
_AFTER_GAP = -1.0
_INDENTED = 0.25
"""For each character of indentation, up to 8."""

_WORD_PARTS = 4
"""In so many parts of the limit a sentence is cut that exceeds it, so that they fill chunks well."""
_FINEST = 64
"""A unit is joined to one that is not a part in so many of the limit."""

_LINE = re.compile(r"^[^\n]*\S", re.MULTILINE)
_Cutter = Callable[[str, int, int], list[Break]]


@dataclass(frozen=True, slots=True)
class Unit:
    start: int
    end: int
    cost: float
    starts_chunk: bool = False


class UnitCutter:
    """Cuts a text into units that measure ``limit`` at most; so do ``characters`` of any kind.

    A block stays whole with the headings above it where the two fit. Between units lies white space, or
    what the context of the next one says: the marks of a fence that is cut, and headings directly above a
    fence that does not fit with them. ``left_out`` are spans, in order, of which blocks give no unit, nor
    does a heading that introduces nothing else.
    """

    def __init__(
        self,
        text: str,
        parts: Outline,
        measure: Measure,
        limit: int,
        characters: int,
        left_out: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._text = text
        self._parts = parts
        self._measure = measure
        self._limit = limit
        self._left_out = left_out
        words = partial(word_breaks, size=max(1, characters // _WORD_PARTS))
        self._cutters: dict[Kind, Sequence[_Cutter]] = {
            "heading": (breaks, words),
            "prose": (breaks, words),
            "fence": (_code_lines, breaks, words),
            "table": (_rows, breaks, words),
        }
        self._fences = {fence.start: fence for fence in parts.fences}

    def units(self) -> list[Unit]:
        """In order. Tiny neighbours are one unit, so that packing takes time linear in the text."""
        joined: list[Unit] = []
        for unit in self._all():
            last = joined[-1] if joined else None
            if last and self._belong_together(last, unit):
                joined[-1] = replace(last, end=unit.end)
            else:
                joined.append(unit)
        return joined

    def _belong_together(self, unit: Unit, following: Unit) -> bool:
        is_near = self._measure(unit.start, following.start) * _FINEST < self._limit
        is_better_place = following.starts_chunk or following.cost < unit.cost
        return is_near and not is_better_place and self._fits(unit.start, following.end)

    def _all(self) -> Iterator[Unit]:
        after_gap = False
        for unit in self._with_gaps():
            if unit is None:
                after_gap = True
            else:
                yield replace(unit, starts_chunk=True) if after_gap else unit
                after_gap = False

    def _with_gaps(self) -> Iterator[Unit | None]:
        """Units, and None for each block that is left out."""
        headings: list[Block] = []
        for block in blocks(self._text, self._parts):
            if self._is_left_out(block):
                yield from self._bare(headings[:-1])
                yield None
                headings = []
            elif block.kind == "heading":
                headings.append(block)
            else:
                if block.kind == "fence":
                    yield from self._fence(headings, block, self._fences[block.start])
                else:
                    yield from self._introduced(headings, block)
                headings = []
        yield from self._bare(headings)

    def _is_left_out(self, block: Block) -> bool:
        after = bisect_right(self._left_out, (block.start, len(self._text) + 1))
        at = self._left_out[after - 1] if after else None
        # A block begins with its line, and so before the first letter of an indented paragraph.
        if at is None or block.end > at[1]:
            following = self._left_out[after] if after < len(self._left_out) else None
            at = following if following and not self._text[block.start : following[0]].strip() else None
        return at is not None and block.end <= at[1]

    def _introduced(self, headings: Sequence[Block], block: Block) -> Iterator[Unit]:
        """Headings and the block below them as one unit, or as several that hold together."""
        first = headings[0] if headings else block
        if self._fits(first.start, block.end):
            yield Unit(first.start, block.end, first.cost)
            return
        cost = first.cost
        for heading in headings:
            yield from self._cut(heading.start, heading.end, cost, self._cutters["heading"])
            cost = _BOUND
        room = self._limit - self._measure(first.start, block.start)
        yield from self._cut(block.start, block.end, cost, self._cutters[block.kind], room)

    def _fence(self, headings: Sequence[Block], block: Block, fence: Fence) -> Iterator[Unit]:
        first = headings[0] if headings else block
        if fence.closed and self._fits(first.start, block.end):
            yield Unit(first.start, block.end, first.cost)
            return
        whole = fence.closed and self._fits(block.start, block.end)
        found = [Unit(block.start, block.end, first.cost)] if whole else list(self._code(fence, first.cost))
        if not found and fence.info:  # no code at all
            yield from self._introduced(headings, replace(block, kind="prose"))
            return
        in_context = self._titles_in_context(fence.body_start) if found else frozenset[int]()
        yield from self._bare([heading for heading in headings if heading.start not in in_context])
        yield from found

    def _titles_in_context(self, at: int) -> frozenset[int]:
        """Starts of the headings above whose titles the context gives in full."""
        path = self._parts.path_at(at)
        return frozenset(heading.start for heading in path if 0 < len(heading.title) <= LONGEST_TITLE)

    def _code(self, fence: Fence, cost: float) -> Iterator[Unit]:
        """The lines of a fence that is cut, without its marks."""
        end = self._text.rfind("\n", fence.start, fence.end) if fence.closed else fence.end
        for number, unit in enumerate(self._cut(fence.body_start, end, cost, self._cutters["fence"])):
            yield replace(unit, starts_chunk=number == 0)

    def _bare(self, headings: Sequence[Block]) -> Iterator[Unit]:
        for heading in headings:
            yield from self._cut(heading.start, heading.end, _BARE_HEADING, self._cutters["heading"])

    def _cut(
        self, start: int, end: int, cost: float, cutters: Sequence[_Cutter], room: float | None = None
    ) -> Iterator[Unit]:
        """The span in as few units as fit, by the first cutter and where that is not enough by the next.

        ``room`` is what the first unit may measure if that is less than the limit.
        """
        end = start + len(self._text[start:end].rstrip())
        if start >= end:
            return
        room = self._limit if room is None else room
        if self._measure(start, end) <= room or not cutters:
            yield Unit(start, end, cost)
            return
        places = [(start, cost), *cutters[0](self._text, start, end), (end, 0.0)]
        for (at, price), (following, _) in pairwise(places):
            yield from self._cut(at, following, price, cutters[1:], room)
            room = self._limit

    def _fits(self, start: int, end: int) -> bool:
        return self._measure(start, end) <= self._limit


def _code_lines(text: str, start: int, end: int) -> list[Break]:
    return list(_lines(text, start, end, _CODE_LINE))


def _rows(text: str, start: int, end: int) -> list[Break]:
    """The rows after the first, which stays with the two of the header."""
    return list(_lines(text, start, end, _ROW))[2:]


def _lines(text: str, start: int, end: int, cost: float) -> Iterator[Break]:
    """The lines after the first, dearer the deeper they are indented and cheaper after an empty one."""
    for match in _LINE.finditer(text, start, end):
        at, line = match.start(), match[0]
        if at > start:
            indent = min(8, len(line) - len(line.lstrip()))
            after_gap = _AFTER_GAP if text.startswith("\n\n", at - 2) else 0.0
            yield at, cost + _INDENTED * indent + after_gap
