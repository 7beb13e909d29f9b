"""Tables of AsciiDoc to tables of Markdown."""

import re
from collections.abc import Callable, Iterator, Sequence

from goldgen.corpus.parsed import markdown_table

TABLE_MARK = re.compile(r"[|,:!]={3,}")
_CELL = re.compile(
    r"(?:^|(?<=\s)|(?<=\|))(?P<spec>(?:\d+\*|\d*\.?\d+\+)?[<^>]?(?:\.[<^>])?[aehlmdsv]?)(?<!\\)\|"
)
_COLUMNS = re.compile(r"cols\s*=\s*\"?(?P<cols>[^\"\]]+)\"?")


def table(lines: Sequence[str], mark: str, attributes: str, inline: Callable[[str], str]) -> Iterator[str]:
    """A table from the lines between its marks. Cells that span columns are followed by empty ones."""
    if mark in ",:":
        rows = [[cell.strip().strip('"') for cell in line.split(mark)] for line in lines if line.strip()]
    else:
        rows = _rows(lines, attributes)
    shown = [[inline(" ".join(cell.replace(r"\|", "|").split())) for cell in row] for row in rows]
    if shown:
        yield markdown_table(shown)


def _rows(lines: Sequence[str], attributes: str) -> list[list[str]]:
    first = next((line for line in lines if line.strip()), "")
    width = _width(attributes) or len(list(_cells(first)))
    cells = list(_cells("\n".join(lines)))
    width = width or 1
    return [cells[at : at + width] for at in range(0, len(cells), width)]


def _width(attributes: str) -> int:
    """How many columns ``cols="1,3*,2a"`` names; 0 if it is not there."""
    match = _COLUMNS.search(attributes)
    if match is None:
        return 0
    specs = [part.strip() for part in re.split(r"[,;]", match["cols"]) if part.strip()]
    return sum(int(times[1]) if (times := re.match(r"(\d+)\*", part)) else 1 for part in specs)


def _cells(text: str) -> Iterator[str]:
    marks = list(_CELL.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    before = text[: marks[0].start() if marks else len(text)]
    if before.strip():  # no cell by the rules, but not to be lost
        yield before
    for mark, end in zip(marks, ends, strict=False):
        content = text[mark.end() : end]
        spec = mark["spec"]
        repeated = re.match(r"(\d+)\*", spec)
        spanned = re.match(r"(\d+)(?:\.\d+)?\+", spec)
        yield from [content] * (int(repeated[1]) if repeated else 1)
        yield from [""] * (int(spanned[1]) - 1 if spanned else 0)
