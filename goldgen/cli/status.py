"""goldgen status"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from goldgen.cli import options
from goldgen.cli.agreement import trusted_line
from goldgen.cli.console import counted, print_json
from goldgen.cli.labels import duplicate_lines, unanswered_lines

if TYPE_CHECKING:
    from goldgen.app.status import SetStatus

_DOCUMENTS_SHOWN = 10


def status(db: options.Db = Path("outputs/goldgen.duckdb"), as_json: options.Json = False) -> None:
    """Tell what the set holds, and the next step worth taking.

    Example: `goldgen status --db outputs/goldgen.duckdb`
    """
    from goldgen.app import status as app

    found = app.status(db)
    if as_json:
        print_json(found)
    else:
        _render(found)


def _render(found: "SetStatus") -> None:
    typer.echo(f"set         {found.db}, corpus {found.corpus or '(none)'}")
    skipped = f"; skipped: {counted(found.skipped)}" if found.skipped else ""
    typer.echo(f"documents   {found.documents}, {found.chunks} chunks{skipped}")
    for origin, states in found.states.items():
        typer.echo(f"{origin:<11} {counted(states)}")
    for line in duplicate_lines(found.near_duplicates):
        typer.echo(line)
    _render_labels(found)
    if found.golden_by_style:
        typer.echo(f"styles      {counted(found.golden_by_style)}")
    for origin, means in found.leakage.items():
        typer.echo(f"leakage     {origin}: {means.in_words}")
    typer.echo(f"near misses {found.near_misses_kept} of {found.near_misses} hold")
    for stage, reasons in found.rejections.items():
        if reasons:
            typer.echo(f"rejected    {stage}: {counted(reasons)}")
    documents = list(found.golden_by_document.items())
    if documents:
        typer.echo("golden questions by document")
    for path, count in documents[:_DOCUMENTS_SHOWN]:
        typer.echo(f"  {count:>4} {path}")
    if len(documents) > _DOCUMENTS_SHOWN:
        typer.echo(f"       and {len(documents) - _DOCUMENTS_SHOWN} more documents with golden questions")
    price = "price unknown" if found.usd is None else f"{found.usd:.4f} USD"
    typer.echo(f"calls       {found.calls}, {found.calls_failed} failed, {found.tokens} tokens, {price}")
    for what, names in (
        ("generated", found.models.generated),
        ("judged", found.models.judged),
        ("pooled", found.models.pooled),
    ):
        if names:
            typer.echo(f"{what:<11} by {', '.join(names)}")
    for name, verdict in found.verifiers.items():
        typer.echo(f"verifier    {name}: {verdict}")
    _render_people(found)
    typer.echo(f"runs        {found.runs}")
    for mark in found.marks:
        typer.echo(f"mark        {mark}")
    typer.echo(f"next        {found.next_step}")


def _render_labels(found: "SetStatus") -> None:
    for line in unanswered_lines(found.unanswered_to_depth, found.gaps, "questions"):
        typer.echo(line)
    if found.ambiguous:
        typer.echo(f"ambiguous   {len(found.ambiguous)} questions with more than {found.max_gold} golds")
    if found.chunks_gone:
        typer.echo(f"gone        {found.chunks_gone} unjudged questions whose chunk the corpus no longer has")


def _render_people(found: "SetStatus") -> None:
    if found.human_verdicts or found.disputed:
        typer.echo(f"people      {found.human_verdicts} verdicts; {found.disputed} pairs in dispute")
    if found.proposed:
        typer.echo(f"proposed    {found.proposed} golds wait for goldgen review --show proposed")
    if found.trusted is not None:
        typer.echo(f"wrong golds {trusted_line(found.trusted)}")
