"""A chat model at an OpenAI-compatible endpoint: structured, remembered, with one deadline a call."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import TracebackType

from openai import APIConnectionError, APIStatusError
from pydantic import ValidationError

from goldgen.errors import BudgetError, EndpointError
from goldgen.models.asking import answer
from goldgen.models.budget import Budget
from goldgen.models.dialect import Dialect
from goldgen.models.endpoints import Endpoint
from goldgen.models.failures import Diagnosis
from goldgen.models.keys import call_key, is_settled
from goldgen.models.replies import UnusableReplyError
from goldgen.models.wire import Tally, Wire
from goldgen.types import CallRecord, ChatReply, ChatRequest, Failure, Ledger, Reply

_HOPELESS = 5


class EndpointChat(AbstractAsyncContextManager["EndpointChat"]):
    """Implements ``Chat``. Open it with ``async with``; requests beyond ``endpoint.concurrency`` wait.

    ``dialect`` is what an earlier run learnt about the endpoint. Raises SettingsError if ``budget`` bounds
    money and the model's price is not known.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        ledger: Ledger,
        budget: Budget | None = None,
        dialect: Dialect | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._ledger = ledger
        self._wire = Wire(endpoint, budget or Budget(), dialect)
        self._diagnosis = Diagnosis(endpoint)
        self._in_flight: dict[str, asyncio.Task[CallRecord]] = {}
        self._unanswered = 0

    @property
    def model(self) -> str:
        return self._endpoint.model

    @property
    def dialect(self) -> Dialect:
        """What has been learnt about the endpoint so far."""
        return self._wire.dialects.current

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = list(self._in_flight.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._wire.close()

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        """Answer from the ledger if it can; otherwise call, and put the outcome into the ledger.

        Raises EndpointError when no call can succeed (wrong key or model, no quota, nothing listening), and
        BudgetError when the run may spend no more.
        """
        key = call_key(self._endpoint, request)
        record = self._ledger.get(key)
        if record is not None and is_settled(record):
            known = _to_reply(record, request, from_ledger=True)
            if known is not None:
                return known
        return await self._call_once(key, request, record)

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        record = self._ledger.get(call_key(self._endpoint, request))
        return record is not None and is_settled(record)

    async def _call_once(
        self, key: str, request: ChatRequest[Reply], earlier: CallRecord | None
    ) -> ChatReply[Reply]:
        """Two askers of the same key share one call, which the first of them pays."""
        task = self._in_flight.get(key)
        is_shared = task is not None
        if task is None:
            task = asyncio.create_task(self._call(key, request, earlier))
            self._in_flight[key] = task
            task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        record = await task
        reply = _to_reply(record, request, from_ledger=is_shared)
        if reply is None:
            raise AssertionError(f"call {key} was recorded with a reply that does not follow its schema")
        return reply

    async def _call(self, key: str, request: ChatRequest[Reply], earlier: CallRecord | None) -> CallRecord:
        deadline = asyncio.timeout(None)

        def start() -> None:
            deadline.reschedule(asyncio.get_running_loop().time() + self._endpoint.timeout)

        tally = Tally(start)

        def keep(reply: str, failure: Failure | None) -> CallRecord:
            record = self._record(key, request, tally, reply, failure)
            self._ledger.put(_with_cost_of(earlier, record))
            return record

        reply, failure = "", None
        try:
            try:
                async with deadline:
                    value = await answer(self._wire, request, tally)
                reply = self._without_key(value, request.schema)
            except TimeoutError:
                failure = self._diagnosis.of_deadline(tally.last_error)
            except UnusableReplyError as error:
                failure = error.failure
            except APIStatusError as error:
                failure = self._diagnosis.of_status(error, self._wire.has_answered)
            except APIConnectionError as error:
                failure = self._diagnosis.of_connection(error)
        except (BudgetError, EndpointError, asyncio.CancelledError):
            # What its finished attempts cost was paid, though the call has no outcome.
            if tally.usage.prompt_tokens or tally.usage.completion_tokens:
                keep("", Failure("stopped", "the run ended before this call did"))
            raise
        record = keep(reply, failure)
        self._stop_if_hopeless(failure)
        return record

    def _without_key(self, value: Reply, schema: type[Reply]) -> str:
        """The reply as JSON. Raises UnusableReplyError if it is none without the key that it repeats."""
        text = value.model_dump_json()
        redacted = self._diagnosis.redacted(text)
        if redacted == text:
            return text
        try:
            schema.model_validate_json(redacted)
        except ValidationError:
            raise UnusableReplyError("unparsed", "the reply is made of the key") from None
        return redacted

    def _record(
        self,
        key: str,
        request: ChatRequest[Reply],
        tally: Tally,
        reply: str,
        failure: Failure | None,
    ) -> CallRecord:
        return CallRecord(
            key=key,
            stage=request.stage,
            model=self._endpoint.model,
            endpoint=self._endpoint.label,
            prompt_hash=request.prompt_hash,
            messages=request.messages,
            status="failed" if failure else "ok",
            reply=reply,
            failure_kind=failure.kind if failure else "",
            failure_message=self._diagnosis.redacted(failure.message) if failure else "",
            usage=tally.usage,
            seconds=time.monotonic() - tally.started if tally.started else 0.0,
            usd=tally.usd,
            parameters={
                "max_tokens": str(request.max_tokens),
                "temperature": f"{request.temperature:g}",
                "repeat": str(request.repeat),
                "output_mode": (tally.dialect or self.dialect).form.mode,
            },
        )

    def _stop_if_hopeless(self, failure: Failure | None) -> None:
        """Raises EndpointError once as many calls in a row as run at once have all found no answer."""
        if failure is None or failure.kind not in ("timeout", "unavailable"):
            self._unanswered = 0
            return
        self._unanswered += 1
        first = not self._wire.has_answered
        if self._unanswered >= max(_HOPELESS, self._endpoint.concurrency) * (1 if first else 2):
            these = "the first" if first else "the last"
            self._diagnosis.stop(
                f"none of {these} {self._unanswered} calls was answered; the last: {failure.message}"
            )


def _with_cost_of(earlier: CallRecord | None, record: CallRecord) -> CallRecord:
    """What a failed call cost was paid, also if the same call succeeds later."""
    if earlier is None:
        return record
    usd = None if record.usd is None or earlier.usd is None else record.usd + earlier.usd
    return replace(record, usage=record.usage + earlier.usage, usd=usd)


def _to_reply(
    record: CallRecord, request: ChatRequest[Reply], *, from_ledger: bool
) -> ChatReply[Reply] | None:
    """The reply of a record; None if it does not follow the schema, for whatever reason it was kept."""
    if record.status == "ok":
        try:
            value = request.schema.model_validate_json(record.reply)
        except ValidationError:
            return None
        return ChatReply(record.key, record.usage, value=value, from_ledger=from_ledger, usd=record.usd)
    failure = Failure(record.failure_kind or "unparsed", record.failure_message)  # pyright: ignore[reportArgumentType] # the store keeps kinds as text
    return ChatReply(record.key, record.usage, failure=failure, from_ledger=from_ledger, usd=record.usd)
