"""For tests of what waits: an event loop a test, a clock moved by hand, and visitors of a pacer."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import ParamSpec

from goldgen.models.pacing import Pacer

Given = ParamSpec("Given")


def in_loop(test: Callable[Given, Coroutine[object, object, None]]) -> Callable[Given, None]:
    """Run the test in an event loop of its own; what hangs fails after 20 s."""

    @wraps(test)
    def run(*values: Given.args, **named: Given.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*values, **named), 20))

    return run


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


class Time:
    """A clock that moves when it is told to, and those who sleep by it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, wake))
        await wake

    async def move(self, seconds: float) -> None:
        self.now += seconds
        for at, wake in self._sleepers:
            if at <= self.now and not wake.done():
                wake.set_result(None)
        await settle()


class Visit:
    """A request that holds its slot until it is told what the server answered."""

    def __init__(self, pacer: Pacer) -> None:
        self.inside = False
        self._pacer = pacer
        self._answer: asyncio.Future[tuple[int, Mapping[str, str]]] = (
            asyncio.get_running_loop().create_future()
        )
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self._pacer.slot():
            self.inside = True
            self._pacer.observe(*await self._answer)
        self.inside = False

    async def answered(self, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self._answer.set_result((status, headers or {}))
        await self.task
        await settle()


async def visits(pacer: Pacer, count: int) -> list[Visit]:
    started = [Visit(pacer) for _ in range(count)]
    await settle()
    return started


def inside(visitors: list[Visit]) -> int:
    return sum(visitor.inside for visitor in visitors)


def told(remaining: float, reset: str, *, kind: str = "requests", limit: int | None = None) -> dict[str, str]:
    headers = {f"x-ratelimit-remaining-{kind}": f"{remaining}", f"x-ratelimit-reset-{kind}": reset}
    return headers if limit is None else headers | {f"x-ratelimit-limit-{kind}": f"{limit}"}
