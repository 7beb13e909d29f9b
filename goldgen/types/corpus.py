"""Documents and the chunks cut from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """One loaded file, or one document of a user's own chunk table."""

    id: str
    path: str
    """Relative to the corpus root, NFC, with forward slashes."""
    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that a retriever returns. ``text`` is exactly ``document.text[start:end]``."""

    id: str
    document_id: str
    text: str
    start: int
    end: int
    context: str = ""
    """Heading path and, for the continuation of a table, its header."""
    position: int = 0
    """Place among the document's chunks, from 0."""

    @property
    def full_text(self) -> str:
        """What is indexed, prompted and judged: context and text."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was walked but not loaded, and why."""

    path: str
    reason: str
