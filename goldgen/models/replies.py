"""What servers really send back with status 200."""

import json

from openai.types.chat import ChatCompletion, ChatCompletionMessage

from goldgen.types import Failure, FailureKind


class UnusableReplyError(Exception):
    """A reply that no re-ask will mend; carries the failure to record."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)


def check_completion(completion: object) -> ChatCompletion:
    """The completion, its content reduced to the JSON in it; raises UnusableReplyError if it has none."""
    if not isinstance(completion, ChatCompletion):
        raise UnusableReplyError(
            "unavailable", "the endpoint answered 200 with something that is no completion"
        )
    if not completion.choices:
        raise UnusableReplyError("unavailable", "the endpoint answered 200 without a choice")
    choice = completion.choices[0]
    # The SDK builds its values without checking them.
    if not isinstance(getattr(choice, "message", None), ChatCompletionMessage):
        raise UnusableReplyError("unavailable", "the endpoint answered 200 without a message")
    if choice.finish_reason == "content_filter":
        raise UnusableReplyError("content_filter", "the endpoint's content filter stopped the reply")
    if choice.message.refusal:
        raise UnusableReplyError("refusal", "the model refused")
    if choice.finish_reason == "length":
        return completion
    if not choice.message.content:
        extra = choice.message.model_extra or {}
        where = next((name for name in ("reasoning_content", "reasoning") if extra.get(name)), "")
        hint = f"; the text is in {where!r}: turn the model's reasoning off" if where else ""
        raise UnusableReplyError("unparsed", f"the reply has no content{hint}")
    choice.message.content = json_in(choice.message.content)
    return completion


def json_in(text: str) -> str:
    """The first JSON object in a text with fences, preambles or thoughts around it; else the text."""
    text = text.rsplit("</think>", 1)[-1]
    start = text.find("{")
    while start >= 0:
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError as error:
            start = text.find("{", max(error.pos, start + 1))
        except RecursionError:
            return text
        else:
            return text[start:end]
    return text
