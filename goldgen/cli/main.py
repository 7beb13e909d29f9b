"""The command ``goldgen``: its commands, and how an error ends it."""

import sys
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer

from goldgen import __version__
from goldgen.cli import (
    add,
    agreement,
    audit,
    calls,
    corpus,
    doctor,
    duplicates,
    evaluate,
    export,
    gaps,
    gate,
    import_,
    logs,
    report,
    review,
    runs,
    select,
    status,
    synth,
    verify,
    why,
)
from goldgen.cli.console import one_line
from goldgen.errors import GoldgenError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
    help="Golden sets for retrieval, made from your own documents and query logs, and proven.\n\n"
    "`goldgen corpus load DOCS` shows the chunks first, `goldgen synth DOCS` drafts questions, "
    "`goldgen verify` judges them by another model, "
    "`goldgen logs add FILE` merges real queries, `goldgen add` takes hand-written ones, "
    "`goldgen duplicates` lists questions that count as one, "
    "`goldgen coverage` tells what has no question yet, `goldgen select` chooses a balanced part, "
    "`goldgen review` lets people grade, `goldgen agreement` tells how far judges agree, "
    "`goldgen eval` measures retrievers, `goldgen why QUESTION` looks at one question, "
    "`goldgen report` makes a page of it, `goldgen runs` and `goldgen compare` look back, `goldgen gate` "
    "holds a change to a baseline, `goldgen import` takes a set made elsewhere, "
    "`goldgen export` hands this one to other tools, "
    "`goldgen gaps` lists what users ask and the documents do not say, `goldgen audit` holds synthetic "
    "questions against real ones, `goldgen status` tells where a set stands, "
    "`goldgen calls` what was asked of models, `goldgen doctor` "
    "what works on this machine.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"goldgen {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before any command."""


app.add_typer(corpus.app, name="corpus")
app.command("synth")(synth.synth)
app.command("verify")(verify.verify)
app.add_typer(logs.app, name="logs")
app.command("coverage")(select.coverage)
app.command("add")(add.add)
app.command("review")(review.review)
app.command("agreement")(agreement.agreement)
app.command("select")(select.select)
app.command("eval")(evaluate.evaluate)
app.command("import")(import_.import_)
app.command("export")(export.export)
app.command("runs")(runs.runs)
app.command("compare")(runs.compare)
app.command("gate")(gate.gate)
app.command("gaps")(gaps.gaps)
app.command("audit")(audit.audit)
app.command("duplicates")(duplicates.duplicates)
app.command("why")(why.why)
app.command("report")(report.report)
app.command("status")(status.status)
app.add_typer(calls.app, name="calls")
app.command("doctor")(doctor.doctor)


def main() -> None:
    """Run the command line. An expected error is one line and exit code 1; a bug keeps its traceback."""
    for stream in (sys.stdout, sys.stderr):
        # What a narrow encoding cannot show must not end a run.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except GoldgenError as error:
        _fail(str(error))
    except OSError as error:
        # A full disk, or one that is gone, is no bug of ours.
        where = f" ({error.filename})" if error.filename else ""
        _fail(f"{error.strerror or error}{where}; free the place that is written to, or name another")


def _fail(why: str) -> NoReturn:
    typer.echo(one_line(f"error: {why}"), err=True)
    sys.exit(1)
