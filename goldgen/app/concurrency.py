"""Many items through one asynchronous worker, a bounded number at a time."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
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


_END = object()
