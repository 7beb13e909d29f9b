"""goldgen import"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, counted, print_json, printable

if TYPE_CHECKING:
    from goldgen.app.importing import FileRows, ImportReport

_LINES_SHOWN = 10
_GRADES_SHOWN = 8
_REASONS_SHOWN = 4


def import_(
    folder: Annotated[
        Path | None,
        typer.Argument(
            readable=False,
            help="A BEIR folder: corpus.jsonl, queries.jsonl and qrels/*.tsv.",
            metavar="DIR",
        ),
    ] = None,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    split: Annotated[
        str, typer.Option(help="Which of the folder's qrels; by default the only ones, or test.")
    ] = "",
    qrels: Annotated[
        Path | None,
        typer.Option(readable=False, help="Labels: TREC's qid iter docid grade, or BEIR's table."),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option(readable=False, help="Questions: JSONL with _id and text.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(readable=False, help="Documents: JSONL with _id, title and text.")
    ] = None,
    gold_from: Annotated[
        float | None,
        typer.Option(help="The grade from which a document is gold; by default the highest, 3 at most."),
    ] = None,
    name: Annotated[str, typer.Option(help="Of the set; by default the folder's or the qrels'.")] = "",
    as_json: options.Json = False,
) -> None:
    """Import a set that was made elsewhere: documents, questions and labels, all as they came.

    Example: `goldgen import beir/scifact --db outputs/scifact.duckdb`

    A row is one chunk with its own id, and no label is added or checked. Any file may be packed by gzip.
    """
    if folder is None and None in (corpus, queries, qrels):
        raise typer.BadParameter("name a BEIR folder, or --corpus, --queries and --qrels, all three")
    if split and (folder is None or qrels is not None):
        raise typer.BadParameter("--split chooses among the qrels of a BEIR folder; leave it out, or --qrels")
    from goldgen.app.importing import ImportOptions, import_collection

    job = ImportOptions(db, folder, corpus, queries, qrels, split, gold_from, name)
    report = import_collection(job, TerminalReporter())
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "ImportReport") -> None:
    again = ", in place of an earlier import" if report.replaced else ""
    lines = [
        f"set         {report.name}{again}",
        f"documents   {report.documents.kept:,}",
        f"questions   {report.questions.kept:,}: {_states(report)}",
        f"labels      {report.labels.kept:,} of {_grades(report.grades)}; gold from {report.gold_from:g}",
    ]
    for file in (report.documents, report.questions, report.labels):
        lines.extend(_rejected(file))
    lines.append(f"next        {report.next_step}")
    for line in lines:
        typer.echo(printable(line))


def _states(report: "ImportReport") -> str:
    found = {
        "with gold": report.golden,
        "judged without gold": report.without_gold,
        "without a label": report.unjudged,
    }
    return ", ".join(f"{count:,} {what}" for what, count in found.items() if count)


def _grades(grades: Mapping[str, int]) -> str:
    if len(grades) > _GRADES_SHOWN:
        lowest, *_, highest = grades
        return f"{len(grades):,} grades from {lowest} to {highest}"
    if len(grades) == 1:
        return f"grade {next(iter(grades))}"
    return "grades " + ", ".join(f"{grade} ({count:,})" for grade, count in grades.items())


def _rejected(file: "FileRows") -> list[str]:
    if not file.rejected:
        return []
    shown = [f"  line {line}" for line in file.rejected_lines[:_LINES_SHOWN]]
    if len(file.rejected_lines) > _LINES_SHOWN:
        shown.append(f"  and {len(file.rejected_lines) - _LINES_SHOWN:,} more; --json has all")
    reasons = dict(list(file.rejected.items())[:_REASONS_SHOWN])
    return [f"rejected    {len(file.rejected_lines):,} rows of {file.file}: {counted(reasons)}", *shown]
