"""Questions and the near misses written for them."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from goldgen.types.corpus import Chunk

Origin = Literal["synthetic", "log", "manual"]
EditKind = Literal["plan", "version", "date", "region", "entity", "answer_removed"]
_WORDS_AROUND = 8
_PIECE = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the set, whatever its origin. It is a draft until a judgment makes a chunk gold."""

    id: str
    text: str
    origin: Origin
    style: str
    chunk_id: str | None = None
    """The chunk it was written from; None for a log query."""
    document_id: str | None = None
    """The document it was written from, or the page that the log names."""
    answer: str = ""
    quote: str = ""
    """The generator's evidence, verbatim from the chunk."""
    model: str = ""
    prompt_hash: str = ""
    call_key: str = ""
    asked: int = 1
    """How often the log has it; 1 for a written question."""
    evidence_chunks: tuple[str, ...] = ()
    """All chunks that answer together, ``chunk_id`` the first; empty if that one is to answer alone."""
    flags: tuple[str, ...] = ()
    """What is wrong with it and was no reason to reject it: "literal", it copies the words of its chunk."""

    @property
    def cluster(self) -> str:
        """What statistics resample by: the source document; a log question stands alone."""
        return self.document_id if self.origin != "log" and self.document_id else self.id


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A minimally edited twin of a chunk that does not answer one named question.

    It lives in the overlay of that question and is never mixed into the corpus.
    """

    id: str
    question_id: str
    chunk_id: str
    text: str
    """The edited text of the chunk, without its context."""
    context: str
    edit: EditKind
    before: str
    after: str
    model: str = ""
    call_key: str = ""

    @property
    def full_text(self) -> str:
        """What is indexed and judged: context and text, as for a chunk."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text

    def diff(self, chunk: Chunk) -> str:
        """What was changed in ``chunk``, word by word: [-gone-]{+new+}, with a few words around it."""
        old, new = _PIECE.findall(chunk.full_text), _PIECE.findall(self.full_text)
        changes = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_WORDS_AROUND)
        return " … ".join(
            "".join(
                "".join(old[a:b]) if kind == "equal" else _marked("".join(old[a:b]), "".join(new[c:d]))
                for kind, a, b, c, d in group
            ).strip()
            for group in changes
        )


def _marked(gone: str, new: str) -> str:
    tail = (new or gone)[len((new or gone).rstrip()) :]
    removed = f"[-{gone.rstrip()}-]" if gone.strip() else ""
    added = f"{{+{new.rstrip()}+}}" if new.strip() else ""
    return removed + added + tail
