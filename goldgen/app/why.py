"""One question looked at closely: where its golds and near misses stand in every retriever."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.measuring import DEPTH, Attack, first_rank
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import MEASURED, RetrieverFactory, SearchOptions
from goldgen.errors import SettingsError
from goldgen.evaluation import HitKind, hit_kind, report_from_json
from goldgen.retrieve import SearchFunction
from goldgen.store import Store, open_store
from goldgen.text import fold
from goldgen.types import Chunk, NearMiss, Ranking
from goldgen.verify import GoldenQuestion

Standing = HitKind | Literal["written near miss"]
_ORDER: tuple[Standing, ...] = ("gold", "written near miss", "near miss", "irrelevant", "unjudged")
_SHOWN_HITS = 5
_NAMED = 5
_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class WhyOptions:
    db: Path
    question: str
    """Its id or the beginning of it, its text, or a part of the text that no other question has."""
    retrievers: tuple[str, ...] = ()
    """Empty, and no ``own`` either: what the set's last evaluation found, if it knows the question, and else
    bm25, dense, hybrid and rerank."""
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
    """Of a written near miss what was changed in its chunk: [-gone-]{+new+}."""
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
    kept_at: str | None
    """When the evaluation was made whose rankings these are; None: the question was searched now."""
    retrievers: tuple[str, ...]
    """Their labels."""
    first_gold: Mapping[str, int | None]
    candidates: tuple[Candidate, ...]
    """Golds, then near misses, then the first hits of each retriever."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The rankings of one question, by the retriever's label."""

    runs: Mapping[str, Ranking]
    near_misses: Mapping[str, Mapping[str, Place]]
    """Written near miss to its place, of retrievers that can index it."""
    kept_at: str | None = None


def why(options: WhyOptions, reporter: Reporter | None = None) -> Explanation:
    """Look a question up in the last evaluation, or search it anew, with and without its near misses.

    Raises SettingsError if it is not clear which question is meant, and what ``evaluate`` raises.
    """
    with open_store(options.db, read_only=True) as store:
        golden = load_golden(store)
        item = _find(golden, options.question)
        paths = {document.id: document.path for document in store.corpus.documents()}
        is_open = not (options.retrievers or options.own)
        found = _kept(store, golden, item) if is_open else None
    near_misses = [n for n in golden.near_misses if n.question_id in (item.question.id, *item.merged)]
    found = found or _searched(options, golden, item, near_misses, reporter or Silent())
    gold = frozenset(c for c, grade in item.judged.grades.items() if grade >= golden.threshold)
    return Explanation(
        question_id=item.question.id,
        question=item.question.text,
        origin=item.question.origin,
        state=item.state,
        answer=item.question.answer,
        depth=DEPTH,
        kept_at=found.kept_at,
        retrievers=tuple(found.runs),
        first_gold={label: first_rank(run, gold) for label, run in found.runs.items()},
        candidates=_candidates(golden, item, near_misses, found, paths),
    )


def _kept(store: Store, golden: GoldenSet, item: GoldenQuestion) -> _Found | None:
    """What the last evaluation found; None if it was on another state of the set, or without the question."""
    last = store.evaluations.latest()
    if last is None or last.set_fingerprint != golden.fingerprint:
        return None
    rankings = store.runs.rankings(last.id, item.question.id)
    if not rankings:
        return None
    report = report_from_json(last.report, f"the last evaluation in {store.path}")
    results = [result for result in report.retrievers if result.label in rankings]
    return _Found(
        {result.label: rankings[result.label] for result in results},
        {
            result.label: {hit.near_miss_id: Place(hit.rank, hit.score) for hit in result.near_miss_hits}
            for result in results
        },
        report.created_at,
    )


def _searched(
    options: WhyOptions,
    golden: GoldenSet,
    item: GoldenQuestion,
    near_misses: Sequence[NearMiss],
    reporter: Reporter,
) -> _Found:
    names = (*options.retrievers, *options.own) or MEASURED
    runs: dict[str, Ranking] = {}
    attacked: dict[str, Mapping[str, Place]] = {}
    with (
        open_store(options.db, create=False) as store,
        RetrieverFactory(options.models, store.vectors, reporter, options.search, options.own) as factory,
    ):
        for name in dict.fromkeys(names):
            named = factory.build(name, golden.chunks)
            with reporter.phase(f"searching with {named.label}", None):
                runs[named.label] = named.retriever.search(item.question.text, DEPTH)
                if near_misses and named.indexes_overlays:
                    attack = Attack(name, factory, golden.chunks, near_misses)
                    attacked[named.label] = {
                        n.id: place
                        for n in near_misses
                        if (place := _places(attack.search(item.question.text, n)).get(n.id))
                    }
    return _Found(runs, attacked)


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
    found: _Found,
    paths: Mapping[str, str],
) -> tuple[Candidate, ...]:
    grades, ids = item.judged.grades, (item.question.id, *item.merged)
    quotes = {verdict.target_id: verdict.quote for verdict in golden.verdicts if verdict.question_id in ids}
    chunks = {chunk.id: chunk for chunk in golden.chunks}
    telling = [c for c in grades if c in chunks and grades[c] > 0]
    hits = [hit.chunk_id for run in found.runs.values() for hit in run[:_SHOWN_HITS]]
    places = {label: _places(run) for label, run in found.runs.items()}
    candidates = [
        _candidate(chunks.get(c), c, grades.get(c), golden.threshold, quotes.get(c, ""), paths, places)
        for c in dict.fromkeys([*telling, *hits])
    ]
    for near_miss in near_misses:
        at = {label: found.near_misses.get(label, {}).get(near_miss.id) for label in found.runs}
        parent = chunks.get(near_miss.chunk_id)
        text = near_miss.diff(parent) if parent else near_miss.full_text
        candidates.append(Candidate(near_miss.id, "written near miss", None, "", text, "", at))
    return tuple(sorted(candidates, key=lambda c: (_ORDER.index(c.standing), _ranks(c))))


def _ranks(candidate: Candidate) -> int:
    """Lower the better the retrievers place it."""
    return sum(place.rank if place else 2 * DEPTH for place in candidate.places.values())


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
        hit_kind(grade, threshold),
        grade,
        paths.get(chunk.document_id, "") if chunk else "",
        chunk.full_text if chunk else "",
        quote,
        {label: found.get(chunk_id) for label, found in places.items()},
    )


def _places(run: Ranking) -> dict[str, Place]:
    return {hit.chunk_id: Place(rank, hit.score) for rank, hit in enumerate(run, 1)}
