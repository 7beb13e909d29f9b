"""goldgen why"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options, search_options
from goldgen.cli.console import TerminalReporter, one_line, print_json

if TYPE_CHECKING:
    from goldgen.app.why import Candidate, Explanation

_EXCERPT = 160


def why(
    question: Annotated[str, typer.Argument(help="Its id, the beginning of it, its text or a part of that.")],
    db: options.Db = Path("outputs/goldgen.duckdb"),
    retriever: Annotated[
        list[str] | None,
        typer.Option("--retriever", help="As for eval; repeatable. Default: as last evaluated."),
    ] = None,
    candidates: search_options.Candidates = 50,
    language: search_options.Language = "auto",
    fusion_weights: search_options.FusionWeights = (1.0, 1.0),
    precision: search_options.Precision = "float32",
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    reranker_model: options.RerankerModel = None,
    reranker_base_url: options.RerankerBaseUrl = None,
    offline: options.Offline = None,
    as_json: options.Json = False,
) -> None:
    """Show where the golds and near misses of one question stand in every retriever, and what came instead.

    Example: `goldgen why "how long are exports kept" --retriever bm25 --retriever dense`
    """
    from goldgen.app import why as app
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
    job = app.WhyOptions(db, question, tuple(retriever or ()), search, models)
    found = app.why(job, TerminalReporter())
    if as_json:
        print_json(found)
    else:
        _render(found)


def _render(found: "Explanation") -> None:
    _say(f"question    {' '.join(found.question.split())}")
    _say(f"            {found.question_id}, {found.origin}, {found.state}")
    if found.answer:
        _say(f"answer      {' '.join(found.answer.split())}")
    if found.kept_at:
        _say(
            f"            as evaluated {found.kept_at[:16].replace('T', ' ')} UTC; --retriever searches anew"
        )
    for label in found.retrievers:
        rank = found.first_gold[label]
        said = f"first gold at rank {rank}" if rank else f"no gold among the first {found.depth}"
        _say(f"{label:<11} {said}")
    for candidate in found.candidates:
        _say("")
        _render_candidate(candidate)


def _render_candidate(candidate: "Candidate") -> None:
    grade = "" if candidate.grade is None else f", grade {candidate.grade:g}"
    where = f"  {candidate.document}" if candidate.document else ""
    _say(f"{candidate.standing}{grade}{where}  [{candidate.id}]")
    placed = (
        f"{label} {place.rank} ({place.score:.3f})" if place else f"{label} –"
        for label, place in candidate.places.items()
    )
    _say(f"  ranks     {', '.join(placed)}")
    if candidate.quote:
        _say(f"  evidence  “{' '.join(candidate.quote.split())}”")
    text = " ".join(candidate.text.split())
    _say(f"  text      {text[:_EXCERPT]}{'…' if len(text) > _EXCERPT else ''}")


def _say(line: str) -> None:
    typer.echo(one_line(line))
