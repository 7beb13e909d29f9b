"""goldgen duplicates"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import one_line, print_json

if TYPE_CHECKING:
    from goldgen.app.duplicates import DuplicateReport


def duplicates(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    part: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="ID ID", help="Two questions that are not one; the beginnings of ids will do."),
    ] = None,
    join: Annotated[tuple[str, str] | None, typer.Option(metavar="ID ID", help="Take a --part back.")] = None,
    as_json: options.Json = False,
) -> None:
    """List the questions that count as one because they ask the same in nearly the same words.

    Example: `goldgen duplicates`, then `goldgen duplicates --part 3f2a 81bc` for two that are not one
    """
    if part and join:
        raise typer.BadParameter("give either --part or --join")
    from goldgen.app import duplicates as app

    report = app.duplicates(app.DuplicateOptions(db, part or (), join or ()))
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "DuplicateReport") -> None:
    if report.said:
        typer.echo(one_line(report.said))
    for group in report.groups:
        typer.echo(one_line(f"{group.kept_id}  {group.text}  ({group.origin})"))
        for member in group.members:
            stands = "" if member.standing == "merged" else f"; stands alone: {member.standing}"
            typer.echo(
                one_line(
                    f"  {member.question_id}  {member.text}  ({member.origin}; {member.found_by}, "
                    f"{member.similarity:.3f}{stands})"
                )
            )
    typer.echo(f"merged      {report.merged} near duplicates")
