"""goldgen select and goldgen coverage"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, counted, one_line, print_json

if TYPE_CHECKING:
    from goldgen.app.coverage import Coverage

_SHOWN = 15


def select(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    n: Annotated[int, typer.Option("--n", min=1, help="Questions to choose, at most.")] = 300,
    name: Annotated[str, typer.Option(help="Of the selection, for goldgen eval --selection.")] = "default",
    seed: Annotated[int, typer.Option(help="Decides between questions that are equally rare.")] = 0,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    offline: options.Offline = None,
    as_json: options.Json = False,
) -> None:
    """Choose golden questions, balanced over documents, styles, difficulty and origin.

    Example: `goldgen select --n 200 --name small`, then `goldgen eval --selection small`
    """
    from goldgen.app import selecting as app
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "offline": offline,
        }
    )
    found = app.select(app.SelectOptions(db, n, name, seed, models), TerminalReporter())
    if as_json:
        print_json(found)
        return
    typer.echo(one_line(f"selected    {found.selected} of {found.golden} golden questions as {found.name}"))
    for trait in ("style", "difficulty", "origin"):
        typer.echo(one_line(f"{trait:<11} {counted(found.by[trait])}"))
    documents = found.by["document"]
    typer.echo(f"documents   {len(documents)}, at most {max(documents.values())} questions of one")
    for trait, values in found.thin.items():
        typer.echo(one_line(f"thin        {trait} {', '.join(values)}: fewer than 10 questions each"))
    _render_coverage(found.coverage)
    typer.echo(f"enough?     {found.verdict}")


def coverage(db: options.Db = Path("outputs/goldgen.duckdb"), as_json: options.Json = False) -> None:
    """Tell which documents and sections have no question yet, the largest first.

    Example: `goldgen coverage`, then `goldgen synth --fill`
    """
    from goldgen.app.coverage import coverage_of

    found = coverage_of(db)
    if as_json:
        print_json(found)
        return
    _render_coverage(found)
    for section in found.uncovered_documents[:_SHOWN]:
        typer.echo(one_line(f"  {section.chunks:>4} chunks  {section.document}"))
    _more(len(found.uncovered_documents), "documents")
    if found.uncovered_sections:
        typer.echo("sections without a question, of documents that have one")
    for section in found.uncovered_sections[:_SHOWN]:
        typer.echo(one_line(f"  {section.chunks:>4} chunks  {section.document}: {section.headings}"))
    _more(len(found.uncovered_sections), "sections")
    if found.uncovered_documents or found.uncovered_sections:
        typer.echo("next        goldgen synth --fill asks about these")


def _render_coverage(found: "Coverage") -> None:
    typer.echo(
        f"covered     {found.documents_covered} of {found.documents} documents, "
        f"{found.sections_covered} of {found.sections} sections have a question"
    )


def _more(count: int, what: str) -> None:
    if count > _SHOWN:
        typer.echo(f"  and {count - _SHOWN:,} more {what}; --json has all")
