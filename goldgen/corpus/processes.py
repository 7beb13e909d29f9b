"""Work on many items in several processes, with few of them in memory."""

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from goldgen.errors import CorpusError

Item = TypeVar("Item")
Result = TypeVar("Result")

_BATCH = 16
_BATCHES_A_PROCESS = 4
"""Sent ahead, so that no process waits for work."""


def in_processes(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    processes: int,
    name: Callable[[Item], str],
    alone_seconds: float = 1.0,
) -> Iterator[Result]:
    """``work`` of each item, in order. It and the items must be picklable; ``name`` is for messages.

    Processes are started only for what is not done within ``alone_seconds``, for that takes about a second.
    They import the caller's main module, so that a script which asks for several needs ``if __name__ ==
    "__main__"``. Raises CorpusError if one of them is ended from outside, as a system short of memory does.
    """
    rest = iter(items)
    started = time.monotonic()
    while processes <= 1 or time.monotonic() - started < alone_seconds:
        item = next(rest, None)
        if item is None:
            return
        yield work(item)
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _ignore_interrupt)
    under_way: deque[tuple[list[Item], Future[list[Result]]]] = deque()
    try:
        while True:
            while len(under_way) < processes * _BATCHES_A_PROCESS and (batch := list(islice(rest, _BATCH))):
                under_way.append((batch, pool.submit(_each, work, batch)))
            if not under_way:
                return
            batch, future = under_way.popleft()
            yield from _result(batch, future, name)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(batch: Sequence[Item], future: Future[list[Result]], name: Callable[[Item], str]) -> list[Result]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise CorpusError(
            f"a process was ended while it worked on one of {name(batch[0])} to {name(batch[-1])} or the "
            "files after them, mostly for want of memory; leave out the file by --exclude, or give --jobs 1"
        ) from error


def _each(work: Callable[[Item], Result], batch: Sequence[Item]) -> list[Result]:
    return [work(item) for item in batch]


def _ignore_interrupt() -> None:
    """Ctrl-C reaches all processes of a terminal; the main one answers for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
