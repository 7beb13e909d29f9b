"""What comes of asking a generator about chunks."""

from dataclasses import dataclass

from goldgen.types import Chunk, Question


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that was made and not kept, with the reason."""

    item: str
    chunk_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChunkQuestions:
    """What came of one chunk: questions, rejected drafts, or the failure of a call."""

    chunk: Chunk
    asked: int
    questions: tuple[Question, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    failure: str = ""
    styles: tuple[str, ...] = ()
    """Of the questions asked for."""
    rewritten: int = 0
    """Questions that took the place of more literal ones."""
    drafts: tuple[Question, ...] = ()
    """The first questions as they were before; questions that no one chunk answers come after them."""
    replaced: tuple[str, ...] = ()
    """Ids of questions of earlier runs that gave way to another wording."""
    stood: int = 0
    """New wordings left out, because an older one has a verdict."""

    def __add__(self, other: "ChunkQuestions") -> "ChunkQuestions":
        return ChunkQuestions(
            self.chunk,
            self.asked + other.asked,
            self.questions + other.questions,
            self.rejections + other.rejections,
            self.failure or other.failure,
            self.styles + other.styles,
            self.rewritten + other.rewritten,
            self.drafts + other.drafts,
            self.replaced + other.replaced,
            self.stood + other.stood,
        )
