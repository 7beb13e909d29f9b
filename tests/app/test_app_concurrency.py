import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.app.concurrency import as_finished


class WorkError(Exception):
    pass


@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 6))
@settings(deadline=None, max_examples=40)
def test_every_item_comes_out_once_and_never_too_many_run(turns: list[int], limit: int) -> None:
    running = most = 0

    async def work(item: tuple[int, int]) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(item[1]):
            await asyncio.sleep(0)
        running -= 1
        return item[0]

    async def collect() -> list[int]:
        return [outcome async for outcome in as_finished(work, enumerate(turns), limit)]

    assert sorted(asyncio.run(collect())) == list(range(len(turns)))
    assert most <= limit
    if len(turns) >= limit and all(turns):
        assert most == limit


def test_outcomes_come_as_they_finish_and_may_be_none() -> None:
    async def work(item: int | None) -> int | None:
        await asyncio.sleep(0.05 if item == 1 else 0)
        return item

    async def collect() -> list[int | None]:
        return [outcome async for outcome in as_finished(work, [1, None, 3], 2)]

    assert asyncio.run(collect()) == [None, 3, 1]


def test_items_are_taken_only_as_they_are_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    async def work(item: int) -> int:
        return item

    async def take_one() -> None:
        outcomes = as_finished(work, items(), 3)
        assert await anext(outcomes) in {0, 1, 2}
        await outcomes.aclose()

    asyncio.run(take_one())
    assert taken == [0, 1, 2]


def test_the_first_exception_ends_it_and_cancels_what_still_runs() -> None:
    cancelled: list[int] = []
    started: list[int] = []

    async def work(item: int) -> int:
        started.append(item)
        if item == 1:
            raise WorkError("item 1")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(item)
            raise
        return item

    async def collect() -> list[int]:
        return [outcome async for outcome in as_finished(work, range(50), 4)]

    with pytest.raises(WorkError, match="item 1"):
        asyncio.run(collect())
    assert started == [0, 1, 2, 3]
    assert sorted(cancelled) == [0, 2, 3]


def test_what_finished_beside_a_failure_is_not_lost() -> None:
    async def work(item: int) -> int:
        if item % 2:
            raise WorkError(str(item))
        return item

    async def collect() -> tuple[list[int], list[dict[str, object]]]:
        unseen: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))
        outcomes: list[int] = []
        with pytest.raises(WorkError):
            async for outcome in as_finished(work, range(6), 6):
                outcomes.append(outcome)
        return outcomes, unseen

    outcomes, unseen = asyncio.run(collect())
    assert sorted(outcomes) == [0, 2, 4]
    assert unseen == []


def test_closing_early_cancels_what_still_runs() -> None:
    cancelled: list[int] = []

    async def work(item: int) -> int:
        try:
            await asyncio.sleep(60 if item else 0)
        except asyncio.CancelledError:
            cancelled.append(item)
            raise
        return item

    async def take_one() -> None:
        outcomes = as_finished(work, range(10), 3)
        async for outcome in outcomes:
            assert outcome == 0
            break
        await outcomes.aclose()

    asyncio.run(take_one())
    assert sorted(cancelled) == [1, 2]
