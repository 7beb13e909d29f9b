"""A chat model at an OpenAI-compatible endpoint: structured replies, ledger, retries, one deadline a call."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import TracebackType
from typing import Any, cast

import instructor
from instructor.core import IncompleteOutputException, InstructorRetryException
from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    BadRequestError,
    DefaultAsyncHttpxClient,
)
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from goldgen.errors import EndpointError, ModelError
from goldgen.models.dialect import Dialect
from goldgen.models.endpoints import Endpoint, is_direct, price_usd
from goldgen.models.replies import UnusableReplyError, check_completion
from goldgen.models.retry import is_dropped, is_out_of_quota, with_retries
from goldgen.text import stable_id
from goldgen.types import CallRecord, ChatReply, ChatRequest, Failure, Ledger, Reply, Usage

_REASKS = 2
_LARGER_BUDGET = 2
_LONGEST_MESSAGE = 200
_HOPELESS = 5
_PERMANENT = frozenset({"content_filter"})
"""Failures that the same request will meet again; not asked a second time."""


class EndpointChat(AbstractAsyncContextManager["EndpointChat"]):
    """Implements ``Chat``. Open it with ``async with``; calls beyond ``endpoint.concurrency`` wait."""

    def __init__(self, endpoint: Endpoint, ledger: Ledger) -> None:
        # instructor logs each failed attempt, which may quote prompts, to stderr.
        logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)
        self._endpoint = endpoint
        self._ledger = ledger
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._in_flight: dict[str, asyncio.Task[CallRecord]] = {}
        self._dialect = Dialect.for_url(endpoint.base_url)
        self._answered = False
        self._unanswered = 0
        try:
            self._client = AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=endpoint.api_key.get_secret_value() or "none",
                max_retries=0,
                timeout=endpoint.timeout,
                http_client=DefaultAsyncHttpxClient(trust_env=not is_direct(endpoint)),
            )
        except ImportError as error:
            raise ModelError(
                f"the proxy in the environment needs an extra package ({error}); "
                "install it, or name the endpoint's host in NO_PROXY"
            ) from error

    @property
    def model(self) -> str:
        return self._endpoint.model

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._in_flight.values():
            task.cancel()
        await self._client.close()

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        """Answer from the ledger if it can; otherwise call, and put the outcome into the ledger.

        Raises EndpointError when no call can succeed: wrong key or model, no quota, nothing listening.
        """
        key = self.key(request)
        record = self._ledger.get(key)
        known = record is not None and (record.status == "ok" or record.failure_kind in _PERMANENT)
        if record is None or not known:
            record = await self._call_once(key, request, record)
        return _to_reply(record, request, from_ledger=known)

    def key(self, request: ChatRequest[Reply]) -> str:
        """Equal requests have equal keys on every machine; any change of the request changes it."""
        return stable_id(
            self._endpoint.model,
            self._endpoint.label,
            request.prompt_hash,
            json.dumps([(message.role, message.content) for message in request.messages]),
            json.dumps(request.schema.model_json_schema(), sort_keys=True),
            json.dumps([request.max_tokens, request.temperature]),
        )

    async def _call_once(
        self, key: str, request: ChatRequest[Reply], earlier: CallRecord | None
    ) -> CallRecord:
        """Two askers of the same key share one call."""
        task = self._in_flight.get(key)
        if task is None:
            task = asyncio.create_task(self._call(key, request, earlier))
            self._in_flight[key] = task
            task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        return await task

    async def _call(self, key: str, request: ChatRequest[Reply], earlier: CallRecord | None) -> CallRecord:
        async with self._slots:
            started = time.monotonic()
            attempt = _Attempts(self._client, self._dialect)
            reply, failure = "", None
            try:
                async with asyncio.timeout(self._endpoint.timeout):
                    reply = await self._structured(request, attempt)
            except TimeoutError:
                failure = self._out_of_time(attempt.last_error)
            except UnusableReplyError as error:
                failure = error.failure
            except APIStatusError as error:
                failure = self._failure(error)
            except APIConnectionError as error:
                failure = self._unreached(error)
            self._dialect = attempt.dialect
            usage = attempt.usage
            record = CallRecord(
                key=key,
                stage=request.stage,
                model=self._endpoint.model,
                endpoint=self._endpoint.label,
                prompt_hash=request.prompt_hash,
                messages=request.messages,
                status="failed" if failure else "ok",
                reply=reply,
                failure_kind=failure.kind if failure else "",
                failure_message=failure.message if failure else "",
                usage=usage,
                seconds=time.monotonic() - started,
                usd=price_usd(self._endpoint, usage.prompt_tokens, usage.completion_tokens),
                parameters={"max_tokens": str(request.max_tokens), "temperature": f"{request.temperature:g}"},
            )
            self._ledger.put(_with_cost_of(earlier, record))
            self._stop_if_hopeless(failure)
            return record

    async def _structured(self, request: ChatRequest[Reply], attempts: "_Attempts") -> str:
        """The validated reply as JSON. Re-asks are instructor's; a reply that was cut gets more room once."""
        create = cast(
            Callable[..., Awaitable[Reply]],
            instructor.patch(create=attempts.create, mode=instructor.Mode.JSON_SCHEMA),
        )
        for budget in (request.max_tokens, request.max_tokens * _LARGER_BUDGET):
            try:
                value = await create(
                    response_model=request.schema,
                    model=self._endpoint.model,
                    messages=[{"role": m.role, "content": m.content} for m in request.messages],
                    max_retries=_REASKS,
                    strict=False,
                    max_tokens=budget,
                    temperature=request.temperature,
                )
            except IncompleteOutputException:
                continue
            except InstructorRetryException as error:
                cause = error.__cause__
                if isinstance(cause, APIStatusError | APIConnectionError | UnusableReplyError):
                    raise cause from cause.__cause__
                raise UnusableReplyError("unparsed", f"no valid reply in {_REASKS + 1} tries") from None
            return cast(BaseModel, value).model_dump_json()
        raise UnusableReplyError("cut_off", f"cut at {request.max_tokens * _LARGER_BUDGET} tokens")

    def _failure(self, error: APIStatusError) -> Failure:
        """One call's failure; raises EndpointError if it is every call's."""
        status = error.status_code
        if status in (401, 403):
            raise self._fatal(f"the key was refused ({status}); set OPENAI_API_KEY or another key") from None
        if status == 404:
            raise self._fatal(
                f"model {self._endpoint.model!r} or the path was not found (404: {self._said(error)}); "
                "check the model's name, and that the base URL ends as the server wants it, mostly in /v1"
            ) from None
        if is_out_of_quota(error):
            raise self._fatal("the account has no quota left (429 insufficient_quota)") from None
        if isinstance(error, BadRequestError) and error.code == "content_filter":
            return Failure("content_filter", "the endpoint's content filter refused the request")
        if 400 <= status < 500 and status not in (408, 409, 429):
            return Failure("bad_request", f"{status}: {self._said(error)}")
        return Failure("unavailable", f"{status} after every retry")

    def _out_of_time(self, last: BaseException | None) -> Failure:
        """The deadline passed: while waiting for an answer, or while the endpoint kept refusing."""
        if isinstance(last, APIStatusError):
            answer = f"{last.status_code}: {self._said(last)}"
            return Failure("unavailable", f"at every retry within {self._endpoint.timeout:g} s {answer}")
        return Failure("timeout", f"no usable reply within {self._endpoint.timeout:g} s")

    def _stop_if_hopeless(self, failure: Failure | None) -> None:
        """Raises EndpointError once the first calls, as many as run at once, have all found no answer."""
        if failure is None or failure.kind not in ("timeout", "unavailable"):
            self._answered = True
        elif not self._answered:
            self._unanswered += 1
            if self._unanswered >= max(_HOPELESS, self._endpoint.concurrency):
                raise self._fatal(
                    f"none of the first {self._unanswered} calls was answered; the last: {failure.message}"
                )

    def _unreached(self, error: APIConnectionError) -> Failure:
        """A connection that broke is one call's failure; raises EndpointError if nothing listens."""
        if is_dropped(error):
            return Failure("unavailable", "the connection broke at every retry")
        raise self._fatal(f"nothing answers ({error.__cause__ or error}); is the server running?") from None

    def _said(self, error: APIStatusError) -> str:
        """The server's own words, in one short line."""
        body = cast("Mapping[str, object]", error.body if isinstance(error.body, Mapping) else {})
        words = str(body.get("message") or error.message).split()
        return self._redacted(" ".join(words))[:_LONGEST_MESSAGE]

    def _fatal(self, message: str) -> EndpointError:
        return EndpointError(f"{self._endpoint.label}: {message}")

    def _redacted(self, text: str) -> str:
        secret = self._endpoint.api_key.get_secret_value()
        return text.replace(secret, "<key>") if secret else text


class _Attempts:
    """The attempts of one call: what instructor calls, with HTTP retries below it and tokens counted."""

    def __init__(self, client: AsyncOpenAI, dialect: Dialect) -> None:
        self._client = client
        self.dialect = dialect
        self.usage = Usage()
        self.last_error: BaseException | None = None

    def _remember(self, error: BaseException) -> None:
        self.last_error = error

    # instructor decides the arguments; they go on to the SDK as they are.
    async def create(self, **arguments: Any) -> ChatCompletion:
        async def once() -> ChatCompletion:
            self.usage += Usage(attempts=1)
            # Any, because the SDK's overloads cannot be told apart by unpacked arguments.
            send: Any = self._client.chat.completions.create
            try:
                return await send(**self.dialect.spoken(arguments))
            except json.JSONDecodeError:
                raise UnusableReplyError("unavailable", "the endpoint answered 200 without JSON") from None

        while True:
            try:
                completion = await with_retries(once, self._remember)
            except BadRequestError as error:
                other = self.dialect.after(error)
                if other is None:
                    raise
                self.dialect = other
                continue
            usage = getattr(completion, "usage", None)
            if isinstance(usage, CompletionUsage):
                # The SDK builds its values without checking them: either may be missing or null.
                prompt, reply = (
                    getattr(usage, name, None) or 0 for name in ("prompt_tokens", "completion_tokens")
                )
                self.usage += Usage(prompt, reply)
            return check_completion(completion)


def _with_cost_of(earlier: CallRecord | None, record: CallRecord) -> CallRecord:
    """What a failed call cost was paid, also if the same call succeeds later."""
    if earlier is None:
        return record
    usd = None if record.usd is None or earlier.usd is None else record.usd + earlier.usd
    return replace(record, usage=record.usage + earlier.usage, usd=usd)


def _to_reply(record: CallRecord, request: ChatRequest[Reply], *, from_ledger: bool) -> ChatReply[Reply]:
    if record.status == "ok":
        value = request.schema.model_validate_json(record.reply)
        return ChatReply(record.key, record.usage, value=value, from_ledger=from_ledger)
    failure = Failure(record.failure_kind or "unparsed", record.failure_message)  # pyright: ignore[reportArgumentType] # the store keeps kinds as text
    return ChatReply(record.key, record.usage, failure=failure, from_ledger=from_ledger)
