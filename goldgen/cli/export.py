"""goldgen export"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from goldgen.cli import options
from goldgen.cli.console import counted, one_line, print_json


def export(
    to: Annotated[
        Path,
        typer.Argument(
            help="A folder for beir and trec, a file for the others.", metavar="PATH", show_default=False
        ),
    ],
    form: Annotated[
        Literal["beir", "trec", "jsonl", "csv", "ragas", "deepeval"],
        typer.Option("--format", help="Whose files: beir and trec hold all chunks and grades."),
    ] = "beir",
    selection: Annotated[str, typer.Option(help="Write only the questions of goldgen select --name.")] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    as_json: options.Json = False,
) -> None:
    """Write the golden questions and their labels as files that other tools read.

    Example: `goldgen export outputs/beir`, or `goldgen export golden.csv --format csv`

    The texts of chunks are written too. `goldgen import` reads a beir folder back.
    """
    from goldgen.app import exporting as app

    found = app.export(app.ExportOptions(db, to, form, selection, overwrite))
    if as_json:
        print_json(found)
        return
    for path in found.files:
        typer.echo(one_line(f"wrote {path}"))
    typer.echo(f"questions   {found.questions:,} golden, with {found.labels:,} golds")
    if found.left_out:
        typer.echo(f"left out    {counted(found.left_out)}")
    for line in found.not_carried:
        typer.echo(one_line(f"not in it   {line}"))
    for mark in found.marks:
        typer.echo(one_line(f"marked      {mark}"))
