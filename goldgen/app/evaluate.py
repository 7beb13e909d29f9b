"""Measuring retrievers on the golden set."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from goldgen.app.comparison import PRIMARY, PairedDifference, RetrieverResult, paired, verdict_sentences
from goldgen.app.contributions import own_left_out
from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import MEASURED, NamedRetriever, RetrieverFactory, SearchOptions
from goldgen.errors import EmptyResultError, RetrieverError
from goldgen.evaluation import DELTA, Measure, RunScores, bootstrap_interval, confusion_rate, score_run
from goldgen.models.endpoints import normalised_name
from goldgen.store import QuestionResult, Store, StoredRun, open_store
from goldgen.text import stable_id
from goldgen.types import Chunk, Ranking

CUTOFFS = (1, 3, 5, 10)
MEASURES = tuple(Measure(name, k) for name in ("P", "R", "RR", "AP", "nDCG") for k in CUTOFFS)
_JUDGED = Measure("Judged", 10)
_DEPTH = 50


@dataclass(frozen=True, slots=True)
class EvalOptions:
    db: Path
    retrievers: tuple[str, ...] = MEASURED
    search: SearchOptions = field(default_factory=SearchOptions)
    models: ModelSettings = field(default_factory=ModelSettings)
    delta: float = DELTA
    """The difference in nDCG@10 worth seeing, for which the questions needed are told."""


@dataclass(frozen=True, slots=True)
class EvalReport:
    questions: int
    by_origin: Mapping[str, int]
    """Questions with gold, by origin."""
    excluded: int
    """Questions without gold, in no mean."""
    clusters: int
    near_misses: int
    chunks: int
    language: str | None
    """Whose stems and stop words lexical search used; "plain" for words as they stand, None if it did not."""
    threshold: float
    ceilings: Mapping[str, float]
    """P@k at best: a question with fewer than k golds cannot reach 1."""
    retrievers: tuple[RetrieverResult, ...]
    differences: tuple[PairedDifference, ...]
    marks: tuple[str, ...]
    sentences: tuple[str, ...]
    """What the comparison means, in words."""
    set_fingerprint: str


def evaluate(options: EvalOptions, reporter: Reporter | None = None) -> EvalReport:
    """Search every golden question with every retriever, score and compare, and keep the runs.

    Raises EmptyResultError if the set has no question with gold.
    """
    reporter = reporter or Silent()
    with open_store(options.db, create=False) as store:
        golden = load_golden(store)
        if not golden.golden:
            raise EmptyResultError(
                f"{options.db} has no question with a gold chunk; run goldgen synth PATH, then goldgen verify"
            )
        measured: list[_Measured] = []
        with RetrieverFactory(options.models, store.vectors, reporter, options.search) as factory:
            for name in dict.fromkeys(options.retrievers):
                found = _measure(name, factory, golden, reporter)
                _keep_run(store, found, golden, options, factory.language)
                measured.append(found)
            language = factory.language
    return _report(golden, measured, options.delta, language)


@dataclass(frozen=True, slots=True)
class _Measured:
    named: NamedRetriever
    run: Mapping[str, Ranking]
    scores: RunScores
    confusion: float | None
    milliseconds: float


def _measure(name: str, factory: RetrieverFactory, golden: GoldenSet, reporter: Reporter) -> _Measured:
    named = factory.build(name, golden.chunks)
    run: dict[str, Ranking] = {}
    seconds: list[float] = []
    with reporter.phase(f"searching with {named.label}", len(golden.golden)) as done:
        for item in golden.golden:
            started = time.perf_counter()
            run[item.question.id] = named.retriever.search(item.question.text, _DEPTH)
            seconds.append(time.perf_counter() - started)
            done(1)
    _require_known(named)
    scores = score_run(golden.judged, run, (*MEASURES, _JUDGED))
    attacked = named.indexes_overlays and golden.near_misses
    confusion = _confusion(name, factory, golden, reporter) if attacked else None
    return _Measured(named, run, scores, confusion, 1000 * float(np.median(seconds)))


def _require_known(named: NamedRetriever) -> None:
    """Raises RetrieverError for a retriever of the user's own that names chunks of another corpus only."""
    replies = named.replies() if named.replies else None
    if replies is not None and replies.unknown == replies.hits > 0:
        raise RetrieverError(
            f"retriever {named.label} gave {replies.hits} hits, and the set has no chunk of these ids; "
            "return the ids of the set's chunks (goldgen synth keeps those of a chunk table)"
        )


def _confusion(name: str, factory: RetrieverFactory, golden: GoldenSet, reporter: Reporter) -> float | None:
    """Each near miss's question searched again, with that question's near misses in the index."""
    overlays = [Chunk(item.id, "", item.text, 0, len(item.text), item.context) for item in golden.near_misses]
    named = factory.build(name, (*golden.chunks, *overlays))
    everything = frozenset(overlay.id for overlay in overlays)
    texts = {i: item.question.text for item in golden.golden for i in (item.question.id, *item.merged)}
    first = {i: item.question.id for item in golden.golden for i in (item.question.id, *item.merged)}
    rankings: dict[str, Ranking] = {}
    with reporter.phase(f"attacking {named.label} with near misses", len(golden.near_misses)) as done:
        for near_miss in golden.near_misses:
            others = everything - {near_miss.id}
            rankings[near_miss.id] = named.retriever.search(texts[near_miss.question_id], _DEPTH, others)
            done(1)
    asked = [replace(item, question_id=first[item.question_id]) for item in golden.near_misses]
    return confusion_rate(asked, golden.judged, rankings).rate


def _keep_run(
    store: Store, found: _Measured, golden: GoldenSet, options: EvalOptions, language: str | None
) -> None:
    now = datetime.now(UTC)
    measures = tuple(str(measure) for measure in found.scores.measures)
    rows = {question_id: row for row, question_id in enumerate(found.scores.question_ids)}
    store.runs.add(
        StoredRun(
            id=stable_id(found.named.name, now.isoformat()),
            created_at=now,
            retriever=found.named.label,
            measures=measures,
            means=tuple(found.scores.mean(measure) for measure in found.scores.measures),
            questions=tuple(
                QuestionResult(
                    question_id, tuple(map(float, found.scores.values[row])), found.run[question_id]
                )
                for question_id, row in rows.items()
            ),
            configuration=json.dumps(
                {
                    "retriever": found.named.name,
                    "models": sorted(found.named.models),
                    "search": asdict(options.search) | {"language": language},
                }
            ),
            set_fingerprint=golden.fingerprint,
        )
    )


def _report(
    golden: GoldenSet, measured: Sequence[_Measured], delta: float, language: str | None
) -> EvalReport:
    origins = {item.question.id: item.question.origin for item in golden.golden}
    scores = measured[0].scores
    runs = {found.named.label: found.run for found in measured}
    results = tuple(_result(found, golden, origins, runs) for found in measured)
    differences = paired({found.named.label: found.scores for found in measured}, delta)
    counts: dict[str, int] = {}
    for origin in origins.values():
        counts[origin] = counts.get(origin, 0) + 1
    return EvalReport(
        questions=len(scores.question_ids),
        by_origin=counts,
        excluded=scores.excluded,
        clusters=len(set(scores.clusters)),
        near_misses=len(golden.near_misses),
        chunks=len(golden.chunks),
        language=language,
        threshold=scores.threshold,
        ceilings={str(measure): ceiling for measure, ceiling in scores.ceilings.items()},
        retrievers=results,
        differences=differences,
        marks=golden.marks,
        sentences=verdict_sentences(
            results, differences, sorted(golden.judging_models), len(scores.question_ids)
        ),
        set_fingerprint=golden.fingerprint,
    )


def _result(
    found: _Measured,
    golden: GoldenSet,
    origins: Mapping[str, str],
    runs: Mapping[str, Mapping[str, Ranking]],
) -> RetrieverResult:
    primary = found.scores.of(PRIMARY)
    interval = bootstrap_interval(primary, found.scores.clusters)
    rows: dict[str, list[float]] = {}
    for row, question_id in enumerate(found.scores.question_ids):
        rows.setdefault(origins[question_id], []).append(float(primary[row]))
    return RetrieverResult(
        name=found.named.name,
        label=found.named.label,
        shares_model=bool(frozenset(map(normalised_name, found.named.models)) & golden.judging_models),
        means={str(measure): found.scores.mean(measure) for measure in MEASURES},
        interval=(interval.low, interval.high),
        by_origin={origin: float(np.mean(values)) for origin, values in sorted(rows.items())},
        judged=found.scores.mean(_JUDGED),
        confusion=found.confusion,
        milliseconds=found.milliseconds,
        tied_share=found.scores.tied_share,
        duplicates=found.scores.duplicates,
        without_own=own_left_out(golden, found.named.label, runs),
        replies=found.named.replies() if found.named.replies else None,
    )
