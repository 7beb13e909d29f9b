"""The terminal: results on standard output, everything else on standard error."""

import asyncio
import json
import signal
import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Outcome = TypeVar("Outcome")
_WORTH_TELLING = 2.0
"""Seconds from which a finished phase is told to a reader who sees no progress bar."""
_SECONDS_BETWEEN_LINES = 30.0


class TerminalReporter:
    """Implements ``Reporter``: bars on a terminal, a line a phase elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)

    def say(self, line: str) -> None:
        self._console.print(line, markup=False, soft_wrap=True)

    def phase(self, title: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]:
        return self._bar(title, total) if self._console.is_terminal else self._line(title, total)

    @contextmanager
    def _bar(self, title: str, total: int | None) -> Generator[Callable[[int], None]]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task(title, total=total)

            def done(count: int) -> None:
                progress.advance(task, count)

            yield done
            if total is None:
                progress.update(task, total=progress.tasks[0].completed)

    @contextmanager
    def _line(self, title: str, total: int | None) -> Generator[Callable[[int], None]]:
        started = told = time.monotonic()
        counted = 0

        def tell() -> None:
            items = f"{counted} of {total}, " if total else f"{counted}, " if counted else ""
            self.say(f"{title}: {items}{time.monotonic() - started:.0f} s")

        def done(count: int) -> None:
            nonlocal counted, told
            counted += count
            if time.monotonic() - told >= _SECONDS_BETWEEN_LINES and counted != total:
                told = time.monotonic()
                tell()

        yield done
        if time.monotonic() - started >= _WORTH_TELLING:
            tell()


def run(job: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run a job to its end; Ctrl-C stops it at once and says how to go on."""
    # With Python's own handler in place asyncio would only cancel the task, at its next await.
    signal.signal(signal.SIGINT, _interrupt)
    try:
        return asyncio.run(job)
    except KeyboardInterrupt:
        typer.echo("stopped; what was finished is saved, and the same command goes on from there", err=True)
        raise typer.Exit(130) from None


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def print_json(report: "DataclassInstance") -> None:
    """A report as JSON on standard output."""
    typer.echo(json.dumps(asdict(report), indent=2, ensure_ascii=False, default=str))


def counted(counts: Mapping[str, int]) -> str:
    """``3 cut_off, 1 refusal``; the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{count} {reason}" for reason, count in ordered)
