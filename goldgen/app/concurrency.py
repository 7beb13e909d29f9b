"""Many items through one asynchronous worker, a bounded number at a time, and kept in batches."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


async def as_finished(
    worker: Callable[[Item], Awaitable[Outcome]], items: Iterable[Item], limit: int
) -> AsyncGenerator[Outcome, None]:
    """Yield outcomes as they come. The first exception ends it; what is still running is cancelled.

    What had finished when the exception came is yielded before it, for it may have been paid for.
    """
    waiting = iter(items)
    running: set[asyncio.Task[Outcome]] = set()

    async def work(item: Item) -> Outcome:
        return await worker(item)

    try:
        while True:
            while len(running) < limit and (item := next(waiting, _END)) is not _END:
                running.add(asyncio.create_task(work(item)))  # pyright: ignore[reportArgumentType] # not _END
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda task: task.cancelled() or task.exception() is not None):
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@contextmanager
def batched(keep: Callable[[Sequence[Item]], None], size: int = 50) -> Generator[Callable[[Item], None]]:
    """Collects what it is given and keeps ``size`` at a time; the rest at the end, whatever ends it.

    A transaction costs about the same for one item as for fifty.
    """
    batch: list[Item] = []

    def add(item: Item) -> None:
        batch.append(item)
        if len(batch) == size:
            keep(tuple(batch))
            batch.clear()

    try:
        yield add
    finally:
        if batch:
            keep(tuple(batch))


_END = object()
