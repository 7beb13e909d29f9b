"""The report of an evaluation, put together from the set and from what each retriever found."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldgen.app.comparison import PRIMARY, paired, verdict_sentences
from goldgen.app.contributions import own_left_out
from goldgen.app.golden import GoldenSet
from goldgen.app.measuring import DEPTH, Measured, first_rank
from goldgen.app.next_steps import next_steps
from goldgen.app.set_proof import set_proof
from goldgen.app.traits import difficulty, traits
from goldgen.evaluation import (
    GoldChunk,
    Measure,
    QuestionOutcome,
    Report,
    RetrieverResult,
    Similarity,
    bootstrap_interval,
    context_choice,
    curve,
    failures,
    mean_tokens,
    similarity,
    slices,
    traffic_means,
)
from goldgen.models.endpoints import normalised_name
from goldgen.store import Store
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Ranking

DEEPEST = 20
"""Down to which the curves go."""
_SHOWN_CHARACTERS = 1200
_SHOWN_FAILURES = 200
_JUDGED = Measure("Judged", 10)
_SUCCESS = Measure("Success", 10)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How and when an evaluation was made."""

    created_at: str
    language: str | None
    delta: float
    budget: int
    run_ids: Mapping[str, str]
    """Label to the id of its run."""


def report_of(
    store: Store, golden: GoldenSet, measured: Sequence[Measured], circumstances: Circumstances
) -> Report:
    """Everything that is to be said of these runs on this set."""
    documents = {document.id: document.path for document in store.corpus.documents()}
    origins = {item.question.id: item.question.origin for item in golden.golden}
    scores = measured[0].scores
    runs = {found.label: found.run for found in measured}
    sizes = {chunk.id: estimated_tokens(chunk.full_text) for chunk in golden.chunks}
    results = tuple(_result(found, golden, origins, runs, sizes, circumstances) for found in measured)
    differences = paired({found.label: found.scores for found in measured}, circumstances.delta)
    outcomes = _outcomes(golden, measured, documents)
    lost = failures(outcomes, runs, golden.judged, threshold=golden.threshold)
    corpus = store.meta.get("corpus")
    report = Report(
        corpus=str(json.loads(corpus)["name"]) if corpus else "",
        created_at=circumstances.created_at,
        set_fingerprint=golden.fingerprint,
        corpus_fingerprint=golden.corpus_fingerprint,
        questions=len(scores.question_ids),
        by_origin=dict(Counter(origins.values())),
        excluded=scores.excluded,
        clusters=len(set(scores.clusters)),
        near_misses=len(golden.near_misses),
        chunks=len(golden.chunks),
        language=circumstances.language,
        threshold=float(scores.threshold),
        ceilings={str(measure): ceiling for measure, ceiling in scores.ceilings.items()},
        primary=str(PRIMARY),
        delta=circumstances.delta,
        budget=circumstances.budget,
        retrievers=results,
        differences=differences,
        proof=set_proof(store, golden),
        marks=golden.marks,
        sentences=verdict_sentences(
            results, differences, sorted(golden.judging_models), len(scores.question_ids)
        ),
        slices=slices(outcomes, list(runs), str(PRIMARY)),
        outcomes=outcomes,
        failures=lost,
        texts={},
        next_steps=(),
    )
    return replace(
        report,
        texts=_texts(report, golden, documents),
        next_steps=next_steps(report),
        traffic=traffic_means(report, _traffic(store, golden)),
    )


def _traffic(store: Store, golden: GoldenSet) -> dict[str, float]:
    """Question id to the weight of all log queries that count as that question."""
    first, weights = golden.first_ids, defaultdict[str, float](float)
    for question_id, weight in store.logs.weights().items():
        weights[first.get(question_id, question_id)] += weight
    return weights


def _result(
    found: Measured,
    golden: GoldenSet,
    origins: Mapping[str, str],
    runs: Mapping[str, Mapping[str, Ranking]],
    sizes: Mapping[str, int],
    circumstances: Circumstances,
) -> RetrieverResult:
    scores = found.scores
    primary = scores.of(PRIMARY)
    interval = bootstrap_interval(primary, scores.clusters)
    by_origin: defaultdict[str, list[float]] = defaultdict(list)
    for question_id, value in zip(scores.question_ids, primary.tolist(), strict=True):
        by_origin[origins[question_id]].append(value)
    drawn = curve(golden.judged, found.run, deepest=DEEPEST, threshold=golden.threshold)
    whole = curve(golden.judged, found.run, deepest=DEPTH, threshold=golden.threshold)
    tokens = mean_tokens(found.run, scores.question_ids, sizes, DEPTH)
    return RetrieverResult(
        name=found.name,
        label=found.label,
        shares_model=bool(frozenset(map(normalised_name, found.models)) & golden.judging_models),
        means={str(measure): scores.mean(measure) for measure in scores.measures},
        interval=(interval.low, interval.high),
        by_origin={origin: float(np.mean(values)) for origin, values in sorted(by_origin.items())},
        judged=scores.mean(_JUDGED),
        confusion=found.confusion,
        milliseconds=found.milliseconds,
        tied_share=scores.tied_share,
        duplicates=scores.duplicates,
        missing=scores.missing,
        run_id=circumstances.run_ids[found.label],
        curve=drawn,
        similarity=_similarity(found, golden),
        near_miss_hits=found.near_miss_hits,
        context=context_choice(whole, tokens, circumstances.budget),
        without_own=own_left_out(golden, found.label, runs),
        replies=found.replies,
        reservations=found.reservations,
        attacks=found.attacks,
        under_attack=found.under_attack,
    )


def _similarity(found: Measured, golden: GoldenSet) -> Similarity | None:
    if found.replies is not None and not found.replies.scored:
        return None
    near_misses, compare = found.near_miss_hits, found.scores_compare
    return similarity(golden.judged, found.run, near_misses, threshold=golden.threshold, comparable=compare)


def _outcomes(
    golden: GoldenSet, measured: Sequence[Measured], documents: Mapping[str, str]
) -> tuple[QuestionOutcome, ...]:
    of_question = traits(golden, documents)
    paths = {chunk.id: documents.get(chunk.document_id, "") for chunk in golden.chunks}
    quotes = {verdict.pair: verdict.quote for verdict in golden.verdicts}
    rows = {question_id: row for row, question_id in enumerate(measured[0].scores.question_ids)}
    outcomes: list[QuestionOutcome] = []
    for item in golden.golden:
        question_id, ids = item.question.id, (item.question.id, *item.merged)
        gold = [c for c, grade in item.judged.grades.items() if grade >= golden.threshold]
        values: dict[str, dict[str, float]] = {}
        first: dict[str, int | None] = {}
        for found in measured:
            names = map(str, found.scores.measures)
            measures = found.scores.values[rows[question_id]].tolist()
            values[found.label] = dict(zip(names, measures, strict=True))
            first[found.label] = first_rank(found.run.get(question_id, ()), frozenset(gold))
        successes = {label: value[str(_SUCCESS)] for label, value in values.items()}
        outcomes.append(
            QuestionOutcome(
                question_id=question_id,
                text=item.question.text,
                cluster=item.judged.cluster,
                traits=of_question[question_id] | {"difficulty": difficulty(successes)},
                golds=tuple(
                    GoldChunk(
                        chunk_id,
                        paths.get(chunk_id, ""),
                        item.judged.grades[chunk_id],
                        next((quotes[i, chunk_id] for i in ids if quotes.get((i, chunk_id))), ""),
                    )
                    for chunk_id in gold
                ),
                values=values,
                first_gold=first,
            )
        )
    return tuple(outcomes)


def _texts(report: Report, golden: GoldenSet, documents: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Path and text, cut, of what the first failures and the high scores name."""
    shown = report.failures[:_SHOWN_FAILURES]
    lost = {failure.question_id for failure in shown}
    named = {hit.chunk_id for failure in shown for hit in failure.instead}
    named |= {gold.chunk_id for item in report.outcomes if item.question_id in lost for gold in item.golds}
    for result in report.retrievers:
        if result.similarity:
            named |= {high.chunk_id for high in result.similarity.highest_wrong}
    found = {
        chunk.id: (documents.get(chunk.document_id, ""), chunk.full_text[:_SHOWN_CHARACTERS])
        for chunk in golden.chunks
        if chunk.id in named
    }
    written = {
        item.id: ("", item.full_text[:_SHOWN_CHARACTERS]) for item in golden.near_misses if item.id in named
    }
    return found | written
