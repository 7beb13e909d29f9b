"""goldgen logs"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run
from goldgen.cli.labels import label_lines, unanswered_lines
from goldgen.errors import BudgetError

if TYPE_CHECKING:
    from goldgen.app.logs import LogReport

app = typer.Typer(no_args_is_help=True, help="Real queries, from the logs of your search or chat.")
_LINES_SHOWN = 10


@app.callback()
def common() -> None:
    """Real queries, from the logs of your search or chat."""


@app.command("add")
def add(
    file: Annotated[
        Path, typer.Argument(readable=False, help="A CSV, TSV, JSONL or Parquet file, a query a row.")
    ],
    db: options.Db = Path("outputs/goldgen.duckdb"),
    query: Annotated[
        str | None, typer.Option(help="The column of queries, if it is not found by name.")
    ] = None,
    page: Annotated[str | None, typer.Option(help="The column of the page that helped.")] = None,
    clicks: Annotated[str | None, typer.Option(help="The column of clicks on that page.")] = None,
    region: Annotated[str, typer.Option(help="Country of phone numbers without a country code.")] = "US",
    depth: Annotated[
        int, typer.Option(min=10, help="How many results of each search are judged for a query.")
    ] = 10,
    prompts: options.Prompts = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    verifier_model: options.VerifierModel = None,
    verifier_base_url: options.VerifierBaseUrl = None,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    allow_same_model: options.AllowSameModel = None,
    offline: options.Offline = None,
    timeout: options.Timeout = None,
    concurrency: options.Concurrency = None,
    output_mode: options.OutputMode = None,
    dry_run: options.DryRun = False,
    max_usd: options.MaxUsd = None,
    max_calls: options.MaxCalls = None,
    verifier_price: options.VerifierPrice = None,
    as_json: options.Json = False,
) -> None:
    """Merge logged queries into the set; personal data is replaced before anything is stored.

    Example: `goldgen logs add corpora/queries.csv`

    The same file twice counts once. With `--depth 50`, a query that nothing answers is a gap of the docs.
    """
    from goldgen.app.logs import LogOptions, add_logs, plan_logs
    from goldgen.cli.settings import model_settings
    from goldgen.logs import LogColumns

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "verifier_model": verifier_model,
            "verifier_base_url": verifier_base_url,
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "allow_same_model": allow_same_model,
            "offline": offline,
            "timeout": timeout,
            "concurrency": concurrency,
            "output_mode": output_mode,
            "max_usd": max_usd,
            "max_calls": max_calls,
            "verifier_price": verifier_price,
        }
    )
    job = LogOptions(db, file, LogColumns(query, page, clicks), region, depth, prompts, models)
    if dry_run:
        print_plan(run(plan_logs(job, TerminalReporter())), as_json=as_json)
        return
    report = run(add_logs(job, TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)
    if report.labels.stopped:
        raise BudgetError(report.labels.stopped)


def _render(report: "LogReport") -> None:
    from goldgen.app.counting import CallCounts

    typer.echo(f"rows        {report.rows}, {report.queries} distinct queries")
    if report.rejected:
        typer.echo(f"rejected    {counted(report.rejected)}")
        for line in report.rejected_lines[:_LINES_SHOWN]:
            typer.echo(f"  line {line}")
        if len(report.rejected_lines) > _LINES_SHOWN:
            typer.echo(f"  and {len(report.rejected_lines) - _LINES_SHOWN} more; --json has all")
    if report.scrubbed:
        typer.echo(f"replaced    {counted(report.scrubbed)}")
    typer.echo(
        f"pages       {report.pages_named} queries name a page of the corpus, {report.pages_unknown} another"
    )
    typer.echo(
        f"labelled    {report.labelled} queries have a gold chunk; {report.unanswered} unanswered; "
        f"{report.unjudged} unjudged"
    )
    for line in unanswered_lines(report.unanswered_to_depth, report.gaps, "queries"):
        typer.echo(line)
    for line in label_lines(report.labels):
        typer.echo(line)
    if report.calls != CallCounts():
        typer.echo(calls_line(report.calls, report.verifier))
    typer.echo("next        goldgen eval")
