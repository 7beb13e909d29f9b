"""Searching the golden questions, by a retriever or from a file of its hits, and scoring what was found."""

import time
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from goldgen.app.golden import GoldenSet
from goldgen.app.mined import MINED, mined_near_misses
from goldgen.app.reporting import Reporter
from goldgen.app.retrievers import NamedRetriever, RetrieverFactory
from goldgen.errors import RetrieverError
from goldgen.evaluation import (
    AttackResult,
    Lookalike,
    Measure,
    NearMissHit,
    RunScores,
    UnderAttack,
    attack_outcomes,
    attack_results,
    score_run,
)
from goldgen.exchange import for_set, read_run
from goldgen.types import Chunk, NearMiss, Ranking, Replies

DEPTH = 50
"""How many results each search is asked for."""
UNDER_ATTACK = (Measure("nDCG", 10), Measure("RR", 10))
"""What is measured once more with near misses in the index."""


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
    attacks: tuple[AttackResult, ...] = ()
    """What came of the near misses, by their kind."""
    under_attack: UnderAttack | None = None
    scores_compare: bool = True
    """As of ``NamedRetriever``."""


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
        reservations=named.note() if named.note else "",
        scores_compare=named.scores_compare,
    )
    if not named.indexes_overlays or not golden.near_misses:
        return replace(measured, attacks=_attack_results(golden, run, {}))
    attack = Attack(name, factory, golden.chunks, golden.near_misses)
    attacks = _attacked(attack, named.label, golden, reporter)
    results = _attack_results(golden, run, attacks)
    return replace(
        measured,
        confusion=_confusion(results),
        near_miss_hits=_near_miss_hits(golden, attacks),
        attacks=results,
        under_attack=_under_attack(golden, run, attack),
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
    first, run = golden.first_ids, dict[str, Ranking]()
    # A question's own ranking before that of one merged into it, which is worded otherwise.
    for question_id in sorted(found.rankings, key=lambda key: first[key] != key):
        run.setdefault(first[question_id], found.rankings[question_id][:DEPTH])
    scores = score_run(golden.judged, run, measures, threshold=golden.threshold)
    attacks = _attack_results(golden, run, {})
    return Measured(
        str(path), path.stem, frozenset(), run, scores, reservations=found.reservations, attacks=attacks
    )


def _checked_replies(named: NamedRetriever) -> Replies | None:
    replies = named.replies() if named.replies else None
    if replies is not None and replies.unknown == replies.hits > 0:
        raise RetrieverError(
            f"retriever {named.label} gave {replies.hits} hits, and the set has no chunk of these ids; "
            "return the ids of the set's chunks (goldgen synth keeps those of a chunk table)"
        )
    return replies


class Attack:
    """A retriever over the corpus and all near misses, of which each search sees only those it names."""

    def __init__(
        self, name: str, factory: RetrieverFactory, chunks: Sequence[Chunk], near_misses: Sequence[NearMiss]
    ) -> None:
        overlays = [Chunk(n.id, "", n.text, 0, len(n.text), n.context) for n in near_misses]
        self._index = factory.build(name, (*chunks, *overlays)).retriever
        self._ids = frozenset(overlay.id for overlay in overlays)

    def search(self, question: str, *near_misses: NearMiss) -> Ranking:
        return self._index.search(question, DEPTH, self._ids - {near_miss.id for near_miss in near_misses})


def first_rank(ranking: Ranking, gold: Container[str]) -> int | None:
    """The rank of the first gold chunk, from 1; None if there is none."""
    return next((rank for rank, hit in enumerate(ranking, 1) if hit.chunk_id in gold), None)


def _attacked(attack: Attack, label: str, golden: GoldenSet, reporter: Reporter) -> dict[str, Ranking]:
    """Near miss to the ranking of its question, with that near miss and no other in the index."""
    first = golden.first_ids
    texts = {item.question.id: item.question.text for item in golden.golden}
    rankings: dict[str, Ranking] = {}
    with reporter.phase(f"attacking {label} with near misses", len(golden.near_misses)) as done:
        for near_miss in golden.near_misses:
            rankings[near_miss.id] = attack.search(texts[first[near_miss.question_id]], near_miss)
            done(1)
    return rankings


def _confusion(results: Sequence[AttackResult]) -> float | None:
    """Over the written near misses, whatever their kind."""
    written = [row for row in results if row.kind != MINED]
    count = sum(row.count for row in written)
    return sum(row.confused for row in written) / count if count else None


def _attack_results(
    golden: GoldenSet, run: Mapping[str, Ranking], attacks: Mapping[str, Ranking]
) -> tuple[AttackResult, ...]:
    """Of the mined near misses, which every search meets, and of the written ones that were searched with."""
    first = golden.first_ids
    mined = mined_near_misses(golden)
    written = [
        Lookalike(item.id, first[item.question_id], item.edit)
        for item in golden.near_misses
        if item.id in attacks
    ]
    rankings = {(item.question_id, item.id): run.get(item.question_id, ()) for item in mined}
    rankings |= {(item.question_id, item.id): attacks[item.id] for item in written}
    outcomes = attack_outcomes([*mined, *written], golden.judged, rankings, threshold=golden.threshold)
    return attack_results(outcomes)


def _under_attack(golden: GoldenSet, run: Mapping[str, Ranking], attack: Attack) -> UnderAttack:
    """The questions that have written near misses, searched with all of theirs at once."""
    first = golden.first_ids
    of_question: dict[str, list[NearMiss]] = defaultdict(list)
    for item in golden.near_misses:
        of_question[first[item.question_id]].append(item)
    texts = {item.question.id: item.question.text for item in golden.golden}
    after = {key: attack.search(texts[key], *found) for key, found in of_question.items()}
    asked = [item for item in golden.judged if item.question_id in of_question]
    means = [
        score_run(asked, rankings, UNDER_ATTACK, threshold=golden.threshold)
        for rankings in ({key: run.get(key, ()) for key in of_question}, after)
    ]
    before, attacked = ({str(m): scores.mean(m) for m in UNDER_ATTACK} for scores in means)
    return UnderAttack(len(of_question), before, attacked)


def _near_miss_hits(golden: GoldenSet, attacks: Mapping[str, Ranking]) -> tuple[NearMissHit, ...]:
    first = golden.first_ids
    found: list[NearMissHit] = []
    for near_miss in golden.near_misses:
        ranking = attacks[near_miss.id]
        rank = first_rank(ranking, (near_miss.id,))
        if rank is not None:
            question_id = first[near_miss.question_id]
            found.append(NearMissHit(question_id, near_miss.id, rank, ranking[rank - 1].score))
    return tuple(found)
