"""goldgen eval"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from goldgen.app.comparison import RetrieverResult
    from goldgen.app.evaluate import EvalReport

_HEADLINE = ("P@5", "R@5", "RR@10", "AP@10", "nDCG@10")
_CUTOFFS = (1, 3, 5, 10)
_TITLES = {"P": "P", "R": "R", "RR": "MRR", "AP": "MAP", "nDCG": "nDCG"}
DAGGER = "†"


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
    candidates: Annotated[
        int, typer.Option(min=1, help="How many of hybrid's results rerank scores anew.")
    ] = 50,
    language: Annotated[
        str, typer.Option(help="Whose stems and stop words bm25 uses, such as en; plain: none.")
    ] = "auto",
    fusion_weights: Annotated[
        tuple[float, float], typer.Option(metavar="BM25 DENSE", help="Weights of hybrid's two rankings.")
    ] = (1.0, 1.0),
    # The same names as goldgen.retrieve.Precision, whose module would make --help slow.
    precision: Annotated[Literal["float32", "float16"], typer.Option(help="Of dense's vectors.")] = "float32",
    delta: Annotated[
        float,
        typer.Option(min=0.001, max=1.0, help="The difference worth seeing; tells the questions it needs."),
    ] = 0.03,
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
    from goldgen.app.retrievers import MEASURED, SearchOptions
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "reranker_model": reranker_model,
            "offline": offline,
        }
    )
    search = SearchOptions(language, precision, fusion_weights, candidates)
    job = app.EvalOptions(db, tuple(retriever or MEASURED), search, models, delta)
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
    console.print(_by_origin(report))
    typer.echo(
        f"{report.questions} questions from {report.clusters} sources, {report.excluded} more without gold "
        f"left out; {report.near_misses} near misses; {report.chunks} chunks; "
        f"gold from grade {report.threshold:g}{_lexical(report.language)}"
    )
    for result in report.retrievers:
        if result.duplicates or result.tied_share:
            typer.echo(
                f"{result.label}: {result.tied_share:.1%} of ranks tied, {result.duplicates} duplicates"
            )
        _replies(result)
        own = result.without_own
        if own is not None and own.golds:
            lost = f"; {own.questions} questions lose all their gold so" if own.questions else ""
            typer.echo(f"{result.label}: {own.golds} golds that only it proposed{lost}")
    for mark in report.marks:
        typer.echo(f"mark: {mark}")
    typer.echo()
    for sentence in report.sentences:
        typer.echo(sentence)


def _lexical(language: str | None) -> str:
    if language is None:
        return ""
    found = "words as they stand" if language == "plain" else f"stems without stop words ({language})"
    return f"; bm25 searches {found}"


def _replies(result: "RetrieverResult") -> None:
    """What was odd about the answers of a retriever of the user's own."""
    found = result.replies
    if found is None:
        return
    typer.echo(f"{result.label}: confused is n/a, since goldgen cannot put near misses into its index")
    for count, what in (
        (found.unknown, f"of {found.hits} hits name no chunk of the set; they keep their rank"),
        (found.repeated, "hits left out that stand further up already"),
        (found.empty, "questions without an answer"),
    ):
        if count:
            typer.echo(f"{result.label}: {count} {what}")


def _table(title: str, *headings: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for heading in headings:
        is_text = heading in ("retriever", "measure")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text)
    return table


def _name(result: "RetrieverResult") -> str:
    return f"{result.label}{DAGGER}" if result.shares_model else result.label


def _comparison(report: "EvalReport") -> "Table":
    headings = [_TITLES[measure.split("@")[0]] + "@" + measure.split("@")[1] for measure in _HEADLINE]
    table = _table("retrievers", "retriever", *headings, "judged", "confused", "ms")
    for result in report.retrievers:
        confused = "n/a" if result.confusion is None else f"{result.confusion:.0%}"
        means = (f"{result.means[measure]:.3f}" for measure in _HEADLINE)
        table.add_row(_name(result), *means, f"{result.judged:.0%}", confused, f"{result.milliseconds:.1f}")
    table.caption = (
        "judged: share of the first ten with a verdict; confused: near misses above every gold; "
        "ms: median of a query"
    )
    return table


def _by_cutoff(report: "EvalReport") -> "Table":
    table = _table("by K", "retriever", "measure", *(f"K={k}" for k in _CUTOFFS))
    for result in report.retrievers:
        for name, title in _TITLES.items():
            label = _name(result) if name == "P" else ""
            table.add_row(label, f"{title}@K", *(f"{result.means[f'{name}@{k}']:.3f}" for k in _CUTOFFS))
        table.add_section()
    table.add_row("at best", "P@K", *(f"{report.ceilings[f'P@{k}']:.3f}" for k in _CUTOFFS))
    return table


def _by_origin(report: "EvalReport") -> "Table":
    origins = list(report.by_origin.items())
    headings = (f"{origin} (n={count})" for origin, count in origins)
    pooled = any(result.without_own for result in report.retrievers)
    own = ("without own",) if pooled else ()
    table = _table("nDCG@10 with its 95% interval, and by origin", "retriever", "all", "95%", *own, *headings)
    for result in report.retrievers:
        low, high = result.interval
        means = [f"{result.by_origin[origin]:.3f}" for origin, _ in origins]
        left_out = [_without_own(result)] if pooled else []
        headline = f"{result.means['nDCG@10']:.3f}"
        table.add_row(_name(result), headline, f"{low:.2f}-{high:.2f}", *left_out, *means)
    if pooled:
        table.caption = (
            "without own: labels that only this retriever proposed left out; "
            "over the questions that keep a gold"
        )
    return table


def _without_own(result: "RetrieverResult") -> str:
    own = result.without_own
    if own is None:
        return ""
    if own.mean is None or own.difference is None:
        return "no gold left"
    return f"{own.mean:.3f} ({own.difference:+.3f})"
