"""Pages of lines and tables to Markdown: headings by the size of letters, paragraphs, words made whole."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from goldgen.corpus.page_layout import Block, Grid
from goldgen.corpus.page_lines import Line
from goldgen.corpus.parsed import fenced, markdown_table, not_markup

_LARGER = 1.12
"""Letters of a heading to those of the body."""
_LONGEST_HEADING = 150
_EDGE = 0.12
"""Share of a page's height at its top and bottom where running lines stand."""
_FEWEST_PAGES = 2
_BULLET = re.compile(r"^[•◦▪‣●○■□–·\uf0b7\uf0a7]\s+(?=\S)")
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.)?\s*[-–]?\s*(?:\d+|[ivxl]+)\s*[-–]?\s*(?:(?:/|of|von)\s*\d+)?", re.IGNORECASE
)
_IN_CONTENTS = re.compile(r"…\s*\d+$")
_HYPHENS = "-\u2010\u00ad\u0002\ufffe"
_BROKEN_WORD = re.compile(rf"(?P<first>[^\W\d_]+)[{_HYPHENS}]\n(?P<rest>[^\W\d_]+)")
_ENDS = re.compile(r"[.!?:。！？؟۔][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Page:
    blocks: Sequence[Block]
    height: float
    bottom: float = 0.0


def pages_to_markdown(pages: Sequence[Page]) -> str:
    """One text of all pages, without running headers, footers and page numbers."""
    running = _running_lines(pages)
    levels = _heading_levels(pages)
    parts: list[str] = []
    for page in pages:
        blocks = [part for block in page.blocks for part in _block(block, page, running, levels)]
        if parts and blocks and _goes_on(parts[-1], blocks[0]):
            parts[-1] += "\n" + blocks.pop(0)
        parts += blocks
    return _with_whole_words("\n\n".join(parts))


def _goes_on(before: str, after: str) -> bool:
    is_prose = before[0] not in "#|" and after[0] not in "#|-"
    return is_prose and not _ENDS.search(before) and after[0].islower()


def _block(block: Block, page: Page, running: frozenset[str], levels: Mapping[float, int]) -> Iterator[str]:
    if isinstance(block, Grid):
        yield markdown_table(block.rows)
        return
    lines = [line for line in block if not _is_running(line, page, running, levels)]
    for is_code, group in groupby(_with_code(lines), key=lambda pair: pair[0]):
        part = [line for _, line in group]
        if is_code:
            yield _code(part)
        else:
            yield from _prose(part, levels)


def _with_code(lines: Sequence[Line]) -> Iterator[tuple[bool, Line]]:
    """Which lines are code: also a short one, such as a closing bracket, below code of the same width."""
    pitch = 0.0
    for line in lines:
        if line.is_code:
            pitch = line.pitch
        elif not pitch or abs(line.pitch - pitch) > 0.02:
            pitch = 0.0
        yield pitch > 0, line


def _code(lines: Sequence[Line]) -> str:
    """Letters of one width, each in its place. Lines with other fonts, such as notes, part the blocks."""
    margin = min(line.left for line in lines)
    rows: list[str] = []
    for line in lines:
        row = ""
        for glyph in line.glyphs:
            width = glyph.right - glyph.left
            if glyph.text.strip():
                row = row.ljust(round((glyph.left - margin) / width)) + glyph.text
        rows.append(row)
    return fenced("\n".join(rows))


def _prose(lines: Sequence[Line], levels: Mapping[float, int]) -> Iterator[str]:
    for paragraph in _paragraphs(lines):
        texts = [line.text for line in paragraph]
        level = levels.get(_size(paragraph[0]), 0)
        if level and sum(map(len, texts)) <= _LONGEST_HEADING and not _IN_CONTENTS.search(texts[-1]):
            yield f"{'#' * level} {' '.join(texts)}"
        else:
            yield "\n".join(_BULLET.sub("- ", not_markup(text)) for text in texts)


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    if not lines:
        return
    steps = sorted(
        one.baseline - other.baseline for one, other in pairwise(lines) if one.baseline > other.baseline
    )
    step = steps[len(steps) // 4] if steps else 0.0
    margin = min(line.left for line in lines)
    paragraph = [lines[0]]
    for before, line in pairwise(lines):
        apart = before.baseline - line.baseline
        is_far = apart < 0 or apart > max(1.25 * step, 1.0 * line.em)
        is_other_size = abs(before.em - line.em) > 0.08 * max(before.em, line.em)
        indented = line.left - margin > 0.8 * line.em and before.left - margin < 0.3 * line.em
        if is_far or is_other_size or (indented and not _BULLET.match(paragraph[0].text)):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _heading_levels(pages: Iterable[Page]) -> dict[float, int]:
    """Size of letters to the level of heading; sizes of the body and below have none."""
    letters: Counter[float] = Counter()
    for line in _all_lines(pages):
        letters[_size(line)] += len(line.glyphs)
    if not letters:
        return {}
    body = letters.most_common(1)[0][0]
    larger = sorted((size for size in letters if size >= _LARGER * body), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(larger, start=1)}


def _size(line: Line) -> float:
    return round(line.em, 1)


def _all_lines(pages: Iterable[Page]) -> Iterator[Line]:
    for page in pages:
        for block in page.blocks:
            if not isinstance(block, Grid):
                yield from block


def _running_lines(pages: Sequence[Page]) -> frozenset[str]:
    """Lines at the edges of at least two pages, numbers aside."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_key(line) for line in _all_lines([page]) if _is_at_edge(line, page)})
    return frozenset(
        key for key, count in counts.items() if count >= _FEWEST_PAGES and re.search(r"[^\W\d_]", key)
    )


def _is_running(line: Line, page: Page, running: frozenset[str], levels: Mapping[float, int]) -> bool:
    if not _is_at_edge(line, page) or _size(line) in levels:  # the titles of slides may repeat
        return False
    return _key(line) in running or bool(_PAGE_NUMBER.fullmatch(line.text))


def _is_at_edge(line: Line, page: Page) -> bool:
    edge = _EDGE * page.height
    return not page.bottom + edge < line.baseline < page.bottom + page.height - edge


def _key(line: Line) -> str:
    return re.sub(r"\d+", "#", line.text)


def _with_whole_words(text: str) -> str:
    """Words broken at a line's end joined: with the hyphen where the text has them so elsewhere."""
    hyphenated = Counter(re.findall(r"[^\W\d_]+-[^\W\d_]+", text))

    def whole(match: re.Match[str]) -> str:
        first, rest = match["first"], match["rest"]
        keeps = not rest[0].islower() or hyphenated[f"{first}-{rest}"] > 0
        return f"{first}-{rest}" if keeps else first + rest

    return re.sub(f"[{_HYPHENS[2:]}]", "", _BROKEN_WORD.sub(whole, text))
