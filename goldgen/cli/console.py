"""The terminal: results on standard output, everything else on standard error."""

import asyncio
import json
import re
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

    from goldgen.app.counting import CallCounts
    from goldgen.app.planning import CallPlan, Cost

Outcome = TypeVar("Outcome")
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and line feed: a model or an endpoint could steer the terminal with them. Marks
of direction too: with them a line reads otherwise than it is."""
_WORTH_TELLING = 2.0
"""Seconds from which a finished phase is told to a reader who sees no progress bar."""
_SECONDS_BETWEEN_LINES = 30.0


class TerminalReporter:
    """Implements ``Reporter``: bars on a terminal, a line a phase elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)

    def say(self, line: str) -> None:
        self._console.print(printable(line), markup=False, soft_wrap=True)

    def phase(
        self, title: str, total: int | None, note: Callable[[], str] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        show = self._bar if self._console.is_terminal else self._line
        return show(title, total, note)

    @contextmanager
    def _bar(
        self, title: str, total: int | None, note: Callable[[], str] | None
    ) -> Generator[Callable[[int], None]]:
        noted = note or str
        columns = (
            TextColumn("{task.description}"),
            # A note of 25 characters then fits beside the rest on a terminal of 80.
            BarColumn(15 if note else 40),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task(title, total=total, note=noted())

            def done(count: int) -> None:
                progress.update(task, advance=count, note=noted())

            yield done
            if total is None:
                progress.update(task, total=progress.tasks[0].completed)

    @contextmanager
    def _line(
        self, title: str, total: int | None, note: Callable[[], str] | None
    ) -> Generator[Callable[[int], None]]:
        started = told = time.monotonic()
        counted = 0

        def tell() -> None:
            items = f"{counted} of {total}, " if total else f"{counted}, " if counted else ""
            noted = f"; {said}" if note and (said := note()) else ""
            self.say(f"{title}: {items}{time.monotonic() - started:.0f} s{noted}")

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


def calls_line(counts: "CallCounts", model: str) -> str:
    """The calls of a run: how many, to whom, and what they cost."""
    failed = f", {counts.failed:,} failed" if counts.failed else ""
    return f"calls       {counts.made:,} to {model}, {counts.remembered:,} remembered{failed}; {counts.spent}"


def print_plan(plan: "CallPlan", *, as_json: bool) -> None:
    """The calls that a run would make, a line a stage; ranges go from what is expected to the most."""
    if as_json:
        print_json(plan)
        return
    from goldgen.app.planning import EXPECTED_SHARE, LIKELIHOOD

    rows: list[tuple[str, ...]] = [
        ("stage", "model", "calls", "remembered", "prompt tokens", "completion tokens", "price")
    ]
    for stage in plan.stages:
        name = f"{stage.stage} (estimate)" if stage.estimated else stage.stage
        rows.append((name, stage.model, *_planned(stage.remembered, stage.expected, stage.at_most)))
    rows.append(("total", "", *_planned(plan.remembered, plan.expected, plan.at_most)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        typer.echo("  ".join([*left, *right]))
    typer.echo(
        "\n"
        "Nothing was sent, and nothing changed. Prompt tokens are estimated from the text: one for four\n"
        "ASCII characters, 0.8 for each other. Ranges go from the expected (replies as long as the stage's\n"
        f"earlier ones, or {EXPECTED_SHARE:.0%} of their limit; a chance of {LIKELIHOOD:.0%} for each "
        "estimated call) to the most\n"
        "(replies at their limit). Requests sent again come on top; --max-usd bounds them too."
    )


def _planned(remembered: int, expected: "Cost", at_most: "Cost") -> tuple[str, ...]:
    from goldgen.app.counting import dollars

    return (
        _range(f"{expected.calls:,}", f"{at_most.calls:,}"),
        f"{remembered:,}",
        _range(f"{expected.prompt_tokens:,}", f"{at_most.prompt_tokens:,}"),
        _range(f"{expected.completion_tokens:,}", f"{at_most.completion_tokens:,}"),
        _range(dollars(expected.usd), dollars(at_most.usd)),
    )


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def printable(text: str) -> str:
    """``text`` with what would steer a terminal, or is no character, shown as an escape."""
    return _UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """``text`` on one line: what a name or path begins a line with could be a command to what reads it."""
    return printable(text.replace("\n", " "))


def print_json(report: "DataclassInstance") -> None:
    """A report as JSON on standard output."""
    typer.echo(json.dumps(asdict(report), indent=2, ensure_ascii=False, default=str))


def counted(counts: Mapping[str, int]) -> str:
    """``3 cut_off, 1 refusal``; the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{count} {reason}" for reason, count in ordered)
