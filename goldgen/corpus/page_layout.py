"""The order of reading on a page of which only the places of its glyphs are known.

A page is cut at gutters: white bands that run down between lines on both sides. Where both sides are
prose they are columns, read one after the other; where they are not, the lines are rows of a table.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from goldgen.corpus.page_lines import Glyph, Line, line_of, lines_of, rows_of

_SAME_LINE_OF_PROSE = 2.0
"""Ems between words of a justified line, where no gutter runs."""
_GUTTER = 0.45
_WIDE_GUTTER = 0.9
"""Narrower ones need more rows, for spaces of a justified text may stand below each other."""
_PROSE = 8.0
"""Ems: the mean length of lines from which a side of a gutter is a column, not cells."""
_FEWEST_LINES = 3
_PITCH = 1.25
"""Ems from one line to the next."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a table."""

    rows: tuple[tuple[str, ...], ...]


Block = tuple[Line, ...] | Grid
"""Lines that are read one below the other, or a table."""


class _Span(NamedTuple):
    start: float
    end: float


def page_blocks(glyphs: Sequence[Glyph]) -> list[Block]:
    """The blocks of a page in reading order. ``glyphs`` come in the order of the file."""
    return list(_ordered(lines_of(glyphs)))


def _ordered(lines: Sequence[Line]) -> Iterator[Block]:
    if not lines:
        return
    em = median(line.em for line in lines)
    rows = rows_of(lines)
    plain: list[Line] = []
    start = 0
    while start < len(rows):
        gutters, end = _zone(rows, start, em)
        if not gutters:
            plain += _prose_line(rows[start])
            start += 1
            continue
        widest = max(gutters, key=lambda gutter: gutter.end - gutter.start)
        first = _first_row_of_columns(rows[start:end], widest, em)
        sides = _sides(rows[start + first : end], widest)
        is_wide = widest.end - widest.start >= _WIDE_GUTTER * em
        if is_wide and all(map(_is_prose, sides)):
            yield from _lines_block([*plain, *_flat(rows[start : start + first])])
            plain = []
            for side in sides:
                yield from _ordered(side)
        elif table := _table_rows(rows[start:end], sides, is_wide=is_wide):
            yield from _lines_block([*plain, *_flat(rows[start : start + table.start])])
            cells = rows[start + table.start : start + table.stop]
            # Rows below the table, now off, may have stood in the way of gutters.
            yield from _grid(cells, _zone(cells, 0, em)[0] or gutters)
            plain = _flat(rows[start + table.stop : end])
        else:
            plain += [line for row in rows[start:end] for line in _prose_line(row)]
        start = end
    yield from _lines_block(plain)


def _lines_block(lines: Sequence[Line]) -> Iterator[Block]:
    if lines:
        yield tuple(lines)


def _flat(rows: Iterable[Sequence[Line]]) -> list[Line]:
    return [line for row in rows for line in row]


def _prose_line(row: Sequence[Line]) -> Iterator[Line]:
    before = row[0]
    for line in row[1:]:
        if line.left - before.right <= _SAME_LINE_OF_PROSE * max(before.em, line.em):
            before = line_of((*before.glyphs, *line.glyphs))
        else:
            yield before
            before = line
    yield before


def _zone(rows: Sequence[Sequence[Line]], start: int, em: float) -> tuple[list[_Span], int]:
    """The gutters that run down from a row, and the row after the last that they part."""
    everything = _flat(rows[start:])
    free = [_Span(min(line.left for line in everything), max(line.right for line in everything))]
    found: list[_Span] = []
    end = start
    first_right, last_left = math.inf, -math.inf
    for index in range(start, len(rows)):
        free = [span for span in _minus(free, rows[index]) if span.end - span.start >= _GUTTER * em]
        first_right = min(first_right, min(line.right for line in rows[index]))
        last_left = max(last_left, max(line.left for line in rows[index]))
        inside = [span for span in free if first_right <= span.start and last_left >= span.end]
        if not free or (found and (not inside or _ends_columns(rows[start : index + 1], inside, em))):
            break
        found, end = inside, index + 1
    return (found, end) if found else ([], start + 1)


def _ends_columns(rows: Sequence[Sequence[Line]], gutters: Sequence[_Span], em: float) -> bool:
    """Whether both sides of a gutter have ended together above the last row, which is on one side alone."""
    above = rows[-2][0].baseline
    if above - rows[-1][0].baseline <= 1.6 * _PITCH * em:
        return False
    for gutter in gutters:
        sides = _sides(rows[:-1], gutter)
        ends = [min(line.baseline for line in side) for side in sides if side]
        if all(_sides(rows[-1:], gutter)) or max(ends) - above > 2.5 * _PITCH * em:
            return False
    return True


def _first_row_of_columns(rows: Sequence[Sequence[Line]], gutter: _Span, em: float) -> int:
    """Short lines above the columns begin the left one only if the right one begins beside them."""
    _, right = _sides(rows, gutter)
    top = max(line.baseline for line in right)
    return next((index for index, row in enumerate(rows) if row[0].baseline <= top + _PITCH * em), 0)


def _table_rows(
    rows: Sequence[Sequence[Line]], sides: Iterable[Sequence[Line]], *, is_wide: bool
) -> range | None:
    """From the first to the last row with several cells; None if they make no table."""
    full = [index for index, row in enumerate(rows) if len(row) > 1]
    if len(full) < (2 if is_wide else 3) or all(map(_is_prose, sides)):
        return None
    return range(full[0], full[-1] + 1)


def _minus(free: Iterable[_Span], row: Sequence[Line]) -> Iterator[_Span]:
    for span in free:
        at = span.start
        for line in row:
            if line.right > at and line.left < span.end:
                yield _Span(at, line.left)
                at = line.right
        yield _Span(at, span.end)


def _sides(rows: Iterable[Sequence[Line]], gutter: _Span) -> tuple[list[Line], list[Line]]:
    lines = _flat(rows)
    left = [line for line in lines if line.right <= gutter.start + 0.01]
    return left, [line for line in lines if line.left >= gutter.end - 0.01]


def _is_prose(side: Sequence[Line]) -> bool:
    long_enough = sum((line.right - line.left) / line.em for line in side) >= _PROSE * len(side)
    return len(side) >= _FEWEST_LINES and long_enough


def _grid(rows: Sequence[Sequence[Line]], gutters: Sequence[_Span]) -> Iterator[Block]:
    """A row without a first cell goes on with the cells of the one above."""
    edges = sorted(gutter.start for gutter in gutters)
    cells: list[list[str]] = []
    for row in rows:
        texts = [""] * (len(edges) + 1)
        for line in row:
            column = sum(line.left > edge for edge in edges)
            texts[column] = f"{texts[column]} {line.text}".strip()
        if cells and not texts[0]:
            cells[-1] = [f"{one} {more}".strip() for one, more in zip(cells[-1], texts, strict=True)]
        else:
            cells.append(texts)
    columns = [column for column in zip(*cells, strict=True) if any(column)]
    is_contents = sum("…" in row[-1].text for row in rows) > len(rows) / 2
    if len(columns) > 1 and not is_contents:
        yield Grid(tuple(zip(*columns, strict=True)))
    else:
        yield tuple(line_of([glyph for line in row for glyph in line.glyphs]) for row in rows)
