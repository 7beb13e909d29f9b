"""goldgen runs and goldgen compare"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import print_json, printable

if TYPE_CHECKING:
    from goldgen.app.runs import KeptRuns, QuestionChange, RunComparison, RunSummary

_HEADLINE = ("P@5", "R@5", "RR@10", "AP@10", "nDCG@10")
_TEXT_SHOWN = 90


def runs(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    limit: Annotated[int, typer.Option(min=0, help="Runs to list, the latest first; 0: all.")] = 20,
    as_json: options.Json = False,
) -> None:
    """List the runs that eval kept, and whether they were measured on the set as it is now.

    Example: `goldgen runs --limit 5`
    """
    from goldgen.app import runs as app

    kept = app.runs(db)
    if as_json:
        print_json(kept)
    else:
        _render_runs(kept, limit)


def compare(
    before: Annotated[
        str, typer.Argument(help="A run: its id, the beginning of it, or a retriever for its latest run.")
    ],
    after: Annotated[str, typer.Argument(help="Another one, named alike.")],
    db: options.Db = Path("outputs/goldgen.duckdb"),
    metric: Annotated[str, typer.Option(help="Any measure down to 50 results.")] = "nDCG@10",
    delta: Annotated[
        float,
        typer.Option(min=0.001, max=1.0, help="The difference worth seeing; tells the questions it needs."),
    ] = 0.03,
    common: Annotated[
        bool,
        typer.Option(
            "--common",
            help="Compare runs on different sets: both on the present labels, by the questions both have.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Compare two kept runs: whether their difference is real, on which questions, and by which settings.

    Example: `goldgen compare bm25 hybrid --metric R@5`
    """
    from goldgen.app import runs as app
    from goldgen.evaluation import Measure

    measure = Measure.parse(metric)
    found = app.compare_runs(db, before, after, measure=measure, delta=delta, common=common)
    if as_json:
        print_json(found)
    else:
        _render_comparison(found)


def _render_runs(kept: "KeptRuns", limit: int) -> None:
    if not kept.runs:
        typer.echo("no run is kept yet; run goldgen eval")
        return
    shown = kept.runs[: limit or None]
    rows = [("run", "when (UTC)", "retriever", "questions", *_HEADLINE, "set"), *map(_row, shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = (0, 1, 2, len(widths) - 1)
    for row in rows:
        cells = [
            cell.ljust(width) if place in texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        typer.echo("  ".join(cells).rstrip())
    if len(shown) < len(kept.runs):
        typer.echo(f"and {len(kept.runs) - len(shown)} earlier ones; --limit 0 lists all")


def _row(run: "RunSummary") -> tuple[str, ...]:
    means = (run.means.get(measure) for measure in _HEADLINE)
    if run.is_present_set:
        of_set = "present"
    elif run.is_present_corpus:
        of_set = "other labels"
    else:
        of_set = "other corpus" if run.corpus_fingerprint else "another"
    return (
        run.short_id,
        f"{run.created_at:%Y-%m-%d %H:%M}",
        _line(run.retriever),
        str(run.questions),
        *("" if mean is None else f"{mean:.3f}" for mean in means),
        of_set,
    )


def _render_comparison(found: "RunComparison") -> None:
    for name, run, mean in (
        ("before", found.before, found.mean_before),
        ("after", found.after, found.mean_after),
    ):
        when = f"{run.created_at:%Y-%m-%d %H:%M} UTC"
        _say(f"{name:<11} {run.short_id} {run.retriever}, {when}: {mean:.3f} {found.measure}")
    for note in found.notes:
        _say(f"note        {note}")
    same = found.questions - found.gained - found.lost
    _say(f"questions   {found.questions}: {found.gained} gain, {found.lost} lose, {same} stay")
    _render_changes("gained", found.gains)
    _render_changes("lost", found.losses)
    if not found.settings:
        _say("settings    the same")
    for change in found.settings:
        _say(f"settings    {change.setting}: {change.before} -> {change.after}")
    typer.echo()
    for sentence in found.sentences:
        _say(sentence)


def _render_changes(title: str, changes: "Sequence[QuestionChange]") -> None:
    for change in changes:
        text = _line(change.text) or "(no longer in the set)"
        shown = text if len(text) <= _TEXT_SHOWN else f"{text[: _TEXT_SHOWN - 1]}…"
        _say(f"{title:<11} {change.before:.3f} -> {change.after:.3f}  {change.question_id[:8]}  {shown}")


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def _say(line: str) -> None:
    typer.echo(printable(line))
