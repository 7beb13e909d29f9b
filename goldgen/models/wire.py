"""Requests to one endpoint: paced, within the budget, and tried again while trouble is passing."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
)
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from goldgen.errors import ModelError, SettingsError
from goldgen.models.budget import Bill, Budget
from goldgen.models.dialect import Dialect, Dialects
from goldgen.models.endpoints import Endpoint, is_direct, price_usd
from goldgen.models.failures import ends_the_run, is_too_long
from goldgen.models.output import asked_in
from goldgen.models.pacing import Pacer
from goldgen.models.replies import UnusableReplyError, usage_of
from goldgen.models.retry import is_dropped, with_retries
from goldgen.types import Message, Usage

_TOKENS_AROUND = 200
"""For roles, separators and a server's own words about tools, which are not in the request."""
_PERHAPS_BILLED = frozenset({408, 502, 504})
"""Statuses of a gateway that gave up waiting for a model which may have answered."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one request asks; a call may send several."""

    messages: Sequence[Message]
    schema: type[BaseModel]
    max_tokens: int
    temperature: float


@dataclass(slots=True)
class Tally:
    """What the attempts of one call came to, kept up as they end."""

    on_start: Callable[[], None]
    """Called when the first attempt sets off: what a call waits for its turn is not its own time."""
    usage: Usage = field(default_factory=Usage)
    usd: float | None = 0.0
    """None once the price of an attempt is not known."""
    last_error: BaseException | None = None
    started: float = 0.0
    dialect: Dialect | None = None
    """In which this call asks; None until it sets off, for calls before it may teach it."""
    refused: bool = False
    """Whether a dialect was refused."""

    def start(self) -> None:
        if not self.started:
            self.started = time.monotonic()
            self.on_start()
        self.usage += Usage(attempts=1)

    def remember(self, error: BaseException) -> None:
        self.last_error = error

    def charge(self, usd: float | None) -> None:
        self.usd = None if usd is None or self.usd is None else self.usd + usd


class Wire:
    """The HTTP client of one endpoint, with what it has learnt about it."""

    def __init__(self, endpoint: Endpoint, budget: Budget, dialect: Dialect | None) -> None:
        if budget.bounds_money and price_usd(endpoint, 1, 1) is None:
            raise SettingsError(
                f"the price of {endpoint.model} at {endpoint.label} is not known, "
                "so --max-usd cannot be kept; give --price (--verifier-price), or --max-calls instead"
            )
        self.dialects = Dialects(dialect or Dialect.for_url(endpoint.base_url, endpoint.output_mode))
        self.has_answered = False
        self._endpoint = endpoint
        self._budget = budget
        self._pacer = Pacer(endpoint.concurrency)
        self._refusal: APIStatusError | None = None
        try:
            self._client = AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=endpoint.api_key.get_secret_value() or "none",
                max_retries=0,
                timeout=endpoint.timeout,
                http_client=DefaultAsyncHttpxClient(
                    trust_env=not is_direct(endpoint),
                    limits=httpx2.Limits(
                        max_connections=endpoint.concurrency,
                        max_keepalive_connections=endpoint.concurrency,
                    ),
                    event_hooks={"response": [self._observe]},
                ),
            )
        except ImportError as error:
            raise ModelError(
                f"the proxy in the environment needs an extra package ({error}); "
                "install it, or name the endpoint's host in NO_PROXY"
            ) from error

    async def close(self) -> None:
        await self._client.close()

    async def send(self, asked: Asked, tally: Tally) -> ChatCompletion:
        """A completion. Raises openai's errors once neither a retry nor another dialect helps."""
        while True:
            try:
                return await with_retries(
                    partial(self._once, asked, tally),
                    tally.remember,
                    longest_wait=self._endpoint.timeout,
                    patient=self.has_answered,
                )
            except APIStatusError as error:
                spoken = tally.dialect
                other = None if spoken is None or is_too_long(error) else spoken.after_refusal(error)
                if spoken is None or other is None:
                    raise
                self.dialects.fails(spoken)
                tally.dialect, tally.refused = other, True

    def works(self, tally: Tally) -> None:
        """The last reply was valid."""
        if tally.dialect is not None:
            self.dialects.works(tally.dialect, refused=tally.refused)

    def is_useless(self, tally: Tally) -> None:
        """The last reply could not be used; the next one is asked for in another form if that may help."""
        if tally.dialect is not None:
            self.dialects.fails(tally.dialect)
            if self.dialects.is_doubtful:
                tally.dialect = tally.dialect.after_unparsed()

    async def _once(self, asked: Asked, tally: Tally) -> ChatCompletion:
        async with self._pacer.slot():
            if self._refusal is not None:
                raise self._refusal
            # Only now, since calls before this one may have learnt how to speak.
            tally.dialect = tally.dialect or self.dialects.current
            arguments = self._arguments(asked, tally.dialect)
            async with self._budget.request(self._worst_usd(arguments)) as bill:
                tally.start()
                try:
                    return await self._answer(arguments, tally, bill)
                finally:
                    # What was sent and is not told may have been billed: the budget is charged the worst.
                    tally.charge(0.0 if self._endpoint.embedded else bill.usd)

    async def _answer(self, arguments: dict[str, Any], tally: Tally, bill: Bill) -> ChatCompletion:
        """One request; ``bill`` is left open where it may have been billed and is not told."""
        try:
            # Not chat.completions.create, which goes through the whole request for names to change.
            completion = cast(
                object,
                await self._client.post("/chat/completions", cast_to=ChatCompletion, body=arguments),
            )
        except APIStatusError as error:
            bill.usd = None if error.status_code in _PERHAPS_BILLED else 0.0
            another = tally.dialect is not None and tally.dialect.after_refusal(error) is not None
            if ends_the_run(error, self.has_answered) and not another:
                self._refusal = error
            raise
        except APIConnectionError as error:
            bill.usd = None if is_dropped(error) or isinstance(error, APITimeoutError) else 0.0
            raise
        except ValueError:
            # No JSON, or no UTF-8.
            raise UnusableReplyError("unavailable", "the endpoint answered 200 without JSON") from None
        if not isinstance(completion, ChatCompletion):
            raise UnusableReplyError(
                "unavailable", "the endpoint answered 200 with something that is no completion"
            )
        self.has_answered = True
        usage, told = usage_of(completion)
        tally.usage += usage
        counted = bool(usage.prompt_tokens)
        priced = price_usd(self._endpoint, usage.prompt_tokens, usage.completion_tokens) if counted else None
        # A gateway that tells less than the price is not taken at its word.
        bill.usd = max((usd for usd in (told, priced) if usd is not None), default=None)
        return completion

    def _arguments(self, asked: Asked, dialect: Dialect) -> dict[str, Any]:
        return dialect.spoken(
            asked_in(dialect.form, asked.messages, asked.schema)
            | {
                "model": self._endpoint.model,
                "max_tokens": asked.max_tokens,
                "temperature": asked.temperature,
            }
        )

    def _worst_usd(self, arguments: dict[str, Any]) -> float:
        """More than the request can cost: no tokeniser makes more tokens of a text than it has bytes."""
        if not self._budget.bounds_money:
            return 0.0
        sent = {name: arguments.get(name) for name in ("messages", "tools", "response_format")}
        prompt = len(json.dumps(sent, ensure_ascii=False).encode("utf-8", "surrogatepass")) + _TOKENS_AROUND
        reply = arguments.get("max_tokens") or arguments.get("max_completion_tokens") or 0
        return price_usd(self._endpoint, prompt, reply) or 0.0

    async def _observe(self, response: httpx2.Response) -> None:
        self._pacer.observe(response.status_code, response.headers)
