"""goldgen add"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, print_json, printable
from goldgen.cli.labels import duplicate_lines
from goldgen.cli.people import Name, person

if TYPE_CHECKING:
    from goldgen.app.adding import AddReport

_LINES_SHOWN = 10


def add(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    chunk: Annotated[
        list[str] | None,
        typer.Option(help="The chunk that answers: its id or the beginning; several answer only together."),
    ] = None,
    quote: Annotated[str, typer.Option(help="The words of the documents that answer, verbatim.")] = "",
    document: Annotated[str, typer.Option(help="The path of the document that answers.")] = "",
    answer: Annotated[str, typer.Option(help="The short answer.")] = "",
    file: Annotated[
        Path | None,
        typer.Option(
            readable=False,
            help="A CSV, TSV, JSONL or Parquet file with columns question, chunk, quote, document, answer.",
        ),
    ] = None,
    name: Name = None,
    as_json: options.Json = False,
) -> None:
    """Add questions that people wrote, each with the chunk or the quote that answers it.

    Example: `goldgen add "When do exports run?" --quote "Exports run at night"`

    With a chunk or a quote you vouch that it answers fully. Without, `goldgen verify` looks for
    a chunk that does.
    """
    if (question is None) == (file is None):
        raise typer.BadParameter("give either a question or --file")
    if file is not None and (chunk or quote or document or answer):
        raise typer.BadParameter("with --file, chunks and quotes are columns of the file")
    from goldgen.app.adding import AddOptions, add_questions
    from goldgen.app.written import Written
    from goldgen.cli.settings import model_settings

    written = () if question is None else (Written(question, tuple(chunk or ()), quote, document, answer),)
    job = AddOptions(db, person(name), written, file, model_settings({}))
    report = add_questions(job, TerminalReporter())
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "AddReport") -> None:
    vouched = sum(bool(item.chunk_ids) for item in report.added)
    existed = sum(item.existed for item in report.added)
    sets = sum(len(item.chunk_ids) > 1 for item in report.added)
    lines = [
        f"questions   {len(report.added)}: {vouched} with the chunk that answers"
        + (f", {sets} of them with several that answer together" if sets else "")
    ]
    if existed:
        lines.append(f"known       {existed} were in the set already and are not doubled")
    lines.extend(duplicate_lines(report.near_duplicates))
    if report.rejected:
        lines.append(f"rejected    {sum(report.rejected.values())} rows")
        lines.extend(f"  line {line}" for line in report.rejected_lines[:_LINES_SHOWN])
        if len(report.rejected_lines) > _LINES_SHOWN:
            lines.append(f"  and {len(report.rejected_lines) - _LINES_SHOWN} more; --json has all")
    lines.append(f"next        {report.next_step}")
    for line in lines:
        typer.echo(printable(line))
