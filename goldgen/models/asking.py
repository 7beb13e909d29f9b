"""One call: asked, read, and asked again within bounds if the reply can't be used."""

from collections.abc import Sequence

from openai import APIStatusError

from goldgen.models.failures import is_too_long
from goldgen.models.output import UnparsedError, parsed
from goldgen.models.replies import (
    PromptGauge,
    ReadReply,
    UnusableReplyError,
    read_completion,
    reasoning_object,
    usage_of,
)
from goldgen.models.wire import Question, Tally, Wire
from goldgen.text.tokens import estimated_tokens
from goldgen.types import ChatRequest, Message, Reply

_REASKS = 2
_LARGER_BUDGET = 2
_SMALLER_BUDGET = 4
_QUOTED = 2000
"""Characters of a bad reply that are shown to the model again."""


class Asker:
    """Asks one endpoint, whose counts of tokens it learns to judge."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._gauge = PromptGauge()

    async def answer(self, request: ChatRequest[Reply], tally: Tally) -> Reply:
        """The validated reply. A re-ask carries the last reply and what is wrong with it, and no earlier one.

        Raises UnusableReplyError, or openai's errors once no retry helps.
        """
        messages: Sequence[Message] = request.messages
        max_tokens, reasks = request.max_tokens, 0
        while True:
            try:
                question = Question(messages, request.schema, max_tokens, request.temperature)
                completion, form = await self._wire.send(question, tally)
            except APIStatusError as error:
                if not is_too_long(error) or max_tokens < request.max_tokens:
                    raise
                # Some servers refuse a prompt only because the reply that it may have no longer fits.
                max_tokens = request.max_tokens // _SMALLER_BUDGET
                continue
            reply = read_completion(completion)
            self._check_read(messages, usage_of(completion)[0].prompt_tokens)
            texts = reply.texts or tuple(filter(None, [reasoning_object(completion)]))
            try:
                value = parsed(request.schema, texts)
            except UnparsedError as problem:
                if reply.cut and not reply.repeats_blanks:
                    if max_tokens > request.max_tokens:
                        raise UnusableReplyError("cut_off", f"cut at {max_tokens} tokens") from None
                    max_tokens = request.max_tokens * _LARGER_BUDGET
                    continue
                if reply.in_reasoning or reasks == _REASKS:
                    raise UnusableReplyError("unparsed", _unparsed(reply, problem, reasks + 1)) from None
                reasks += 1
                messages = (*request.messages, *_complaint(texts, problem))
                self._wire.is_useless(form)
            else:
                self._wire.works(form)
                return value

    def _check_read(self, messages: Sequence[Message], counted: int) -> None:
        estimated = sum(estimated_tokens(message.content) for message in messages)
        if self._gauge.is_short(estimated, counted):
            raise UnusableReplyError(
                "truncated",
                f"the endpoint read {counted} tokens of a prompt of about {estimated}; "
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
