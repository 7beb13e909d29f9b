"""Counting what a run asks of a chat model."""

from dataclasses import dataclass, field

from goldgen.types import Chat, ChatReply, ChatRequest, Reply, Usage


@dataclass(frozen=True, slots=True)
class CallCounts:
    """The calls of one run."""

    made: int = 0
    remembered: int = 0
    """Answered from the ledger, and so neither sent nor paid for again."""
    failed: int = 0
    usage: Usage = field(default_factory=Usage)
    """Of the calls made."""


class CountedChat:
    """Implements ``Chat`` by another one, and counts."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._made = self._remembered = self._failed = 0
        self._usage = Usage()

    @property
    def model(self) -> str:
        return self._chat.model

    @property
    def counts(self) -> CallCounts:
        return CallCounts(self._made, self._remembered, self._failed, self._usage)

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        reply = await self._chat.ask(request)
        self._failed += reply.failure is not None
        if reply.from_ledger:
            self._remembered += 1
        else:
            self._made += 1
            self._usage += reply.usage
        return reply
