"""The ledger: committed in groups, soon, and never lost in silence."""

import asyncio
import tempfile
import time
import tracemalloc
from collections.abc import Generator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.errors import StoreError
from goldgen.store import Store, open_store
from goldgen.store.calls import CallFilter, StageTotals
from goldgen.types import CallRecord, Ledger, Message, Usage

# DuckDB lets one process open a file twice only with the same settings.
OPENED_LIKE_THE_STORE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "storage_compatibility_version": "v1.4.0",
}


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as store:
        yield store


def call(key: str) -> CallRecord:
    return CallRecord(
        key=key,
        stage="synth",
        model="m",
        endpoint="http://127.0.0.1/v1",
        prompt_hash="p",
        messages=(Message("system", "Ask."), Message("user", "{{ x }}")),
        status="ok",
        reply='{"question": "How?"}',
        usage=Usage(100, 10, 1),
        seconds=0.5,
        usd=0.001,
        parameters={"temperature": "0"},
    )


def committed(path: Path) -> int:
    """How many calls another connection to the same file sees."""
    with duckdb.connect(str(path), config=OPENED_LIKE_THE_STORE) as other:
        return other.execute("select count(*) from calls").fetchall()[0][0]


def test_without_an_event_loop_a_call_is_committed_at_once(store: Store) -> None:
    ledger: Ledger = store.calls
    ledger.put(call("a"))
    assert committed(store.path) == 1
    assert ledger.get("a") == call("a")
    assert ledger.get("b") is None


def test_in_an_event_loop_a_call_is_committed_within_50_ms(store: Store) -> None:
    async def put_and_watch() -> tuple[int, float]:
        start = time.perf_counter()
        store.calls.put(call("a"))
        at_once = committed(store.path)
        while not committed(store.path):
            await asyncio.sleep(0.001)
        return at_once, time.perf_counter() - start

    # The best of ten, for the machine may be busy with something else.
    times: list[float] = []
    for _ in range(10):
        with duckdb.connect(str(store.path), config=OPENED_LIKE_THE_STORE) as other:
            other.execute("delete from calls")
        at_once, seconds = asyncio.run(put_and_watch())
        assert at_once == 0
        times.append(seconds)
    assert min(times) <= 0.05


def test_calls_that_end_together_are_committed_together(store: Store) -> None:
    async def put_many() -> list[int]:
        for number in range(100):
            store.calls.put(call(f"{number:03}"))
        assert store.calls.get("007") == call("007")
        seen: list[int] = []
        while not seen or seen[-1] < 100:
            await asyncio.sleep(0.001)
            seen.append(committed(store.path))
        return seen

    # On a busy machine the first look may come after the commit.
    assert set(asyncio.run(put_many())) <= {0, 100}


def test_a_second_event_loop_commits_what_the_first_left(store: Store) -> None:
    async def put(key: str, seconds: float) -> int:
        store.calls.put(call(key))
        await asyncio.sleep(seconds)
        return committed(store.path)

    assert asyncio.run(put("a", 0)) == 0
    assert asyncio.run(put("b", 0.5)) == 2


def test_closing_commits_what_is_pending(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"

    async def put() -> None:
        with open_store(path) as store:
            store.calls.put(call("a"))

    asyncio.run(put())
    with open_store(path, read_only=True) as store:
        assert store.calls.get("a") == call("a")


def test_a_commit_that_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    open_store(path).close()

    async def put_two(store: Store) -> None:
        store.calls.put(call("a"))
        await asyncio.sleep(0.1)
        store.calls.put(call("b"))

    store = open_store(path, read_only=True)
    with pytest.raises(StoreError, match="open for reading only"):
        asyncio.run(put_two(store))
    assert store.calls.get("a") == call("a")
    with pytest.raises(StoreError, match="open for reading only"):
        store.close()


def test_records_are_in_order_and_a_key_counts_once(store: Store) -> None:
    failed = replace(call("b"), status="failed", reply="", failure_kind="timeout", failure_message="60 s")
    for record in (call("c"), failed, call("a"), replace(call("c"), reply="{}")):
        store.calls.put(record)
        time.sleep(0.001)
    assert list(store.calls.records()) == [failed, call("a"), replace(call("c"), reply="{}")]


def test_totals_count_failures_tokens_and_unknown_prices(store: Store) -> None:
    async def put() -> list[StageTotals]:
        store.calls.put(call("a"))
        store.calls.put(replace(call("b"), status="failed", usage=Usage(50, 0, 3), usd=None))
        store.calls.put(replace(call("c"), stage="verify", usd=0.5))
        return store.calls.totals()

    assert asyncio.run(put()) == [
        StageTotals("synth", "m", 2, 1, Usage(150, 10, 4), 1.0, 0.001, 1),
        StageTotals("verify", "m", 1, 0, Usage(100, 10, 1), 0.5, 0.5, 0),
    ]
    assert isinstance(store.calls.totals()[0].usage.prompt_tokens, int)


def test_an_empty_ledger(store: Store) -> None:
    assert list(store.calls.records()) == []
    assert store.calls.totals() == []


def test_a_filter_takes_what_has_all_of_its_values(store: Store) -> None:
    ways: list[tuple[Literal["ok", "failed"], str]] = [
        ("ok", ""),
        ("failed", "timeout"),
        ("failed", "refusal"),
    ]
    records = [
        replace(call(f"{stage}-{model}-{kind}"), stage=stage, model=model, status=status, failure_kind=kind)
        for stage, model, (status, kind) in product(("synth", "verify"), ("m", "n"), ways)
    ]

    async def put() -> None:
        for record in records:
            store.calls.put(record)

    asyncio.run(put())
    statuses: tuple[Literal["ok", "failed"] | None, ...] = (None, "ok", "failed")
    for stage, model, status, kind in product(
        (None, "synth", "none"), (None, "n"), statuses, (None, "timeout", "none")
    ):
        matching = [
            record
            for record in records
            if stage in (None, record.stage)
            and model in (None, record.model)
            and status in (None, record.status)
            and kind in (None, record.failure_kind)
        ]
        wanted = CallFilter(stage, model, status, kind)
        assert {item.key for item in store.calls.summaries(wanted)} == {record.key for record in matching}
        assert sum(total.calls for total in store.calls.totals(wanted)) == len(matching)


def test_summaries_are_newest_first_and_cut_at_the_limit(store: Store) -> None:
    for key in "bca":
        store.calls.put(replace(call(key), usd=None))
        time.sleep(0.001)
    newest, older = store.calls.summaries(CallFilter(), 2)
    assert (newest.key, older.key) == ("a", "c")
    assert (newest.usage, newest.seconds, newest.usd) == (Usage(100, 10, 1), 0.5, None)
    assert newest.ended_at > older.ended_at
    assert str(newest.ended_at.tzinfo) == "UTC"


def test_calls_are_found_by_the_beginning_of_their_key(store: Store) -> None:
    for key in ("ab2", "ab1", "a%", "b"):
        store.calls.put(call(key))
    assert [item.call for item in store.calls.starting_with("ab")] == [call("ab1"), call("ab2")]
    assert [item.call.key for item in store.calls.starting_with("a%")] == ["a%"]
    assert store.calls.starting_with("c") == []


def test_a_lone_surrogate_in_a_message_becomes_a_question_mark(store: Store) -> None:
    """It could not be sent either, for it has no UTF-8 form."""
    store.calls.put(replace(call("a"), messages=(Message("user", "x\ud800y é"),)))
    found = store.calls.get("a")
    assert found and found.messages == (Message("user", "x?y é"),)


KEYS = st.sampled_from("abc")
STEPS = st.lists(st.tuples(st.sampled_from(["put", "get", "flush", "reopen"]), KEYS), max_size=12)


@settings(max_examples=30, deadline=None)
@given(steps=STEPS)
def test_what_was_put_is_got_whenever_it_was_committed(steps: list[tuple[str, str]]) -> None:
    expected: dict[str, CallRecord] = {}

    async def follow(path: Path) -> None:
        store = open_store(path)
        for number, (step, key) in enumerate(steps):
            if step == "put":
                expected[key] = replace(call(key), reply=str(number))
                store.calls.put(expected[key])
            elif step == "flush":
                store.calls.flush()
            elif step == "reopen":
                store.close()
                store = open_store(path)
            assert store.calls.get(key) == expected.get(key)
        store.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(follow(Path(folder) / "set.duckdb"))


def test_asking_for_calls_that_are_not_there_is_quick(store: Store) -> None:
    """A first run asks once for each call: a query each would take 10 s here."""
    store.calls.put(call("a"))
    start = time.perf_counter()
    assert all(store.calls.get(str(number)) is None for number in range(20_000))
    assert time.perf_counter() - start < 1


def test_committed_calls_are_not_kept_in_memory(store: Store) -> None:
    async def put() -> None:
        for number in range(1_000):
            store.calls.put(replace(call(str(number)), messages=(Message("user", f"{number} " * 1_000),)))

    store.calls.get("a")
    tracemalloc.start()
    asyncio.run(put())
    store.calls.flush()
    kept, highest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert highest > 3_000_000
    assert kept < 500_000
