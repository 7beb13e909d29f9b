"""One question looked at closely: where its golds and near misses stand in every retriever."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.measuring import DEPTH, overlay
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import MEASURED, RetrieverFactory, SearchOptions
from goldgen.errors import SettingsError
from goldgen.retrieve import SearchFunction
from goldgen.store import open_store
from goldgen.text import fold
from goldgen.types import Chunk, NearMiss, Ranking
from goldgen.verify import GoldenQuestion

Standing = Literal["gold", "written near miss", "near miss", "irrelevant", "unjudged"]
_ORDER: tuple[Standing, ...] = ("gold", "written near miss", "near miss", "irrelevant", "unjudged")
_SHOWN_HITS = 5
_NAMED = 5
_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class WhyOptions:
    db: Path
    question: str
    """Its id or the beginning of it, its text, or a part of the text that no other question has."""
    retrievers: tuple[str, ...] = MEASURED
    search: SearchOptions = field(default_factory=SearchOptions)
    models: ModelSettings = field(default_factory=ModelSettings)
    own: Mapping[str, SearchFunction] = field(default_factory=dict[str, SearchFunction])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a retriever has a chunk; ``rank`` counts from 1."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk, or a near miss of the question's overlay, and where it stands."""

    id: str
    standing: Standing
    grade: float | None
    document: str
    """Path; "" for a written near miss."""
    text: str
    quote: str
    """The evidence of a gold; "" without one."""
    places: Mapping[str, Place | None]
    """Retriever to place; None: not among the first ``depth``, or it cannot index near misses."""


@dataclass(frozen=True, slots=True)
class Explanation:
    question_id: str
    question: str
    origin: str
    state: str
    answer: str
    depth: int
    retrievers: tuple[str, ...]
    """Their labels."""
    first_gold: Mapping[str, int | None]
    candidates: tuple[Candidate, ...]
    """Golds, then near misses, then the first hits of each retriever."""


def why(options: WhyOptions, reporter: Reporter | None = None) -> Explanation:
    """Search one question anew, without and with its written near misses in the index.

    Raises SettingsError if it is not clear which question is meant, and what ``evaluate`` raises.
    """
    reporter = reporter or Silent()
    with open_store(options.db, create=False) as store:
        golden = load_golden(store)
        item = _find(golden, options.question)
        near_misses = [n for n in golden.near_misses if n.question_id in (item.question.id, *item.merged)]
        runs: dict[str, Ranking] = {}
        attacked: dict[str, Ranking] = {}
        with RetrieverFactory(
            options.models, store.vectors, reporter, options.search, options.own
        ) as factory:
            for name in dict.fromkeys((*options.retrievers, *options.own)):
                named = factory.build(name, golden.chunks)
                with reporter.phase(f"searching with {named.label}", None):
                    runs[named.label] = named.retriever.search(item.question.text, DEPTH)
                    if near_misses and named.indexes_overlays:
                        index = factory.build(name, (*golden.chunks, *map(overlay, near_misses)))
                        attacked[named.label] = index.retriever.search(item.question.text, DEPTH)
        paths = {document.id: document.path for document in store.corpus.documents()}
    gold = frozenset(c for c, grade in item.judged.grades.items() if grade >= golden.threshold)
    return Explanation(
        question_id=item.question.id,
        question=item.question.text,
        origin=item.question.origin,
        state=item.state,
        answer=item.question.answer,
        depth=DEPTH,
        retrievers=tuple(runs),
        first_gold={
            label: next((rank for rank, hit in enumerate(run, 1) if hit.chunk_id in gold), None)
            for label, run in runs.items()
        },
        candidates=_candidates(golden, item, near_misses, runs, attacked, paths),
    )


def _find(golden: GoldenSet, wanted: str) -> GoldenQuestion:
    """By id, by the beginning of an id, by text, or by a part of the text."""
    folded = fold(wanted)
    items = golden.questions
    ways = (
        [item for item in items if wanted in (item.question.id, *item.merged)],
        [i for i in items if len(wanted) >= _SHORTEST_PREFIX and i.question.id.startswith(wanted)],
        [item for item in items if fold(item.question.text) == folded],
        [item for item in items if folded and folded in fold(item.question.text)],
    )
    for found in ways:
        if len(found) == 1:
            return found[0]
        if found:
            named = "; ".join(f"{item.question.id} {item.question.text!r}" for item in found[:_NAMED])
            raise SettingsError(
                f"{len(found)} questions match {wanted!r}: {named}; give more of the id or text"
            )
    raise SettingsError(
        f"the set has no question {wanted!r}; goldgen eval --json lists ids and texts under outcomes"
    )


def _candidates(
    golden: GoldenSet,
    item: GoldenQuestion,
    near_misses: Sequence[NearMiss],
    runs: Mapping[str, Ranking],
    attacked: Mapping[str, Ranking],
    paths: Mapping[str, str],
) -> tuple[Candidate, ...]:
    grades, ids = item.judged.grades, (item.question.id, *item.merged)
    quotes = {verdict.target_id: verdict.quote for verdict in golden.verdicts if verdict.question_id in ids}
    chunks = {chunk.id: chunk for chunk in golden.chunks}
    telling = [c for c in grades if c in chunks and grades[c] > 0]
    hits = [hit.chunk_id for run in runs.values() for hit in run[:_SHOWN_HITS]]
    places = {label: _places(run) for label, run in runs.items()}
    near_places = {label: _places(run) for label, run in attacked.items()}
    found = [
        _candidate(chunks.get(c), c, grades.get(c), golden.threshold, quotes.get(c, ""), paths, places)
        for c in dict.fromkeys([*telling, *hits])
    ]
    for near_miss in near_misses:
        at = {label: near_places.get(label, {}).get(near_miss.id) for label in runs}
        text = near_miss.full_text
        found.append(Candidate(near_miss.id, "written near miss", None, "", text, "", at))
    best = len(runs) * DEPTH
    return tuple(
        sorted(
            found,
            key=lambda c: (
                _ORDER.index(c.standing),
                sum(place.rank if place else best for place in c.places.values()),
            ),
        )
    )


def _candidate(
    chunk: Chunk | None,
    chunk_id: str,
    grade: float | None,
    threshold: float,
    quote: str,
    paths: Mapping[str, str],
    places: Mapping[str, Mapping[str, Place]],
) -> Candidate:
    return Candidate(
        chunk_id,
        _standing(grade, threshold),
        grade,
        paths.get(chunk.document_id, "") if chunk else "",
        chunk.full_text if chunk else "",
        quote,
        {label: found.get(chunk_id) for label, found in places.items()},
    )


def _standing(grade: float | None, threshold: float) -> Standing:
    if grade is None:
        return "unjudged"
    return "gold" if grade >= threshold else "near miss" if grade > 0 else "irrelevant"


def _places(run: Ranking) -> dict[str, Place]:
    return {hit.chunk_id: Place(rank, hit.score) for rank, hit in enumerate(run, 1)}
