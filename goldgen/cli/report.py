"""goldgen report"""

from pathlib import Path
from typing import Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter


def report(
    out: Annotated[
        Path,
        typer.Option(
            help="A page (.html), Markdown for a pull request (.md), the report itself (.json), or a folder "
            "for the figures as PNG and SVG.",
        ),
    ] = Path("outputs/report.html"),
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", readable=False, help="A report kept by eval --json, instead of the set's last."
        ),
    ] = None,
    db: options.Db = Path("outputs/goldgen.duckdb"),
) -> None:
    """Show the last evaluation of a set as a page, as Markdown or as figures, without searching again.

    Example: `goldgen report --out outputs/report.html`
    """
    from goldgen.app.reports import ReportOptions, make_report

    for path in make_report(ReportOptions(db, out, source), TerminalReporter()):
        typer.echo(f"wrote {path}")
