"""goldgen synth"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import loading, options
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run
from goldgen.cli.labels import duplicate_lines

if TYPE_CHECKING:
    from goldgen.app.synth import SynthReport


_WORDING = "Wording"
_MOST_WEIGHT = 100


def synth(
    path: loading.PathToRead = None,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    per_chunk: Annotated[int, typer.Option(help="Questions asked for each chunk, one a style.")] = 3,
    near_miss: Annotated[
        int, typer.Option("--near-miss", min=0, help="Near misses for each chunk, at most.")
    ] = 1,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Ask about this many chunks, spread over the documents.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    fill: Annotated[
        bool, typer.Option("--fill", help="Ask only about documents and sections without a question.")
    ] = False,
    styles: Annotated[
        str | None,
        typer.Option(
            metavar="STYLE[=N],…",
            help="The mix, such as fact=2,symptom=3,keywords. By default all styles that one chunk answers, "
            "equally often; boundary, multihop and negative only by name.",
            rich_help_panel=_WORDING,
        ),
    ] = None,
    language: Annotated[
        str,
        typer.Option(
            help="Of the questions, as a code such as de; by default that of each chunk.",
            rich_help_panel=_WORDING,
        ),
    ] = "",
    examples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|logs",
            help="Queries of real users, for the length and register of the questions; logs: those of the "
            "set. A few go with each call.",
            rich_help_panel=_WORDING,
        ),
    ] = None,
    match_logs: Annotated[
        bool,
        typer.Option(
            "--match-logs",
            help="Take the mix of styles, and the examples if none are given, after the log queries of the "
            "set, by how often they are asked; not with --styles.",
            rich_help_panel=_WORDING,
        ),
    ] = False,
    max_overlap: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Above this share of words taken from its chunk, weighed by their rarity, a question is "
            "reworded or flagged; 1 for never.",
            rich_help_panel=_WORDING,
        ),
    ] = 0.7,
    database: loading.Database = None,
    query: loading.Query = None,
    name: loading.Name = "",
    include: loading.Include = None,
    exclude: loading.Exclude = None,
    gitignore: loading.Gitignore = None,
    chunk_size: loading.ChunkSize = None,
    chunk_overlap: loading.ChunkOverlap = None,
    chunk_unit: loading.ChunkUnit = None,
    jobs: loading.Jobs = None,
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

    Run again, it reads only what has changed, and asks only for what is missing. Without PATH it takes the
    corpus as `goldgen corpus load` left it.
    """
    source = loading.source(path, database, query)
    if source is None and not db.exists():
        raise typer.BadParameter("name the documents to read; only a set that holds a corpus needs none")
    if match_logs and styles is not None:
        raise typer.BadParameter("--match-logs takes the styles of the log queries; leave out --styles")
    chunking = loading.chunking(chunk_size, chunk_overlap, chunk_unit)
    from goldgen.app.synth import SynthOptions, plan_synth, synthesize
    from goldgen.cli.settings import model_settings

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
    job = SynthOptions(
        db=db,
        path=source if isinstance(source, Path) else None,
        per_chunk=per_chunk,
        near_misses=near_miss,
        sample=sample,
        seed=seed,
        chunking=chunking,
        name=name,
        prompts=prompts,
        models=models,
        sql=source if not isinstance(source, Path) else None,
        selection=loading.selection(include, exclude, gitignore),
        jobs=loading.processes(jobs),
        styles=_weights(styles),
        examples="logs" if examples == Path("logs") else examples,
        language=_language(language),
        max_overlap=max_overlap,
        fill=fill,
        match_logs=match_logs,
    )
    if dry_run:
        print_plan(run(plan_synth(job, TerminalReporter())), as_json=as_json)
        return
    report = run(synthesize(job, TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)


def _weights(styles: str | None) -> dict[str, int]:
    """Style to weight, of "fact=2,keywords"."""
    weights: dict[str, int] = {}
    for part in filter(None, map(str.strip, (styles or "").split(","))):
        name, _, weight = map(str.strip, part.partition("="))
        if not name or not (weight or "1").isdecimal() or not 1 <= int(weight or 1) <= _MOST_WEIGHT:
            raise typer.BadParameter(
                f"{part!r} is no STYLE or STYLE=N with N from 1 to {_MOST_WEIGHT}: --styles"
            )
        if name in weights:
            raise typer.BadParameter(f"{name!r} stands twice in --styles")
        weights[name] = int(weight or 1)
    return weights


def _language(code: str) -> str:
    from goldgen.synth.guidance import NAMES

    if code and code not in NAMES:
        raise typer.BadParameter(f"{code!r} is no code that goldgen has a name for: {', '.join(NAMES)}")
    return code


def _render(report: "SynthReport") -> None:
    corpus = report.corpus
    typer.echo(f"documents   {corpus.documents} read" + _more(corpus.skipped, "skipped"))
    typer.echo(
        f"chunks      {corpus.chunks}, {report.chunks_asked} asked about"
        + _more(report.chunks_skipped, "unfit")
    )
    if report.uncovered_documents is not None:
        typer.echo(
            f"filled      {report.uncovered_documents} documents and {report.uncovered_sections} sections "
            "that had no question"
        )
    typer.echo(
        f"questions   {report.questions} of {report.questions_asked} asked for"
        + _more(report.questions_rejected, "rejected")
        + _more(report.calls_failed, "chunks failed")
    )
    typer.echo(
        "            " + ", ".join(f"{item.style} {item.kept} of {item.asked}" for item in report.styles)
    )
    if report.rewritten or report.literal:
        typer.echo(
            f"            {report.rewritten} reworded; {report.literal} still copy most of their words and "
            "are flagged"
        )
    if report.replaced or report.stood:
        typer.echo(
            f"            {report.replaced} older wordings replaced; {report.stood} with verdicts stay"
        )
    for line in duplicate_lines(report.near_duplicates):
        typer.echo(line)
    typer.echo(
        f"near misses {report.near_misses}"
        + (f" ({counted(report.near_misses_by_edit)})" if report.near_misses else "")
        + _more(report.near_misses_rejected, "rejected")
    )
    typer.echo(calls_line(report.calls, report.generator))
    typer.echo("next        goldgen verify")


def _more(reasons: Mapping[str, int], what: str) -> str:
    return f"; {what}: {counted(reasons)}" if reasons else ""
