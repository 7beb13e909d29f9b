"""Checks of chat models, endpoints and the embedded one, by one test question to each."""

import time
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

from goldgen.app.checks import Check, check_weights, failed
from goldgen.app.counting import dollars
from goldgen.app.dialects import Forgetful
from goldgen.app.models import ModelSettings, open_generator
from goldgen.app.reporting import Reporter
from goldgen.errors import BudgetError, EndpointError, GoldgenError
from goldgen.models.endpoints import Endpoint, price_usd
from goldgen.types import CallRecord, Chat, ChatReply, ChatRequest, Failure, FailureKind, Message, OutputMode

if TYPE_CHECKING:
    from goldgen.models.budget import Budget

_NAMES_SHOWN = 5
_THOUSANDS = 1000
_MODES: dict[OutputMode, str] = {
    "json_schema": "by a JSON schema",
    "tools": "as the call of a tool",
    "json": "in JSON mode, with the schema in the prompt",
    "text": "as plain text, with the schema in the prompt",
}
_ADVICE: dict[FailureKind, str] = {
    "content_filter": "the test question is harmless; use another endpoint, or loosen its filter",
    "refusal": "the test question is harmless; use another model",
    "unparsed": "use a stronger model, or another --output-mode; with a model that thinks, turn that off",
    "cut_off": "the reply is a few words long; if the model thinks before it answers, turn that off",
    "timeout": "try again once the model is loaded, raise --timeout, or use a faster model",
    "bad_request": "look at what it says: the base URL, the model's name or a parameter may be wrong",
    "too_long": "the test prompt is short; give the server a larger context, 4,096 tokens at least",
    "unavailable": "try again a little later, or look at the server's log",
}
_ANSWERED = frozenset({"content_filter", "refusal", "unparsed", "cut_off", "too_long", "truncated"})
"""Failures in which endpoint, key and model are right, but the output is of no use."""


class Answer(BaseModel):
    """What the test question is to be answered with."""

    colour: str


_QUESTION = ChatRequest(
    stage="doctor",
    messages=(
        Message("system", "Answer in a word or two."),
        Message(
            "user", "The lamp on the left is green, the one on the right is red. Which colour has the left?"
        ),
    ),
    schema=Answer,
    prompt_hash="doctor",
    # As much as a verdict may have, so that a model that thinks first fares here as in a run.
    max_tokens=500,
)


class _Forgetful:
    """Implements ``Ledger`` and answers nothing: the doctor's calls are no part of a golden set."""

    last: CallRecord | None = None

    def get(self, key: str) -> CallRecord | None:
        return None

    def put(self, record: CallRecord) -> None:
        self.last = record

    @property
    def mode(self) -> OutputMode:
        """In which the last reply came, which need not be the first that would be tried again."""
        # The record keeps modes as text.
        return cast(OutputMode, self.last.parameters["output_mode"] if self.last else "json_schema")


async def check_endpoint(role: str, endpoint: Endpoint, budget: "Budget", reporter: Reporter) -> list[Check]:
    """One call to the endpoint: whether it answers, in which output mode, how fast, and at which price."""
    from goldgen.models.chat import EndpointChat

    name = f"{role} call"
    try:
        ledger = _Forgetful()
        async with EndpointChat(endpoint, ledger, budget) as chat:
            reporter.say(f"a fixed test question goes to {endpoint.model} at {endpoint.label}")
            reply, seconds = await _asked(chat)
            mode = ledger.mode
    except BudgetError as error:
        return [replace(failed(name, error), state="warning"), _price(role, endpoint)]
    except EndpointError as error:
        return [failed(name, error, await _names_offered(endpoint)), _price(role, endpoint)]
    except GoldgenError as error:
        return [failed(name, error), _price(role, endpoint)]
    if reply.failure and reply.failure.kind not in _ANSWERED:
        advice = await _names_offered(endpoint) or _ADVICE.get(reply.failure.kind, "")
        call = Check(name, "failed", f"{endpoint.label}: {reply.failure.message}", advice)
        return [call, _price(role, endpoint)]
    key = "takes the key" if endpoint.api_key.get_secret_value() else "needs no key"
    call = Check(name, "ok", f"{endpoint.label} answers, {key} and has {endpoint.model}")
    output = _output(role, mode, reply.failure)
    return [call, output, _speed(role, reply, seconds), _price(role, endpoint)]


async def check_embedded(settings: ModelSettings, load: bool, reporter: Reporter) -> list[Check]:
    """Whether the embedded generator could start; with ``load`` whether it does, and how fast it is."""
    weights = check_weights(settings)
    if weights.state == "failed" or not load:
        return [weights]
    try:
        async with open_generator(settings, _Forgetful(), Forgetful(), reporter) as chat:
            # The first call pays for what is read from the disk.
            await _asked(chat)
            reply, seconds = await _asked(chat)
    except GoldgenError as error:
        return [weights, failed("generator output", error)]
    return [weights, _output("generator", "json_schema", reply.failure), _speed("generator", reply, seconds)]


async def _asked(chat: Chat) -> tuple[ChatReply[Answer], float]:
    """The reply to the test question, and the seconds that it took."""
    started = time.perf_counter()
    reply = await chat.ask(_QUESTION)
    return reply, time.perf_counter() - started


async def _names_offered(endpoint: Endpoint) -> str:
    """Names that are like the one asked for; empty if the endpoint has that, or tells none."""
    from goldgen.models.listing import offered_models

    offered = await offered_models(endpoint)
    if not offered or endpoint.model in offered:
        return ""
    near = get_close_matches(endpoint.model, offered, _NAMES_SHOWN, cutoff=0.0)
    among = f" {len(offered)} models, among them" if len(offered) > len(near) else ""
    return f"{endpoint.model} is not among the models there; it offers{among} {', '.join(near)}"


def _output(role: str, mode: OutputMode, failure: Failure | None) -> Check:
    name = f"{role} output"
    if failure:
        return Check(name, "failed", failure.message, _ADVICE.get(failure.kind, ""))
    found = f"structured output works {_MODES[mode]} ({mode})"
    if mode != "text":
        return Check(name, "ok", found)
    advice = "each reply is checked, but more of them will be unusable; a server with JSON schemas is better"
    return Check(name, "warning", found, advice)


def _speed(role: str, reply: ChatReply[Answer], seconds: float) -> Check:
    name, usage = f"{role} speed", reply.usage
    requests = f" in {usage.attempts} requests" if usage.attempts > 1 else ""
    took = f"{seconds:.2f} s for the call{requests}"
    if not usage.completion_tokens:
        advice = "without counts no price can be relied on, nor --max-usd: limit runs by --max-calls"
        return Check(name, "warning", f"{took}; the endpoint counts no tokens", advice)
    counted = f"{usage.prompt_tokens} tokens in, {usage.completion_tokens} out"
    rate = usage.completion_tokens / seconds
    return Check(name, "ok", f"{took}, {counted}: {rate:.1f} tokens a second, waiting included")


def _price(role: str, endpoint: Endpoint) -> Check:
    name = f"{role} price"
    # Of few tokens, as some prices rise with a prompt's length.
    prompt, completion = price_usd(endpoint, _THOUSANDS, 0), price_usd(endpoint, 0, _THOUSANDS)
    if prompt is not None and completion is not None:
        each = f"{dollars(prompt * _THOUSANDS)} in, {dollars(completion * _THOUSANDS)} out"
        return Check(name, "ok", f"{each} for a million tokens")
    flag = "--verifier-price" if role == "verifier" else "--price"
    if not endpoint.remote:
        return Check(name, "ok", f"not known, as for any server of one's own; {flag} sets one")
    return Check(
        name, "warning", "not known, so --max-usd cannot be used", f"give {flag} IN,OUT, or --max-calls"
    )
