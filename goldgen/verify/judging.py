"""What a judge is given and what it must give back."""

from dataclasses import dataclass
from typing import Protocol

from goldgen.types import Chunk, Control, Judgment, NearMiss, Question


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be judged for a question: a chunk, a near miss or a control."""

    id: str
    text: str
    context: str
    document_id: str | None = None
    """None if the text stands in no document."""
    start: int = 0
    """Offset of ``text`` in the document."""
    must_not_answer: bool = False
    """A near miss: doubt about a verdict that it answers must not clear it, so nothing lowers its grade."""

    @classmethod
    def of_chunk(cls, chunk: Chunk) -> "Passage":
        return cls(chunk.id, chunk.text, chunk.context, chunk.document_id, chunk.start)

    @classmethod
    def of_overlay(cls, item: NearMiss | Control) -> "Passage":
        """A near miss or a control: in no document, so its evidence has no offsets there."""
        return cls(item.id, item.text, item.context, must_not_answer=isinstance(item, NearMiss))

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
