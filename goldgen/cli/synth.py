"""goldgen synth"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run

if TYPE_CHECKING:
    from goldgen.app.synth import SynthReport


def synth(
    path: Annotated[
        Path,
        typer.Argument(
            readable=False,
            help="A folder or file (Markdown, text, reStructuredText, HTML), or a table of chunks with id "
            "and text (JSONL, CSV, Parquet).",
        ),
    ],
    db: options.Db = Path("outputs/goldgen.duckdb"),
    per_chunk: Annotated[int, typer.Option(help="Questions asked for each chunk, one a style.")] = 3,
    near_miss: Annotated[
        int, typer.Option("--near-miss", min=0, help="Near misses for each chunk, at most.")
    ] = 1,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Ask about this many chunks, spread over the documents.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    chunk_size: Annotated[int, typer.Option(min=100, help="Characters of a chunk, at most.")] = 1200,
    name: Annotated[
        str,
        typer.Option(help="Of the corpus, a part of all ids; by default its folder's name."),
    ] = "",
    prompts: options.Prompts = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    gguf: options.Gguf = None,
    offline: options.Offline = None,
    timeout: options.Timeout = None,
    concurrency: options.Concurrency = None,
    output_mode: options.OutputMode = None,
    dry_run: options.DryRun = False,
    max_usd: options.MaxUsd = None,
    max_calls: options.MaxCalls = None,
    price: options.Price = None,
    as_json: options.Json = False,
) -> None:
    """Draft questions and near misses for the chunks of your documents.

    Example: `goldgen synth corpora/docs --per-chunk 3 --sample 100`

    Run again, it asks only for what is missing.
    """
    from goldgen.app.synth import SynthOptions, plan_synth, synthesize
    from goldgen.cli.settings import model_settings
    from goldgen.corpus import ChunkOptions

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "gguf": gguf,
            "offline": offline,
            "timeout": timeout,
            "concurrency": concurrency,
            "output_mode": output_mode,
            "max_usd": max_usd,
            "max_calls": max_calls,
            "price": price,
        }
    )
    chunking = ChunkOptions(size=chunk_size, minimum=min(300, chunk_size // 2))
    job = SynthOptions(db, path, per_chunk, near_miss, sample, seed, chunking, name, prompts, models)
    if dry_run:
        print_plan(run(plan_synth(job, TerminalReporter())), as_json=as_json)
        return
    report = run(synthesize(job, TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "SynthReport") -> None:
    corpus = report.corpus
    typer.echo(f"documents   {corpus.documents} read" + _more(corpus.skipped, "skipped"))
    typer.echo(
        f"chunks      {corpus.chunks}, {report.chunks_asked} asked about"
        + _more(report.chunks_skipped, "unfit")
    )
    typer.echo(
        f"questions   {report.questions} of {report.questions_asked} asked for"
        + _more(report.questions_rejected, "rejected")
        + _more(report.calls_failed, "chunks failed")
    )
    typer.echo(
        f"near misses {report.near_misses}"
        + (f" ({counted(report.near_misses_by_edit)})" if report.near_misses else "")
        + _more(report.near_misses_rejected, "rejected")
    )
    typer.echo(calls_line(report.calls, report.generator))
    typer.echo("next        goldgen verify")


def _more(reasons: Mapping[str, int], what: str) -> str:
    return f"; {what}: {counted(reasons)}" if reasons else ""
