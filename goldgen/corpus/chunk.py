"""Documents to chunks: exact slices of the text, each with the context that it needs to be read alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from goldgen.corpus.boilerplate import SharedText, body_span, spans_left_out
from goldgen.corpus.measure import SizeUnit, measure_of, surely_fitting
from goldgen.corpus.outline import LONGEST_TITLE, Fence, Outline, outline
from goldgen.corpus.overlap import overlapping_start
from goldgen.corpus.packing import pack
from goldgen.corpus.units import UnitCutter
from goldgen.errors import SettingsError
from goldgen.text import stable_id
from goldgen.types import Chunk, Document

Span = tuple[int, int]
_NOTHING_SHARED = SharedText()
_LONGEST_HEADER = 2_000
"""Characters of a table's header in the context; a longer one is left out."""


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How large chunks are, in characters or tokens (estimated, see ``estimated_tokens``).

    A chunk measures ``size`` at most. Below ``minimum`` it is joined to its neighbour where that fits. It
    repeats up to ``overlap`` of the chunk before it, within the same section.
    """

    size: int = 1200
    minimum: int = 300
    overlap: int = 0
    unit: SizeUnit = "characters"

    @classmethod
    def of_size(cls, size: int, overlap: int = 0, unit: SizeUnit = "characters") -> "ChunkOptions":
        """With a minimum that suits the size."""
        return cls(size, max(1, (size - overlap) // 4), overlap, unit)

    def __post_init__(self) -> None:
        if not (1 <= self.minimum <= self.size - self.overlap and 0 <= self.overlap <= self.size // 2):
            raise SettingsError(
                f"chunks of {self.minimum} to {self.size} {self.unit} with an overlap of {self.overlap} are "
                "impossible; take a minimum of at least 1, an overlap of at most half the size, and a size "
                "that holds both"
            )


def chunk(
    document: Document, options: ChunkOptions, shared: SharedText = _NOTHING_SHARED
) -> tuple[Chunk, ...]:
    """Cut a document at headings, blocks and sentences, never inside a character as users see it.

    ``document.text[c.start:c.end] == c.text`` holds for each chunk, in characters. Left out are what
    is ``shared`` with other documents (see ``boilerplate``), the marks of a fence that is cut, and headings
    directly above a fence that has no room for them; the context of the next chunk tells of the two latter.
    White space alone gives no chunk.
    """
    begin, end_of_body = body_span(document.text, shared.ends)
    text = document.text[begin:end_of_body]
    parts = Outline() if document.path.lower().endswith(".txt") else outline(text)
    left_out = spans_left_out(text, shared, document.path)
    occurrences: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for position, (start, end) in enumerate(_spans(text, parts, options, left_out)):
        piece = text[start:end]
        chunk_id = stable_id(document.id, piece, str(occurrences[piece]))
        occurrences[piece] += 1
        context = _context(parts, start, end, document.title)
        chunks.append(Chunk(chunk_id, document.id, piece, begin + start, begin + end, context, position))
    return tuple(chunks)


def _spans(text: str, parts: Outline, options: ChunkOptions, left_out: Sequence[Span]) -> list[Span]:
    measure = measure_of(text, options.unit)
    limit = options.size - options.overlap
    cutter = UnitCutter(text, parts, measure, limit, surely_fitting(limit, options.unit), left_out)
    spans = pack(cutter.units(), measure, limit, options.minimum)
    if not options.overlap:
        return spans
    overlapping = [
        (overlapping_start(text, parts, before, start, measure, options.overlap), end)
        if not any(last <= at < start for at, _ in left_out)
        else (start, end)
        for (before, last), (start, end) in pairwise(spans)
    ]
    return [*spans[:1], *overlapping]


def _context(parts: Outline, start: int, end: int, title: str) -> str:
    """Heading path above the span, and what its first line continues: a table's header, a fence."""
    path = [_shortened(heading.title) for heading in parts.path_at(start) if heading.title]
    nearest = parts.heading_at(start)
    own = [nearest.title] if nearest and nearest.start == start else []
    if title and _told(title) not in map(_told, [*path[:1], *own]):
        path.insert(0, _shortened(title))
    table, fence = parts.table_at(start), parts.fence_at(start)
    header = table.header if table and len(table.header) <= _LONGEST_HEADER else ""
    return "\n\n".join(filter(None, [" > ".join(path), header, _code_note(fence, end) if fence else ""]))


def _told(title: str) -> str:
    """What a title says, however it is written: ``quick-start`` in front matter is "Quick start" below."""
    return "".join(filter(str.isalnum, title.casefold())) or title


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


def _code_note(fence: Fence, end: int) -> str:
    """The opening mark if its partner stands in the chunk; else words, for a lone mark opens nothing."""
    if fence.closed and fence.end <= end:
        return fence.opening
    return f"Part of a block of code ({fence.info})" if fence.info else "Part of a block of code"
