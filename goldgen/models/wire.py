"""Requests to one endpoint: paced, within the budget, and tried again while trouble is passing."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from goldgen.errors import ModelError, SettingsError
from goldgen.models.budget import Bill, Budget
from goldgen.models.dialect import Dialect
from goldgen.models.endpoints import Endpoint, is_direct, price_usd
from goldgen.models.failures import ends_the_run, is_too_long
from goldgen.models.output import FORMS, Form, asked_in
from goldgen.models.pacing import Pacer
from goldgen.models.replies import UnusableReplyError, usage_of
from goldgen.models.retry import is_dropped, with_retries
from goldgen.types import Message, Usage

_TOKENS_AROUND = 200
"""Of roles, separators and a server's own words about tools: more than any is known to add."""


@dataclass(frozen=True, slots=True)
class Question:
    """What one request asks; a call may ask several times."""

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
    dialect: Dialect = field(default_factory=Dialect)
    """Of the last attempt."""

    def start(self, dialect: Dialect) -> None:
        self.dialect = dialect
        if not self.started:
            self.started = time.monotonic()
            self.on_start()
        self.usage += Usage(attempts=1)

    def remember(self, error: BaseException) -> None:
        self.last_error = error

    def add(self, usage: Usage, usd: float | None) -> None:
        self.usage += usage
        self.usd = None if usd is None or self.usd is None else self.usd + usd


class Wire:
    """The HTTP client of one endpoint, with what it has learnt about it."""

    def __init__(self, endpoint: Endpoint, budget: Budget, dialect: Dialect | None) -> None:
        if budget.bounds_money and price_usd(endpoint, 1, 1) is None:
            raise SettingsError(
                f"the price of {endpoint.model} at {endpoint.label} is not known, "
                "so --max-usd cannot be kept; give --price (--verifier-price), or --max-calls instead"
            )
        self.dialect = dialect or Dialect.for_url(endpoint.base_url, endpoint.output_mode)
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

    async def send(self, question: Question, tally: Tally) -> tuple[ChatCompletion, Form]:
        """A completion, and how it was asked for. Raises openai's errors once no retry helps."""
        while True:
            try:
                return await with_retries(partial(self._once, question, tally), tally.remember)
            except APIStatusError as error:
                other = None if is_too_long(error) else tally.dialect.after_refusal(error)
                if other is None:
                    raise
                # Calls under way at the same time meet the same refusal; only the first moves on.
                if self.dialect == tally.dialect:
                    self.dialect = other

    def works(self, form: Form) -> None:
        """A valid reply came of this form, so later ones that are not are the model's fault.

        Another call's bad reply may meanwhile have moved on from it: that was the model's fault, too.
        """
        if not self.dialect.confirmed:
            self.dialect = replace(self.dialect, form_number=FORMS.index(form), confirmed=True)

    def is_useless(self, form: Form) -> None:
        """A reply in this form could not be used; if none ever could, another form is tried."""
        if self.dialect.form == form:
            self.dialect = self.dialect.after_unparsed()

    async def _once(self, question: Question, tally: Tally) -> tuple[ChatCompletion, Form]:
        async with self._pacer.slot():
            if self._refusal is not None:
                raise self._refusal
            # Only now, since calls before this one may have learnt how to speak.
            arguments = self._arguments(question)
            async with self._budget.request(self._worst_usd(arguments)) as bill:
                tally.start(self.dialect)
                return await self._answer(arguments, tally, bill), tally.dialect.form

    async def _answer(self, arguments: dict[str, Any], tally: Tally, bill: Bill) -> ChatCompletion:
        # Any, because the SDK's overloads cannot be told apart by unpacked arguments.
        send: Any = self._client.chat.completions.create
        try:
            completion: object = await send(**arguments)
        except APIStatusError as error:
            bill.usd = 0.0
            if ends_the_run(error):
                self._refusal = error
            raise
        except APIConnectionError as error:
            # A request that was sent and not answered may have been billed.
            bill.usd = None if is_dropped(error) else 0.0
            raise
        except json.JSONDecodeError:
            raise UnusableReplyError("unavailable", "the endpoint answered 200 without JSON") from None
        if not isinstance(completion, ChatCompletion):
            raise UnusableReplyError(
                "unavailable", "the endpoint answered 200 with something that is no completion"
            )
        usage, usd = usage_of(completion)
        if usd is None and usage.prompt_tokens:
            usd = price_usd(self._endpoint, usage.prompt_tokens, usage.completion_tokens)
        # Without tokens or a price the worst case is charged to the budget, and the price is not known.
        bill.usd = usd
        tally.add(usage, usd)
        return completion

    def _arguments(self, question: Question) -> dict[str, Any]:
        asked = asked_in(self.dialect.form, question.messages, question.schema)
        return self.dialect.spoken(
            asked
            | {
                "model": self._endpoint.model,
                "max_tokens": question.max_tokens,
                "temperature": question.temperature,
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
