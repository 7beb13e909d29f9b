"""What servers really send back with status 200."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage, ChatCompletionMessageFunctionToolCall

from goldgen.types import Failure, FailureKind, Usage

_BLANK_TAIL = 64
"""Characters of white space at the end of a cut reply, from which more room would only give more of it."""
_REASONING = ("reasoning_content", "reasoning")


class UnusableReplyError(Exception):
    """A reply that no re-ask will mend; carries the failure to record."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The texts of a completion in which the answer may stand, and whether it was cut at the token limit."""

    texts: tuple[str, ...]
    cut: bool
    in_reasoning: str = ""
    """The field that holds text while the content is empty."""

    @property
    def has_begun(self) -> bool:
        """Whether an object was begun that more room might end: no prose, and no endless blanks."""
        return any("{" in text and len(text) - len(text.rstrip()) < _BLANK_TAIL for text in self.texts)


def read_completion(completion: ChatCompletion) -> ReadReply:
    """Where the answer may stand; raises UnusableReplyError if the endpoint or the model declined."""
    choice = completion.choices[0] if completion.choices else None
    if choice is None:
        raise UnusableReplyError("unavailable", "the endpoint answered 200 without a choice")
    # The SDK builds its values without checking them.
    message = getattr(choice, "message", None)
    if not isinstance(message, ChatCompletionMessage):
        raise UnusableReplyError("unavailable", "the endpoint answered 200 without a message")
    if choice.finish_reason == "content_filter":
        raise UnusableReplyError("content_filter", "the endpoint's content filter stopped the reply")
    if message.refusal:
        raise UnusableReplyError("refusal", "the model refused")
    texts = tuple(text for text in _texts(message) if text.strip())
    return ReadReply(texts, choice.finish_reason == "length", "" if texts else _thinking(message)[0])


def reasoning_object(completion: ChatCompletion) -> str:
    """The reasoning field's text if it is one JSON object: some servers put the answer there."""
    text = _thinking(completion.choices[0].message)[1].strip()
    return text if text.startswith("{") and text.endswith("}") else ""


def usage_of(completion: ChatCompletion) -> tuple[Usage, float | None]:
    """Tokens, 0 where the server does not tell them, and its own price in US dollars if it tells that."""
    usage = getattr(completion, "usage", None)
    if not isinstance(usage, CompletionUsage):
        return Usage(), None
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    prompt, reply, total = (getattr(usage, name, None) or 0 for name in names)
    # Some gateways leave thoughts out of the completion and count them in the total.
    reply = max(reply, total - prompt) if prompt else reply
    cost = (usage.model_extra or {}).get("cost")
    return Usage(prompt, reply), float(cost) if isinstance(cost, int | float) and cost >= 0 else None


def _texts(message: ChatCompletionMessage) -> Iterator[str]:
    """Arguments of each tool call, then the content; of whatever type the server made them."""
    for call in message.tool_calls or ():
        if isinstance(call, ChatCompletionMessageFunctionToolCall):
            arguments: object = getattr(call.function, "arguments", None)
            if isinstance(arguments, str):
                yield arguments
    content = cast(object, message.content)
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        # Parts, of which thoughts are no text.
        for part in cast("list[object]", content):
            said = cast("dict[str, object]", part).get("text") if isinstance(part, dict) else None
            if isinstance(said, str):
                yield said


def _thinking(message: ChatCompletionMessage) -> tuple[str, str]:
    """Name and text of the reasoning field; both empty if there is none."""
    extra = message.model_extra or {}
    return next(((name, str(extra[name])) for name in _REASONING if extra.get(name)), ("", ""))
