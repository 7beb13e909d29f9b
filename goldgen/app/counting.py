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
    usd: float = 0.0
    """Of the calls made whose price is known."""
    unpriced: int = 0
    """Calls made whose price is not known."""

    @property
    def spent(self) -> str:
        """In words, such as ``12,340 tokens, $0.0123``."""
        tokens = f"{self.usage.prompt_tokens + self.usage.completion_tokens:,} tokens"
        if not self.unpriced:
            return f"{tokens}, {dollars(self.usd)}"
        if self.unpriced == self.made:
            return f"{tokens}, price unknown"
        return f"{tokens}, {dollars(self.usd)} and {self.unpriced:,} calls of unknown price"


class CountedChat:
    """Implements ``Chat`` by another one, and counts."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._made = self._remembered = self._failed = self._unpriced = 0
        self._usage = Usage()
        self._usd = 0.0

    @property
    def model(self) -> str:
        return self._chat.model

    @property
    def counts(self) -> CallCounts:
        return CallCounts(self._made, self._remembered, self._failed, self._usage, self._usd, self._unpriced)

    def spent(self) -> str:
        """What the calls so far have cost, in words."""
        return self.counts.spent

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        return self._chat.remembers(request)

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        reply = await self._chat.ask(request)
        self._failed += reply.failure is not None
        if reply.from_ledger:
            self._remembered += 1
        else:
            self._made += 1
            self._usage += reply.usage
            self._usd += reply.usd or 0.0
            self._unpriced += reply.usd is None
        return reply


def dollars(usd: float | None) -> str:
    """``$0.0123``, ``$12.35`` or, for None, ``price unknown``."""
    if usd is None:
        return "price unknown"
    if 0 < usd < 0.0001:
        return "under $0.0001"
    if not usd:
        return "$0"
    return f"${usd:,.4f}" if usd < 1 else f"${usd:,.2f}"
