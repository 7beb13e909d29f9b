"""The ledger of model calls, committed in groups: one commit for all that ended within 10 ms."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from goldgen.errors import StoreError
from goldgen.store.connection import Connection
from goldgen.types import CallRecord, Message, Usage

_COMMIT_DELAY = 0.01
"""Seconds. With the commit, 15 to 30 ms on a slow disk, it stays below the 50 ms after which a call counts
as complete."""

_COLUMNS = (
    "key",
    "stage",
    "model",
    "endpoint",
    "prompt_hash",
    "messages_json",
    "status",
    "reply",
    "failure_kind",
    "failure_message",
    "prompt_tokens",
    "completion_tokens",
    "attempts",
    "seconds",
    "usd",
    "parameters_json",
)
_SELECT = f"select {', '.join(_COLUMNS)} from calls"


@dataclass(frozen=True, slots=True)
class StageTotals:
    """What one stage has spent on one model, failed calls included."""

    stage: str
    model: str
    calls: int
    failed: int
    usage: Usage
    seconds: float
    usd: float
    """The sum of the known prices."""
    unpriced: int
    """Calls whose price is not known."""


class CallLedger:
    """Implements ``Ledger``. Inside an event loop ``put`` returns at once and the commit follows."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pending: dict[str, tuple[CallRecord, datetime]] = {}
        self._scheduled_on: asyncio.AbstractEventLoop | None = None
        self._commit_failed = False

    def get(self, key: str) -> CallRecord | None:
        if key in self._pending:
            return self._pending[key][0]
        rows = self._connection.rows(f"{_SELECT} where key = ?", [key])
        return _record(rows[0]) if rows else None

    def put(self, record: CallRecord) -> None:
        """Accept a finished call; one with the same key is replaced.

        It is committed within 50 ms, or at once where no event loop runs. Raises StoreError if the
        file cannot be written, also for the calls that an earlier commit could not write.
        """
        self._pending[record.key] = (record, datetime.now(UTC).replace(tzinfo=None))
        loop = _running_loop()
        if loop is None or self._commit_failed:
            self.flush()
        elif loop is not self._scheduled_on:
            loop.call_later(_COMMIT_DELAY, self._flush_later)
            self._scheduled_on = loop

    def flush(self) -> None:
        """Commit what is pending. On StoreError it stays pending, so that nothing paid for is lost."""
        self._scheduled_on = None
        if not self._pending:
            return
        rows = [(*_row(record), ended_at) for record, ended_at in self._pending.values()]
        self._commit_failed = True
        with self._connection.transaction():
            self._connection.save_rows("calls", (*_COLUMNS, "ended_at"), rows)
        self._commit_failed = False
        self._pending.clear()

    def records(self) -> Iterator[CallRecord]:
        """Every call, in the order in which they ended."""
        self.flush()
        return map(_record, self._connection.rows(f"{_SELECT} order by ended_at, key"))

    def totals(self) -> list[StageTotals]:
        """What was spent, by stage and model."""
        self.flush()
        rows = self._connection.rows(
            """
            select stage, model, count(*), count(*) filter (status = 'failed'),
                   sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(attempts)::bigint,
                   sum(seconds), coalesce(sum(usd), 0), count(*) filter (usd is null)
            from calls group by stage, model order by stage, model
            """
        )
        return [
            StageTotals(
                stage, model, calls, failed, Usage(prompt, completion, attempts), seconds, usd, unpriced
            )
            for stage, model, calls, failed, prompt, completion, attempts, seconds, usd, unpriced in rows
        ]

    def _flush_later(self) -> None:
        try:
            self.flush()
        except StoreError:
            # An event loop only logs what a callback raises: the next put, flush or close raises it.
            return


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _row(record: CallRecord) -> tuple[object, ...]:
    return (
        record.key,
        record.stage,
        record.model,
        record.endpoint,
        record.prompt_hash,
        json.dumps([[message.role, message.content] for message in record.messages]),
        record.status,
        record.reply,
        record.failure_kind,
        record.failure_message,
        record.usage.prompt_tokens,
        record.usage.completion_tokens,
        record.usage.attempts,
        record.seconds,
        record.usd,
        json.dumps(dict(record.parameters)),
    )


def _record(row: tuple[Any, ...]) -> CallRecord:
    (key, stage, model, endpoint, prompt_hash, messages, status, reply, failure_kind, failure_message) = row[
        :10
    ]
    (prompt_tokens, completion_tokens, attempts, seconds, usd, parameters) = row[10:]
    return CallRecord(
        key=key,
        stage=stage,
        model=model,
        endpoint=endpoint,
        prompt_hash=prompt_hash,
        messages=tuple(Message(role, content) for role, content in json.loads(messages)),
        status=status,
        reply=reply,
        failure_kind=failure_kind,
        failure_message=failure_message,
        usage=Usage(prompt_tokens, completion_tokens, attempts),
        seconds=seconds,
        usd=usd,
        parameters=json.loads(parameters),
    )
