"""goldgen logs"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run
from goldgen.cli.labels import duplicate_lines, label_lines, unanswered_lines
from goldgen.errors import BudgetError

if TYPE_CHECKING:
    from goldgen.app.logs import LogPlan, LogReport

app = typer.Typer(no_args_is_help=True, help="Real queries, from the logs of your search or chat.")
_LINES_SHOWN = 10
_COLUMNS = "Columns, where they are not found by name"
_CHOICE = "Which queries become questions"


@app.callback()
def common() -> None:
    """Real queries, from the logs of your search or chat."""


@app.command("add")
def add(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            help="CSV, TSV, JSONL, JSON, Parquet, or text of a query a line; gzip too; - is standard input.",
        ),
    ],
    db: options.Db = Path("outputs/goldgen.duckdb"),
    query: Annotated[
        str | None, typer.Option(help="The column of queries.", rich_help_panel=_COLUMNS)
    ] = None,
    page: Annotated[
        str | None,
        typer.Option(
            "--page",
            "--clicked",
            help="The page that helped, or whether one was clicked.",
            rich_help_panel=_COLUMNS,
        ),
    ] = None,
    clicks: Annotated[
        str | None, typer.Option(help="How many clicks that page got.", rich_help_panel=_COLUMNS)
    ] = None,
    time: Annotated[str | None, typer.Option(help="When it was asked.", rich_help_panel=_COLUMNS)] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Who asked: tells machines and rewording, never stored.", rich_help_panel=_COLUMNS),
    ] = None,
    feedback: Annotated[str | None, typer.Option(help="Thumbs up or down.", rich_help_panel=_COLUMNS)] = None,
    file_format: Annotated[
        Literal["csv", "tsv", "jsonl", "json", "text", "parquet"] | None,
        typer.Option("--format", help="If neither suffix nor beginning tell it."),
    ] = None,
    region: Annotated[str, typer.Option(help="Country of phone numbers without a country code.")] = "US",
    names: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Replace names of people too, as far as this spaCy model finds them: en_core_web_sm, or a "
            "folder. It is asked whatever language a query is in. Needs the extra names.",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Keep these languages only, as en or de; again for more.", rich_help_panel=_CHOICE),
    ] = None,
    keep_all: Annotated[
        bool,
        typer.Option(
            "--keep-all", help="Keep what navigates, probes or comes from machines.", rich_help_panel=_CHOICE
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="So many that stand for all traffic, with weights; 0: all. Default: as last time.",
            rich_help_panel=_CHOICE,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.", rich_help_panel=_CHOICE)] = 0,
    depth: Annotated[
        int, typer.Option(min=10, help="How many results of each search are judged for a query.")
    ] = 10,
    prompts: options.Prompts = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    verifier_model: options.VerifierModel = None,
    verifier_base_url: options.VerifierBaseUrl = None,
    judge_with_llm: options.JudgeWithLlm = None,
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

    The same log twice counts once. `--dry-run` shows what would be replaced.
    With `--depth 50`, a query that nothing answers is a gap of the docs.
    """
    from goldgen.app.logs import LogOptions, add_logs, preview_logs
    from goldgen.cli.settings import model_settings, names_setting
    from goldgen.logs import Cleaning, LogColumns

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "verifier_model": verifier_model,
            "verifier_base_url": verifier_base_url,
            "judge_with_llm": judge_with_llm,
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
    job = LogOptions(
        db,
        tuple(files),
        LogColumns(query, page, clicks, time, user, feedback),
        region,
        depth,
        prompts,
        models,
        stdin=sys.stdin.buffer,
        format=file_format,
        cleaning=Cleaning(frozenset(code.lower() for code in language or ()), keep_all),
        sample=sample,
        seed=seed,
        names=names_setting(names),
    )
    if dry_run:
        _render_plan(run(preview_logs(job, TerminalReporter())), as_json=as_json)
        return
    report = run(add_logs(job, TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)
    if report.labels.stopped:
        raise BudgetError(report.labels.stopped)


def _render_plan(plan: "LogPlan", *, as_json: bool) -> None:
    if as_json:
        # The calls stand where every plan has them.
        found = {name: value for name, value in asdict(plan).items() if name != "calls"}
        typer.echo(json.dumps(asdict(plan.calls) | {"log": found}, indent=2, ensure_ascii=False))
        return
    typer.echo(f"rows        {plan.rows}, {plan.queries} distinct queries")
    if plan.rejected:
        typer.echo(f"rejected    {counted(plan.rejected)}")
    typer.echo(f"replaced    {counted(plan.scrubbed) or 'nothing'}")
    for kind, examples in plan.examples.items():
        for example in examples:
            typer.echo(f"  {kind:<12}{example}")
    print_plan(plan.calls, as_json=False)


def _render(report: "LogReport") -> None:
    from goldgen.app.counting import CallCounts

    typer.echo(f"rows        {report.rows}, {report.queries} distinct queries")
    if report.rejected:
        typer.echo(f"rejected    {counted(report.rejected)}")
        for line in report.rejected_lines[:_LINES_SHOWN]:
            typer.echo(f"  line {line}")
        if len(report.rejected_lines) > _LINES_SHOWN:
            typer.echo(f"  and {len(report.rejected_lines) - _LINES_SHOWN} more; --json has all")
    if report.kept:
        typer.echo(f"kept        {counted(report.kept)}")
    if report.scrubbed:
        typer.echo(f"replaced    {counted(report.scrubbed)}")
    if len(report.languages) > 1:
        typer.echo(f"languages   {counted(report.languages)}")
    if report.rewritten:
        typer.echo(f"rewritten   {report.rewritten} queries were asked again in other words after no click")
    chosen = ", ".join(f"{part.name} {part.chosen} of {part.queries}" for part in report.parts)
    typer.echo(f"questions   {report.questions}; {chosen}")
    for line in duplicate_lines(report.near_duplicates):
        typer.echo(line)
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
