"""Searching the golden questions, by a retriever or from a file of its hits, and scoring what was found."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from goldgen.app.golden import GoldenSet
from goldgen.app.reporting import Reporter
from goldgen.app.retrievers import NamedRetriever, RetrieverFactory
from goldgen.errors import RetrieverError
from goldgen.evaluation import Measure, NearMissHit, RunScores, confusion_rate, score_run
from goldgen.exchange import for_set, read_run
from goldgen.types import Chunk, Hit, NearMiss, Ranking, Replies

DEPTH = 50
"""How many results each search is asked for."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One retriever on one golden set."""

    name: str
    label: str
    models: frozenset[str]
    run: Mapping[str, Ranking]
    """Question id to what was found."""
    scores: RunScores
    confusion: float | None = None
    near_miss_hits: tuple[NearMissHit, ...] = ()
    """Where written near misses came, each searched with its question's overlay."""
    milliseconds: float | None = None
    """Median of a query; None for a run from a file."""
    replies: Replies | None = None
    reservations: str = ""


def measure_retriever(
    name: str, factory: RetrieverFactory, golden: GoldenSet, measures: tuple[Measure, ...], reporter: Reporter
) -> Measured:
    """Search every golden question, and every near miss's question with its overlay.

    Raises RetrieverError for a retriever of the user's own that names chunks of another corpus only.
    """
    named = factory.build(name, golden.chunks)
    run: dict[str, Ranking] = {}
    seconds: list[float] = []
    with reporter.phase(f"searching with {named.label}", len(golden.golden)) as done:
        for item in golden.golden:
            started = time.perf_counter()
            run[item.question.id] = named.retriever.search(item.question.text, DEPTH)
            seconds.append(time.perf_counter() - started)
            done(1)
    replies = _checked_replies(named)
    measured = Measured(
        name=named.name,
        label=named.label,
        models=named.models,
        run=run,
        scores=score_run(golden.judged, run, measures, threshold=golden.threshold),
        milliseconds=1000 * float(np.median(seconds)),
        replies=replies,
    )
    if not named.indexes_overlays or not golden.near_misses:
        return measured
    attacks = _attacked(name, factory, golden, reporter)
    return replace(
        measured, confusion=_confusion(golden, attacks), near_miss_hits=_near_miss_hits(golden, attacks)
    )


def measure_run_file(path: Path, golden: GoldenSet, measures: tuple[Measure, ...]) -> Measured:
    """Score a file of hits. What of it could not be used stands in ``reservations``.

    Raises TableError if it cannot be read, RetrieverError if it has nothing to do with the set.
    """
    found = for_set(read_run(path), golden.drafts, frozenset(chunk.id for chunk in golden.chunks))
    hits = sum(map(len, found.rankings.values()))
    if found.unknown_hits == hits:
        what = "none of its questions" if not hits else "none of the chunks that it names"
        raise RetrieverError(
            f"{path} is a run on another set: this one has {what}; name questions by id or text, and chunks "
            "by the ids that the set has"
        )
    by_any_id = {i: item.question.id for item in golden.golden for i in (item.question.id, *item.merged)}
    run = {by_any_id[i]: ranking[:DEPTH] for i, ranking in found.rankings.items() if i in by_any_id}
    scores = score_run(golden.judged, run, measures, threshold=golden.threshold)
    name = str(path)
    return Measured(name, path.stem, frozenset(), run, scores, reservations=found.reservations)


def _checked_replies(named: NamedRetriever) -> Replies | None:
    replies = named.replies() if named.replies else None
    if replies is not None and replies.unknown == replies.hits > 0:
        raise RetrieverError(
            f"retriever {named.label} gave {replies.hits} hits, and the set has no chunk of these ids; "
            "return the ids of the set's chunks (goldgen synth keeps those of a chunk table)"
        )
    return replies


def overlay(near_miss: NearMiss) -> Chunk:
    """The near miss as a chunk that can be indexed beside the corpus."""
    return Chunk(near_miss.id, "", near_miss.text, 0, len(near_miss.text), near_miss.context)


def _attacked(
    name: str, factory: RetrieverFactory, golden: GoldenSet, reporter: Reporter
) -> dict[str, Ranking]:
    """Near miss to the ranking of its question, with that near miss and no other in the index."""
    named = factory.build(name, (*golden.chunks, *map(overlay, golden.near_misses)))
    everything = frozenset(near_miss.id for near_miss in golden.near_misses)
    texts = {i: item.question.text for item in golden.golden for i in (item.question.id, *item.merged)}
    rankings: dict[str, Ranking] = {}
    with reporter.phase(f"attacking {named.label} with near misses", len(golden.near_misses)) as done:
        for near_miss in golden.near_misses:
            others = everything - {near_miss.id}
            rankings[near_miss.id] = named.retriever.search(texts[near_miss.question_id], DEPTH, others)
            done(1)
    return rankings


def _confusion(golden: GoldenSet, attacks: Mapping[str, Ranking]) -> float | None:
    first = _first_ids(golden)
    asked = [replace(item, question_id=first[item.question_id]) for item in golden.near_misses]
    return confusion_rate(asked, golden.judged, attacks, threshold=golden.threshold).rate


def _near_miss_hits(golden: GoldenSet, attacks: Mapping[str, Ranking]) -> tuple[NearMissHit, ...]:
    first = _first_ids(golden)
    found: list[NearMissHit] = []
    for near_miss in golden.near_misses:
        place = _place(attacks[near_miss.id], near_miss.id)
        if place is not None:
            rank, hit = place
            found.append(NearMissHit(first[near_miss.question_id], near_miss.id, rank, hit.score))
    return tuple(found)


def _place(ranking: Ranking, chunk_id: str) -> tuple[int, Hit] | None:
    return next(((rank, hit) for rank, hit in enumerate(ranking, 1) if hit.chunk_id == chunk_id), None)


def _first_ids(golden: GoldenSet) -> dict[str, str]:
    """Of merged questions the one that the set goes by."""
    return {i: item.question.id for item in golden.golden for i in (item.question.id, *item.merged)}
