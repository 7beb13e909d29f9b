"""Values for the tests of judging, a chat model that says what it is told, and a scorer that counts words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import ValidationError

from goldgen.text.words import words
from goldgen.types import (
    ChatReply,
    ChatRequest,
    Chunk,
    Control,
    ControlKind,
    Failure,
    FailureKind,
    Judgment,
    Message,
    Question,
    Reply,
    Scores,
    Usage,
)

Scripted = Mapping[str, object] | FailureKind


@dataclass
class ScriptedChat:
    """Implements ``Chat``: each request is answered by ``script``, and what does not parse is a failure."""

    script: Callable[[Sequence[Message]], Scripted]
    model: str = "judge-model"
    asked: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        return False

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        self.asked.append(request.messages)
        scripted = self.script(request.messages)
        key = f"call-{len(self.asked)}"
        if isinstance(scripted, str):
            return ChatReply(key, Usage(), failure=Failure(scripted, "scripted"))
        try:
            return ChatReply(key, Usage(), value=request.schema.model_validate(scripted))
        except ValidationError as error:
            return ChatReply(key, Usage(), failure=Failure("unparsed", str(error)))


class WordScorer:
    """Implements ``PairScorer``: the share of the question's words that a text has."""

    name = "word-scorer"

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        wanted = set(words(question))
        return np.array([len(wanted & set(words(text))) / len(wanted) for text in texts], dtype=np.float64)


def chunk(
    key: str, text: str, *, document: str = "d", start: int = 0, context: str = "", position: int = 0
) -> Chunk:
    return Chunk(key, document, text, start, start + len(text), context, position)


def question(
    key: str = "q",
    text: str = "How long is data kept on Basic?",
    *,
    of: Chunk | None = None,
    answer: str = "",
    quote: str = "",
) -> Question:
    """A question written from the chunk ``of``, or one of a log."""
    if of is None:
        return Question(key, text, "log", "log")
    return Question(key, text, "synthetic", "fact", of.id, of.document_id, answer, quote, "generator")


def gold(asked: Question, found: Chunk, quote: str) -> Judgment:
    """A verifier's verdict that ``found`` answers fully, with evidence."""
    start = found.start + found.text.index(quote)
    return Judgment(
        asked.id, found.id, "judge", grade=3, document_id=found.document_id, quote=quote, start=start,
        end=start + len(quote),
    )  # fmt: skip


def control(
    number: int,
    kind: ControlKind = "answer_deleted",
    *,
    grade: int | None = 0,
    score: float | None = None,
    document: str = "d",
) -> Control:
    return Control(f"{kind}-{document}-{number}", f"q{number}", kind, document, "text", "", grade, score)
