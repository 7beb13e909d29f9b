"""goldgen eval"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, counted, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from goldgen.app.evaluate import EvalReport

_HEADLINE = ("P@5", "R@5", "RR@10", "AP@10", "nDCG@10")
_CUTOFFS = (1, 3, 5, 10)


def evaluate(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            help="bm25, bm25-okapi, dense, hybrid or rerank; repeatable. Default: all but bm25-okapi.",
        ),
    ] = None,
    candidates: Annotated[
        int, typer.Option(min=1, help="How many of hybrid's results rerank scores anew.")
    ] = 50,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    reranker_model: options.RerankerModel = None,
    offline: options.Offline = None,
    as_json: options.Json = False,
) -> None:
    """Score retrievers on the golden set, and say which differences are real.

    Example: `goldgen eval --retriever bm25 --retriever rerank`
    """
    from goldgen.app import evaluate as app
    from goldgen.app.retrievers import MEASURED
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "reranker_model": reranker_model,
            "offline": offline,
        }
    )
    job = app.EvalOptions(db, tuple(retriever or MEASURED), candidates, models)
    report = app.evaluate(job, TerminalReporter())
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "EvalReport") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_comparison(report))
    console.print(_by_cutoff(report))
    typer.echo(
        f"{report.questions} questions ({counted(report.by_origin)}) from {report.clusters} clusters, "
        f"{report.excluded} without gold left out; {report.near_misses} near misses; {report.chunks} chunks; "
        f"gold from grade {report.threshold:g}"
    )
    for mark in report.marks:
        typer.echo(f"mark: {mark}")
    typer.echo()
    for sentence in report.sentences:
        typer.echo(sentence)


def _comparison(report: "EvalReport") -> "Table":
    from rich.table import Table

    table = Table(title="retrievers")
    table.add_column("retriever")
    origins = sorted(report.by_origin)
    headings = [*_HEADLINE, *(f"nDCG@10 {origin}" for origin in origins), "Judged@10", "confused", "ms"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for result in report.retrievers:
        confused = "n/a" if result.confusion is None else f"{result.confusion:.0%}"
        table.add_row(
            result.label + ("†" if result.shares_model else ""),
            *(f"{result.means[measure]:.3f}" for measure in _HEADLINE),
            *(f"{result.by_origin[origin]:.3f}" for origin in origins),
            f"{result.judged:.2f}",
            confused,
            f"{result.milliseconds:.1f}",
        )
    return table


def _by_cutoff(report: "EvalReport") -> "Table":
    from rich.table import Table

    table = Table(title="by K")
    table.add_column("retriever")
    table.add_column("measure")
    for k in _CUTOFFS:
        table.add_column(f"K={k}", justify="right")
    names = {"P": "Precision@K", "R": "Recall@K", "RR": "MRR@K", "AP": "MAP@K", "nDCG": "NDCG@K"}
    for result in report.retrievers:
        for name, title in names.items():
            table.add_row(result.label, title, *(f"{result.means[f'{name}@{k}']:.3f}" for k in _CUTOFFS))
        table.add_section()
    table.add_row("at best", "Precision@K", *(f"{report.ceilings[f'P@{k}']:.3f}" for k in _CUTOFFS))
    return table
