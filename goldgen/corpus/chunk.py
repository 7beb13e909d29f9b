"""Documents to chunks: exact slices of the text, each with the context that it needs to be read alone."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from goldgen.corpus.boilerplate import body_end
from goldgen.corpus.outline import Heading, Outline, outline
from goldgen.errors import SettingsError
from goldgen.text import stable_id
from goldgen.types import Chunk, Document

SMALL = 80
"""Characters below which a piece is joined to its neighbour, if the limit allows."""


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Characters of a chunk: ``size`` at most, and ``minimum`` before the next paragraph starts a new one."""

    size: int = 1200
    minimum: int = 300

    def __post_init__(self) -> None:
        if not 1 <= self.minimum <= self.size:
            raise SettingsError(
                f"chunks of {self.minimum} to {self.size} characters are impossible; "
                "take a minimum of at least 1 and a size that is not smaller"
            )


class _Span(NamedTuple):
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def chunk(
    document: Document, options: ChunkOptions, footers: frozenset[str] = frozenset()
) -> tuple[Chunk, ...]:
    """Cut a document at headings, blocks and sentences, never inside a character as users see it.

    ``document.text[c.start:c.end] == c.text`` holds for each chunk, in characters. Left out are
    ``footers`` (see ``boilerplate``) at the document's end, and headings and fence marks that the cut
    has parted from what they introduce; such headings stand in the next chunk's context. White space
    alone gives no chunk.
    """
    text = document.text[: body_end(document.text, footers)]
    is_plain = document.path.lower().endswith(".txt")
    cutter = _Cutter(text, Outline() if is_plain else outline(text), options)
    occurrences: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for position, span in enumerate(cutter.spans(is_plain=is_plain)):
        piece = text[span.start : span.end]
        chunk_id = stable_id(document.id, piece, str(occurrences[piece]))
        occurrences[piece] += 1
        context = cutter.context(span, document.title)
        chunks.append(Chunk(chunk_id, document.id, piece, span.start, span.end, context, position))
    return tuple(chunks)


class _Cutter:
    def __init__(self, text: str, parts: Outline, options: ChunkOptions) -> None:
        self._text = text
        self._parts = parts
        self._options = options

    def spans(self, *, is_plain: bool) -> list[_Span]:
        whole = [
            piece for span in self._joined(self._split(is_plain=is_plain)) for piece in self._fenced(span)
        ]
        # A heading that could not be joined stands in the context of what follows.
        parted = {one for one, following in pairwise(whole) if self._stands_in_context(one, following)}
        return [span for span in whole if span not in parted]

    def context(self, span: _Span, title: str) -> str:
        """Heading path above the span, and what its first line continues: a table's header, a fence."""
        path = self._parts.path_at(span.start)
        own = [heading.title for heading in self._parts.headings if heading.start == span.start]
        if title and title.casefold() not in map(str.casefold, [*path[:1], *own]):
            path = (title, *path)
        blocks = [" > ".join(path)]
        blocks += [table.header for table in self._parts.tables if table.body_start <= span.start < table.end]
        blocks += [
            fence.opening
            for fence in self._parts.fences
            if fence.start < span.start < fence.end <= span.end and fence.closed
        ]
        return "\n\n".join(block for block in blocks if block)

    def _split(self, *, is_plain: bool) -> list[_Span]:
        from semantic_text_splitter import MarkdownSplitter, TextSplitter

        size = self._options.size
        size -= min(SMALL, size // 10)  # leaves room to join a heading to a full piece
        capacity = (min(self._options.minimum, size), size)
        splitter = TextSplitter(capacity) if is_plain else MarkdownSplitter(capacity)
        found = splitter.chunk_indices(self._text)
        return [_Span(start, start + len(piece)) for start, piece in found if piece.strip()]

    def _joined(self, spans: Sequence[_Span]) -> list[_Span]:
        forward: list[_Span] = []
        for span in spans:
            if forward and self._fit(forward[-1], span) and self._belong_together(forward[-1], span):
                forward[-1] = _Span(forward[-1].start, span.end)
            else:
                forward.append(span)
        joined: list[_Span] = []
        for span in forward:
            is_rest = span.length < SMALL and (span is forward[-1] or not self._introduces(span))
            if joined and is_rest and self._fit(joined[-1], span):
                joined[-1] = _Span(joined[-1].start, span.end)
            else:
                joined.append(span)
        return joined

    def _fit(self, before: _Span, span: _Span) -> bool:
        return span.end - before.start <= self._options.size

    def _belong_together(self, before: _Span, span: _Span) -> bool:
        if self._introduces(before):
            return True
        if self._introduces(span):
            return False
        if before.length < SMALL:
            return True
        # A short section begins a chunk of its own once the one before is long enough.
        starts_section = any(heading.start == span.start for heading in self._headings_in(span)[:1])
        return span.length < SMALL and not (starts_section and before.length >= self._options.minimum)

    def _introduces(self, span: _Span) -> bool:
        """Whether the span holds only headings, or headings and the opening line of a fence."""
        at = self._after_headings(span)
        rest = self._text[at : span.end].strip()
        return not rest or any(
            fence.opening == rest and at <= fence.start < span.end for fence in self._parts.fences
        )

    def _after_headings(self, span: _Span) -> int:
        """Where the span goes on after the headings that it begins with."""
        at = span.start
        for heading in self._headings_in(span):
            if self._text[at : heading.start].strip():
                break
            at = heading.end
        return at

    def _headings_in(self, span: _Span) -> list[Heading]:
        first = bisect_left(self._parts.headings, span.start, key=lambda heading: heading.start)
        after = bisect_left(self._parts.headings, span.end, key=lambda heading: heading.start)
        return [heading for heading in self._parts.headings[first:after] if heading.end <= span.end]

    def _stands_in_context(self, span: _Span, following: _Span) -> bool:
        headings = self._headings_in(span)
        if not headings or self._text[self._after_headings(span) : span.end].strip():
            return False
        levels = [heading.level for heading in headings]
        path = self._parts.path_at(following.start)
        return headings[-1].title in path and all(one < other for one, other in pairwise(levels))

    def _fenced(self, span: _Span) -> Iterator[_Span]:
        """Part the span so that each fence mark which is shown has its partner.

        A fence that is cut loses its opening mark in all pieces but the last, which has the closing one.
        """
        start = span.start
        for fence in self._parts.fences:
            if fence.start < start < fence.end and self._is_closing_mark(start, fence.end):
                start = min(fence.end, span.end)
            is_cut = fence.end > span.end or not fence.closed
            if is_cut and start <= fence.start < span.end:
                yield from self._trimmed(start, fence.start)
                start = min(fence.body_start, span.end)
        yield from self._trimmed(start, span.end)

    def _is_closing_mark(self, start: int, end: int) -> bool:
        mark = self._text[start:end].strip()
        return "\n" not in mark and mark.strip("`~>") == "" and mark != ""

    def _trimmed(self, start: int, end: int) -> Iterator[_Span]:
        piece = self._text[start:end]
        if piece.strip():
            first_line = piece[: len(piece) - len(piece.lstrip())].rfind("\n") + 1
            yield _Span(start + first_line, start + len(piece.rstrip()))
