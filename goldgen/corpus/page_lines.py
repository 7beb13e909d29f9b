"""Glyphs on a page to lines: pieces of a line that no large gap parts, with their words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from goldgen.corpus.bidi import logical_order, reads_from_right

_SAME_LINE = 0.4
"""Ems between baselines, so that raised and lowered letters stay in their line."""
_SAME_PIECE = 0.5
"""Ems between glyphs. A word space has a quarter, the space between cells or columns seldom less than 0.6."""
_WORD_SPACE = 0.3
_WORD_SPACE_RIGHT_TO_LEFT = 0.2
_FEWEST_OF_CODE = 5
"""Letters. Fewer may be equally wide by chance."""
_LEADER = re.compile(r"(?:\s?\.){5,}")
"""The dots of a table of contents."""


class Glyph(NamedTuple):
    """``left`` and ``right`` grow to the right, ``baseline`` upwards, ``em`` is the size of the letters."""

    text: str
    left: float
    right: float
    baseline: float
    em: float


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of one line, as wide as no large gap parts it."""

    glyphs: tuple[Glyph, ...]
    left: float
    right: float
    baseline: float
    em: float

    @property
    def text(self) -> str:
        return _text(self.glyphs)

    @property
    def pitch(self) -> float:
        """The width that all letters have, in ems; 0 if it differs, or is that of Chinese and Japanese."""
        widths = [glyph.right - glyph.left for glyph in self.glyphs if glyph.text.strip()]
        equal = max(widths) - min(widths) <= 0.02 * self.em
        return widths[0] / self.em if equal and 0.4 * self.em < widths[0] < 0.75 * self.em else 0.0

    @property
    def is_code(self) -> bool:
        return self.pitch > 0 and sum(map(bool, map(str.strip, self.text))) >= _FEWEST_OF_CODE


def line_of(glyphs: Iterable[Glyph]) -> Line:
    kept = tuple(sorted(glyphs, key=lambda glyph: glyph.left + glyph.right))
    visible = [glyph for glyph in kept if glyph.text.strip()]
    em = median(glyph.em for glyph in visible)
    baseline = median(glyph.baseline for glyph in visible)
    return Line(kept, min(g.left for g in visible), max(g.right for g in visible), baseline, em)


def _text(glyphs: Sequence[Glyph]) -> str:
    from_the_right = any(map(reads_from_right, (glyph.text for glyph in glyphs)))
    space = _WORD_SPACE_RIGHT_TO_LEFT if from_the_right else _WORD_SPACE
    items: list[str] = []
    before: Glyph | None = None
    for glyph in glyphs:
        if not glyph.text.strip():
            # A space without width was put in by PDFium, which may misplace it where lines run to the left.
            if not from_the_right or glyph.right > glyph.left:
                items.append(" ")
            continue
        gap = glyph.left - before.right if before else 0.0
        if items and gap > space * glyph.em and items[-1] != " ":
            items.append(" ")
        items.append(glyph.text)
        before = glyph
    return " ".join(_LEADER.sub(" … ", "".join(logical_order(items))).split())


def lines_of(glyphs: Sequence[Glyph]) -> list[Line]:
    pieces: list[list[Glyph]] = []
    left = right = 0.0
    for glyph in glyphs:
        near = bool(pieces) and _is_near(pieces[-1][0], glyph, left, right)
        if not glyph.text.strip():
            if near:
                pieces[-1].append(glyph)
        elif near:
            pieces[-1].append(glyph)
            left, right = min(left, glyph.left), max(right, glyph.right)
        else:
            pieces.append([glyph])
            left, right = glyph.left, glyph.right
    return [line for row in rows_of([line_of(piece) for piece in pieces]) for line in _joined(row)]


def _is_near(first: Glyph, glyph: Glyph, left: float, right: float) -> bool:
    em = max(first.em, glyph.em)
    apart = max(glyph.left - right, left - glyph.right)
    return abs(first.baseline - glyph.baseline) <= _SAME_LINE * em and apart <= _SAME_PIECE * em


def rows_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines of one height together, from the top; each row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -line.baseline):
        if rows and _SAME_LINE * max(line.em, rows[-1][0].em) >= rows[-1][0].baseline - line.baseline:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _joined(row: Sequence[Line]) -> Iterator[Line]:
    """Pieces of a line that the file holds apart; a bullet or number joins what it stands before."""
    whole = line_of([glyph for line in row for glyph in line.glyphs])
    if whole.is_code:  # whose spaces are wide
        yield whole
        return
    before = row[0]
    for line in row[1:]:
        em = max(before.em, line.em)
        is_mark = len(before.glyphs) <= 3 and not before.text.isalnum() and line.left - before.right < 4 * em
        if line.left - before.right <= _SAME_PIECE * em or is_mark:
            before = line_of((*before.glyphs, *line.glyphs))
        else:
            yield before
            before = line
    yield before
