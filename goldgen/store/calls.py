"""The ledger of model calls, committed in groups: one commit for all that ended shortly after each other."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from goldgen.errors import StoreError
from goldgen.store.connection import Connection, columns, values
from goldgen.types import CallRecord, Message, Usage
from goldgen.types.chat import CallStatus

_PROMISED = 0.05
"""Seconds after which a call counts as complete."""
_SHORTEST_DELAY, _FIRST_DELAY, _LONGEST_DELAY = 0.005, 0.01, 0.03
"""Seconds before a commit. A commit costs the same for one call as for twenty, so a quick disk may wait."""

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
    "ended_at",
)
_SELECT = f"select {', '.join(_COLUMNS)} from calls"


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are meant; None: of any kind."""

    stage: str | None = None
    model: str | None = None
    status: CallStatus | None = None
    failure_kind: str | None = None


_MATCHES = " and ".join(f"{column} = coalesce(?, {column})" for column in columns(CallFilter))
"""The condition of SQL that takes the values of a CallFilter."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call and when it was handed to the ledger, in UTC."""

    call: CallRecord
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class CallSummary:
    """A call without its messages and reply, so that a list of many is light."""

    key: str
    stage: str
    model: str
    status: CallStatus
    failure_kind: str
    failure_message: str
    usage: Usage
    seconds: float
    usd: float | None
    """None: the price is not known."""
    ended_at: datetime
    """In UTC."""


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
        self._stored: set[str] | None = None
        self._delay = _FIRST_DELAY
        self._scheduled_on: asyncio.AbstractEventLoop | None = None
        self._commit_failed = False

    def get(self, key: str) -> CallRecord | None:
        if key in self._pending:
            return self._pending[key][0]
        if key not in self._stored_keys():
            return None
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
            loop.call_later(self._delay, self._flush_later)
            self._scheduled_on = loop

    def flush(self) -> None:
        """Commit what is pending. On StoreError it stays pending, so that nothing paid for is lost."""
        self._scheduled_on = None
        if not self._pending:
            return
        self._commit_failed = True
        # After a commit that failed the keys are read anew, for it may have reached the file.
        stored, self._stored = self._stored_keys(), None
        started = time.perf_counter()
        with self._connection.transaction():
            rows = [(*_row(record), ended_at) for record, ended_at in self._pending.values()]
            self._connection.save_rows("calls", _COLUMNS, rows, new=stored.isdisjoint(self._pending))
        self._delay = _delay_before_commit(time.perf_counter() - started)
        self._commit_failed = False
        stored.update(self._pending)
        self._stored = stored
        self._pending.clear()

    def records(self) -> Iterator[CallRecord]:
        """Every call, in the order in which they ended."""
        self.flush()
        return map(_record, self._connection.rows(f"{_SELECT} order by ended_at, key"))

    def starting_with(self, prefix: str) -> list[StoredCall]:
        """The calls whose key begins so, by key."""
        self.flush()
        rows = self._connection.rows(f"{_SELECT} where starts_with(key, ?) order by key", [prefix])
        return [StoredCall(_record(row), row[-1].replace(tzinfo=UTC)) for row in rows]

    def summaries(self, wanted: CallFilter, limit: int | None = None) -> list[CallSummary]:
        """The matching calls, the newest first, ``limit`` at most."""
        self.flush()
        rows = self._connection.rows(
            f"""
            select key, stage, model, status, failure_kind, failure_message,
                   prompt_tokens, completion_tokens, attempts, seconds, usd, ended_at
            from calls where {_MATCHES} order by ended_at desc, key desc limit ?
            """,
            [*values(wanted), limit],
        )
        return [
            CallSummary(
                *described,
                usage=Usage(prompt, completion, attempts),
                seconds=seconds,
                usd=usd,
                ended_at=ended_at.replace(tzinfo=UTC),
            )
            for *described, prompt, completion, attempts, seconds, usd, ended_at in rows
        ]

    def totals(self, wanted: CallFilter | None = None) -> list[StageTotals]:
        """What the matching calls, by default all, have spent, by stage and model."""
        self.flush()
        rows = self._connection.rows(
            f"""
            select stage, model, count(*), count(*) filter (status = 'failed'),
                   sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(attempts)::bigint,
                   sum(seconds), coalesce(sum(usd), 0), count(*) filter (usd is null)
            from calls where {_MATCHES} group by stage, model order by stage, model
            """,
            values(wanted or CallFilter()),
        )
        return [
            StageTotals(
                stage, model, calls, failed, Usage(prompt, completion, attempts), seconds, usd, unpriced
            )
            for stage, model, calls, failed, prompt, completion, attempts, seconds, usd, unpriced in rows
        ]

    def _stored_keys(self) -> set[str]:
        """The keys in the file, read once: no other process can write while it is open."""
        if self._stored is None:
            self._stored = {key for (key,) in self._connection.rows("select key from calls")}
        return self._stored

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


def _delay_before_commit(last_commit: float) -> float:
    """So that a commit that takes twice as long as the last one still keeps the promise."""
    return min(max(_PROMISED - 2 * last_commit, _SHORTEST_DELAY), _LONGEST_DELAY)


def _row(record: CallRecord) -> tuple[object, ...]:
    return (
        record.key,
        record.stage,
        record.model,
        record.endpoint,
        record.prompt_hash,
        json.dumps([[message.role, message.content] for message in record.messages], ensure_ascii=False),
        record.status,
        record.reply,
        record.failure_kind,
        record.failure_message,
        record.usage.prompt_tokens,
        record.usage.completion_tokens,
        record.usage.attempts,
        record.seconds,
        record.usd,
        json.dumps(dict(record.parameters), ensure_ascii=False),
    )


def _record(row: tuple[Any, ...]) -> CallRecord:
    (key, stage, model, endpoint, prompt_hash, messages, status, reply, failure_kind, failure_message) = row[
        :10
    ]
    (prompt_tokens, completion_tokens, attempts, seconds, usd, parameters) = row[10:16]
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
