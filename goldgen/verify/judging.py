"""What a judge is given and what it must give back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Protocol

from goldgen.text import stable_id
from goldgen.types import Chunk, Control, Judgment, NearMiss, Question

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be judged for a question: a chunk, a near miss, a control or an evidence set."""

    id: str
    text: str
    context: str
    document_id: str | None = None
    """None if the text stands in no document."""
    start: int = 0
    """Offset of ``text`` in the document."""
    must_not_answer: bool = False
    """A near miss: doubt about a verdict that it answers must not clear it, so nothing lowers its grade."""
    quotable: tuple[tuple[int, int], ...] = ()
    """Spans of ``text`` that evidence may come from; empty: all of it."""

    @classmethod
    def of_chunk(cls, chunk: Chunk) -> "Passage":
        return cls(chunk.id, chunk.text, chunk.context, chunk.document_id, chunk.start)

    @classmethod
    def of_overlay(cls, item: NearMiss | Control) -> "Passage":
        """A near miss or a control: in no document, so its evidence has no offsets there."""
        return cls(item.id, item.text, item.context, must_not_answer=isinstance(item, NearMiss))

    @classmethod
    def of_set(cls, chunks: Sequence[Chunk]) -> "Passage":
        """Chunks that are to answer together, their full texts in the order given.

        It stands in no document. A quote lies in the text of one of the chunks, never in a context.
        """
        texts = [chunk.full_text for chunk in chunks]
        ends = [end - len(_BETWEEN) for end in accumulate(len(text) + len(_BETWEEN) for text in texts)]
        quotable = tuple((end - len(c.text), end) for c, end in zip(chunks, ends, strict=True))
        set_id = evidence_set_id([chunk.id for chunk in chunks])
        return cls(set_id, _BETWEEN.join(texts), "", quotable=quotable)

    @property
    def full_text(self) -> str:
        return f"{self.context}\n\n{self.text}" if self.context else self.text

    def evidence_span(self, start: int, end: int) -> tuple[int, int] | tuple[None, None]:
        """Offsets in the document of a span of ``text``."""
        return (self.start + start, self.start + end) if self.document_id else (None, None)


class Judge(Protocol):
    @property
    def name(self) -> str: ...

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        """A grade from 0 to 3, or an unjudged item with the reason; never an exception for one item."""
        ...


def evidence_set_id(chunk_ids: Sequence[str]) -> str:
    """The id by which chunks are judged together; the order counts, as it does for the judge."""
    return stable_id("evidence set", *chunk_ids)


def proper_parts(chunk_ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The sets with one chunk left out, in order: if none of them suffices, no smaller one does."""
    return tuple(combinations(chunk_ids, len(chunk_ids) - 1))


def target_id(chunk_ids: Sequence[str]) -> str:
    """What a judgment of these chunks together is of: the chunk itself if it is one."""
    return chunk_ids[0] if len(chunk_ids) == 1 else evidence_set_id(chunk_ids)


def judged_passages(question: Question, chunks_by_id: Mapping[str, Chunk]) -> tuple[Passage, ...]:
    """What must be judged for a draft: its chunk, or its evidence set and then that set's proper parts.

    Empty if a chunk is no longer there, or the question was written from none.
    """
    members = question.evidence_chunks or (question.chunk_id or "",)
    if any(chunk_id not in chunks_by_id for chunk_id in members):
        return ()
    groups = (members,) if len(members) == 1 else (members, *proper_parts(members))
    return tuple(_passage([chunks_by_id[chunk_id] for chunk_id in group]) for group in groups)


def _passage(chunks: Sequence[Chunk]) -> Passage:
    return Passage.of_chunk(chunks[0]) if len(chunks) == 1 else Passage.of_set(chunks)
