"""The parts of a Markdown text that a chunk has to know of: headings, code fences and tables."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*)*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_ATX = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*")
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|$)| {4}|\t")

LONGEST_TITLE = 200
"""Characters of a title in the context, at most."""


@dataclass(frozen=True, slots=True)
class Heading:
    start: int
    end: int
    level: int
    title: str
    """Without the marks of Markdown."""
    parent: "Heading | None" = None


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code, from the start of its opening line to the end of its closing one."""

    start: int
    body_start: int
    end: int
    opening: str
    info: str
    """What follows the opening mark: mostly the language."""
    closed: bool


@dataclass(frozen=True, slots=True)
class Table:
    start: int
    body_start: int
    end: int
    header: str
    """The header row and the delimiter row."""


@dataclass(frozen=True, slots=True)
class Outline:
    headings: tuple[Heading, ...] = ()
    fences: tuple[Fence, ...] = ()
    tables: tuple[Table, ...] = ()

    def heading_at(self, offset: int) -> Heading | None:
        """The last heading that starts at ``offset`` or before it."""
        after = bisect_right(self.headings, offset, key=_start)
        return self.headings[after - 1] if after else None

    def path_at(self, offset: int) -> tuple[Heading, ...]:
        """The headings above ``offset``, the highest first, without one that starts there."""
        heading = self.heading_at(offset)
        if heading and heading.start == offset:
            heading = heading.parent
        above: list[Heading] = []
        while heading:
            above.append(heading)
            heading = heading.parent
        return tuple(reversed(above))

    def table_at(self, offset: int) -> Table | None:
        """The table that has a row, not of its header, at ``offset``."""
        after = bisect_right(self.tables, offset, key=_start)
        table = self.tables[after - 1] if after else None
        return table if table and table.body_start <= offset < table.end else None

    def fence_at(self, offset: int) -> Fence | None:
        """The fence that has code at ``offset``."""
        after = bisect_right(self.fences, offset, key=_start)
        fence = self.fences[after - 1] if after else None
        return fence if fence and fence.start < offset < fence.end else None


def _start(part: Heading | Fence | Table) -> int:
    return part.start


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def outline(markdown: str) -> Outline:
    """Find headings, fences and tables; a ``#`` or ``|`` inside a fence is neither."""
    fences: list[Fence] = []
    outside: list[_Line] = []
    lines = _lines(markdown)
    for line in lines:
        match = _FENCE.fullmatch(line.text)
        if match and not (match["mark"].startswith("`") and "`" in match["info"]):
            fences.append(_fence(line, match, lines))
            outside.append(_Line(line.start, ""))  # a fence ends a paragraph and a table
        else:
            outside.append(line)
    return Outline(tuple(_headings(outside)), tuple(fences), tuple(_tables(outside)))


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _fence(opening: _Line, match: re.Match[str], following: Iterator[_Line]) -> Fence:
    last = opening
    body_start = opening.end + 1
    mark, info = match["mark"], match["info"].strip()
    deepest = match.start("mark") + 3  # marks further in belong to what the code shows
    for line in following:
        last = line
        bare = line.text.strip(" \t>")
        if len(bare) >= len(mark) and not bare.strip(mark[0]) and line.text.index(bare) <= deepest:
            end = line.start + len(line.text.rstrip())
            return Fence(opening.start, body_start, end, opening.text.strip(), info, closed=True)
    return Fence(opening.start, body_start, last.end, opening.text.strip(), info, closed=False)


def _headings(lines: list[_Line]) -> Iterator[Heading]:
    last: Heading | None = None
    for start, end, level, title in _marked(lines):
        while last and last.level >= level:
            last = last.parent
        last = Heading(start, end, level, title, last)
        yield last


def _marked(lines: list[_Line]) -> Iterator[tuple[int, int, int, str]]:
    """Start, end, level and title of each heading."""
    before = _Line(0, "")
    for line in lines:
        if match := _ATX.fullmatch(line.text):
            yield line.start, line.end, len(match["level"]), _plain(match["title"] or "")
        elif (match := _UNDERLINE.fullmatch(line.text)) and not _NO_PARAGRAPH.match(before.text):
            level = 1 if match["mark"].startswith("=") else 2
            yield before.start, line.end, level, _plain(before.text)
        before = line


def _plain(title: str) -> str:
    title = re.sub(r"\s*\{[#:.][^}]*\}\s*$", "", title)
    title = re.sub(r"<[^>]+>", "", title)
    title = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", title)
    return re.sub(r"\\([#*_`|<>-])|[*`]+", r"\1", title).strip()


def _tables(lines: list[_Line]) -> Iterator[Table]:
    index = 1
    while index < len(lines):
        header, delimiters = lines[index - 1], lines[index]
        if (
            "|" not in header.text
            or "|" not in delimiters.text
            or not _DELIMITER_ROW.fullmatch(delimiters.text)
        ):
            index += 1
            continue
        last = index
        while last + 1 < len(lines) and lines[last + 1].text.strip():
            last += 1
        rows = f"{header.text}\n{delimiters.text}"
        yield Table(header.start, delimiters.end + 1, lines[last].end, rows)
        index = last + 2
