"""A chat model that says what it is told, and a small corpus with plans, versions, regions and dates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from goldgen.errors import EndpointError
from goldgen.types import (
    ChatReply,
    ChatRequest,
    Chunk,
    Failure,
    FailureKind,
    Message,
    Question,
    Reply,
    Usage,
)

Scripted = Mapping[str, object] | FailureKind


@dataclass
class ScriptedChat:
    """Implements ``Chat``: ``script`` answers, and what does not fit the schema is a failure."""

    script: Callable[[tuple[str, ...]], Scripted]
    """From the names of the reply's fields to the reply."""
    model: str = "generator"
    schemas: list[type[BaseModel]] = field(default_factory=list[type[BaseModel]])
    asked: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        return False

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        self.asked.append(request.messages)
        self.schemas.append(request.schema)
        scripted = self.script(tuple(request.schema.model_fields))
        key = f"call-{len(self.asked)}"
        if isinstance(scripted, str):
            return ChatReply(key, Usage(), failure=Failure(scripted, "scripted"))
        try:
            return ChatReply(key, Usage(), value=request.schema.model_validate(scripted))
        except ValidationError as error:
            return ChatReply(key, Usage(), failure=Failure("unparsed", str(error)))


@dataclass
class RefusingChat:
    """Implements ``Chat`` as one whose endpoint refuses every call."""

    model: str = "generator"

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        return False

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        raise EndpointError(f"the key was refused for {request.stage}")


def chunk(key: str, text: str, context: str = "", document: str = "d") -> Chunk:
    return Chunk(key, document, text, 0, len(text), context)


def asked(text: str, of: Chunk, answer: str, quote: str) -> Question:
    return Question(f"q-{text}", text, "synthetic", "fact", of.id, of.document_id, answer, quote, "generator")


RETENTION = chunk(
    "retention",
    "Deleted rows can be restored by any owner of the workspace. "
    "On the Basic plan, rows are kept for 30 days. "
    "In the region eu-west-1, with version v2 and as of 1 March 2026, they are kept on two disks. "
    "Nobody has to ask for it, and it costs nothing. Set `keep_rows` to false to switch it off.",
    context="Retention > The Basic plan",
)
_OTHER_TEXTS = (
    "With the Pro plan, or with the Team plan, exports run at night and are sent by mail to all.",
    "In us-east-1 the disks are new. In ap-south-2 they are not, and in eu-north-1 nobody knows.",
    "Since version v1 the settings `max_rows` and `drop_rows` are read; 2.13.0 has `log_level` too.",
    "On 4 May 2025 the prices changed, and on 2 June 2024 they did so before; in 2023 they did not.",
)
OTHERS = [chunk(f"other-{n}", text, document=f"o{n}") for n, text in enumerate(_OTHER_TEXTS)]
CORPUS = [RETENTION, *OTHERS]
