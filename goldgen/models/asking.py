"""One call: asked, read, and asked again within bounds if the reply can't be used."""

from collections.abc import Sequence

from openai import APIStatusError

from goldgen.models.failures import is_too_long
from goldgen.models.output import UnparsedError, parsed
from goldgen.models.replies import (
    ReadReply,
    UnusableReplyError,
    read_completion,
    reasoning_object,
    usage_of,
)
from goldgen.models.wire import Asked, Tally, Wire
from goldgen.text.tokens import fewest_tokens
from goldgen.types import ChatRequest, Message, Reply

_REASKS = 2
_LARGER_BUDGET = 2
_SMALLER_BUDGET = 4
_SMALLEST_JUDGED = 100
"""Tokens of a prompt that every server holds."""
_QUOTED = 2000
"""Characters of a bad reply that are shown to the model again."""


_NO_VALID_REPLY = frozenset({"json_validate_failed", "tool_use_failed"})
"""Codes of a 400 that means: the model's reply did not follow the schema (Groq)."""


async def answer(wire: Wire, request: ChatRequest[Reply], tally: Tally) -> Reply:
    """The validated reply. A re-ask carries the last reply and what is wrong with it, and no earlier one.

    Raises UnusableReplyError, or openai's errors once no retry helps.
    """
    messages: Sequence[Message] = request.messages
    max_tokens, reasks, is_enlarged, is_reduced = request.max_tokens, 0, False, False
    while True:
        try:
            asked = Asked(messages, request.schema, max_tokens, request.temperature)
            completion = await wire.send(asked, tally)
        except APIStatusError as error:
            if error.code in _NO_VALID_REPLY and reasks < _REASKS:
                reasks += 1
                wire.is_useless(tally)
                continue
            if not is_too_long(error) or is_reduced or is_enlarged:
                raise
            # Some servers refuse a prompt only because the reply that it may have no longer fits.
            max_tokens, is_reduced = request.max_tokens // _SMALLER_BUDGET, True
            continue
        reply = read_completion(completion)
        _check_read(messages, usage_of(completion)[0].prompt_tokens)
        texts = reply.texts or tuple(filter(None, [reasoning_object(completion)]))
        try:
            value = parsed(request.schema, texts)
        except UnparsedError as problem:
            if reply.cut and reply.has_begun:
                if is_enlarged or is_reduced:
                    raise UnusableReplyError("cut_off", f"cut at {max_tokens} tokens") from None
                max_tokens, is_enlarged = request.max_tokens * _LARGER_BUDGET, True
                continue
            if reply.in_reasoning or reasks == _REASKS:
                wire.is_useless(tally)
                raise UnusableReplyError("unparsed", _unparsed(reply, problem, reasks + 1)) from None
            reasks += 1
            messages = (*request.messages, *_complaint(texts, problem))
            wire.is_useless(tally)
        else:
            wire.works(tally)
            return value


def _check_read(messages: Sequence[Message], counted: int) -> None:
    """Raises UnusableReplyError if the server counts so few tokens that it cannot have read the prompt."""
    fewest = sum(fewest_tokens(message.content) for message in messages)
    if 0 < counted < fewest and fewest >= _SMALLEST_JUDGED:
        raise UnusableReplyError(
            "truncated",
            f"the endpoint read {counted} tokens of a prompt of at least {fewest}; "
            "raise its context length (num_ctx in Ollama, -c in llama.cpp), or cut smaller chunks",
        )


def _complaint(texts: Sequence[str], problem: UnparsedError) -> list[Message]:
    said = [Message("assistant", texts[0][:_QUOTED])] if texts else []
    again = "Reply again, with one JSON object that follows the schema."
    wrong = f"Your reply could not be used: {problem}. {again}"
    return [*said, Message("user", wrong)]


def _unparsed(reply: ReadReply, problem: UnparsedError, tries: int) -> str:
    if reply.in_reasoning:
        where = reply.in_reasoning
        return f"the reply has no content; the text is in {where!r}: turn the model's reasoning off"
    if not reply.texts:
        return f"the reply has no content in {tries} tries"
    return f"no valid reply in {tries} tries; the last: {problem}"
