"""What is asked of a chat model, what comes back, and the ledger that remembers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

Reply = TypeVar("Reply", bound=BaseModel)
CallStatus = Literal["ok", "failed"]
FailureKind = Literal[
    "content_filter",
    "refusal",
    "unparsed",
    "cut_off",
    "timeout",
    "bad_request",
    "too_long",
    "truncated",
    "unavailable",
    "stopped",
    "planned",
]
"""``too_long``: the endpoint refused the prompt for its length; ``truncated``: it silently read only a part;
``stopped``: the run ended before the call did; ``planned``: a dry run, so nothing was sent."""


OutputMode = Literal["json_schema", "tools", "json", "text"]
"""How a server is asked for structured output, the strictest first."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float

    def usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest(Generic[Reply]):
    """One structured question to a chat model."""

    stage: str
    messages: tuple[Message, ...]
    schema: type[Reply]
    prompt_hash: str
    max_tokens: int
    temperature: float = 0.0
    repeat: int = 0
    """Tells apart independent answers to the same question; 0 for the first."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of every attempt of a call, failed ones included."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    attempts: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.attempts + other.attempts,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call gave nothing usable. Data, not an exception: the run goes on."""

    kind: FailureKind
    message: str


@dataclass(frozen=True, slots=True)
class ChatReply(Generic[Reply]):
    """Either ``value`` or ``failure`` is set, never both."""

    key: str
    usage: Usage
    value: Reply | None = None
    failure: Failure | None = None
    from_ledger: bool = False
    usd: float | None = None
    """Price of all attempts; None if it is not known."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call as the ledger keeps it: enough to replay it, and nothing secret."""

    key: str
    stage: str
    model: str
    endpoint: str
    prompt_hash: str
    messages: tuple[Message, ...]
    status: CallStatus
    reply: str = ""
    """The validated reply as JSON; empty if the call failed."""
    failure_kind: str = ""
    failure_message: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    usd: float | None = None
    """None: the price of the model is not known."""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


class Ledger(Protocol):
    """Remembers calls, so that none is paid for twice."""

    def get(self, key: str) -> CallRecord | None: ...

    def put(self, record: CallRecord) -> None:
        """Accept a finished call. It is complete once committed, at most 50 ms later."""
        ...


class Chat(Protocol):
    """A chat model behind some endpoint."""

    @property
    def model(self) -> str: ...

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        """Answer, or say why not.

        Raises EndpointError only when every other call would fail too, and BudgetError when the run may
        spend no more.
        """
        ...

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        """Whether it would answer without a call."""
        ...
