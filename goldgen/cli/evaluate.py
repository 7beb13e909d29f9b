"""goldgen eval"""

from pathlib import Path
from typing import Annotated

import typer

from goldgen.cli import options, search_options
from goldgen.cli.console import TerminalReporter


def evaluate(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            help="bm25, bm25-okapi, dense, hybrid, rerank, or your own as module:function or http://…; "
            "repeatable. Default: bm25, dense, hybrid and rerank.",
        ),
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            "--run", readable=False, help="A file of hits: TREC, CSV, TSV, JSONL or Parquet; repeatable."
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="A further measure, such as AllGold@5, bpref or nDCG_cond@10; repeatable."
        ),
    ] = None,
    selection: Annotated[
        str, typer.Option(help="Measure on the questions that goldgen select chose under this name.")
    ] = "",
    candidates: search_options.Candidates = 50,
    language: search_options.Language = "auto",
    fusion_weights: search_options.FusionWeights = (1.0, 1.0),
    precision: search_options.Precision = "float32",
    delta: Annotated[
        float,
        typer.Option(min=0.001, max=1.0, help="The difference worth seeing; tells the questions it needs."),
    ] = 0.03,
    budget: Annotated[
        int, typer.Option(min=1, help="Tokens of context, for which the number of results is chosen.")
    ] = 2000,
    report_file: Annotated[
        Path | None,
        typer.Option(
            "--report",
            readable=False,
            help="Write a page (.html), Markdown (.md), JSON (.json) or, in a folder, the figures.",
        ),
    ] = None,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    reranker_model: options.RerankerModel = None,
    reranker_base_url: options.RerankerBaseUrl = None,
    offline: options.Offline = None,
    as_json: options.Json = False,
) -> None:
    """Score retrievers on the golden set, and say which differences are real.

    Example: `goldgen eval --retriever bm25 --retriever rerank`
    """
    from goldgen.app import evaluate as app
    from goldgen.app.retrievers import SearchOptions
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "reranker_model": reranker_model,
            "reranker_base_url": reranker_base_url,
            "offline": offline,
        }
    )
    search = SearchOptions(language, precision, fusion_weights, candidates)
    job = app.EvalOptions(
        db,
        tuple(retriever or ()),
        search,
        models,
        delta,
        runs=tuple(run or ()),
        measures=tuple(measure or ()),
        budget=budget,
        selection=selection,
    )
    report = app.evaluate(job, TerminalReporter())
    if as_json:
        from goldgen.evaluation import report_to_json

        typer.echo(report_to_json(report, indent=2))
    else:
        from goldgen.cli.evaluation_tables import render

        render(report)
    if report_file:
        from goldgen.app.reports import write_report

        with TerminalReporter().phase("drawing the report", None):
            written = write_report(report, report_file)
        for path in written:
            typer.echo(f"wrote {path}", err=True)
