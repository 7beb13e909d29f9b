"""How a retriever fares against texts that look like gold and do not answer, by their kind."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from goldgen.evaluation.ordering import in_order
from goldgen.evaluation.resampling import bootstrap_interval
from goldgen.types import GOLD, JudgedQuestion, Ranking

_FIRST = 10
"""Hits whose scores say what is much for a question."""


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A near miss of one question: written into its overlay or, if its kind is "mined", a chunk."""

    id: str
    question_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """What became of one near miss in the search of its question."""

    near_miss_id: str
    question_id: str
    cluster: str
    kind: str
    outranks: bool
    """Whether it stands above every gold chunk; also where no gold was found and it was."""
    margin: float | None
    """Score of the best gold less its own, in standard deviations of the scores of the first ten hits; None
    where one of both was not found, or the ten scores are all equal."""


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One retriever against the near misses of one kind."""

    kind: str
    count: int
    confused: int
    """How many of them outrank every gold chunk."""
    rate: float
    low: float | None
    high: float | None
    """The 95% interval of the rate, bootstrap over clusters; None where all fared alike, which has none."""
    margin: float | None
    """Median of the margins there are; None without any."""
    margins: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class UnderAttack:
    """Means over the questions with written near misses, without these and with all of them in the index."""

    questions: int
    before: Mapping[str, float]
    """Measure to mean."""
    after: Mapping[str, float]


def attack_outcomes(
    lookalikes: Sequence[Lookalike],
    questions: Sequence[JudgedQuestion],
    rankings: Mapping[tuple[str, str], Ranking],
    *,
    threshold: float = GOLD,
) -> tuple[AttackOutcome, ...]:
    """One for each near miss whose question has gold.

    ``rankings``: question id and near-miss id to the ranking of that question with that near miss, under its
    own id, in the index; none is an empty one. Raises RetrieverError for a NaN score.
    """
    judged = {question.question_id: question for question in questions}
    found: list[AttackOutcome] = []
    for item in lookalikes:
        question = judged.get(item.question_id)
        gold = {c for c, grade in question.grades.items() if grade >= threshold} if question else set[str]()
        if question is None or not gold:
            continue
        ranking = in_order(item.question_id, rankings.get((item.question_id, item.id), ()))
        first = next((hit.chunk_id for hit in ranking if hit.chunk_id in gold or hit.chunk_id == item.id), "")
        found.append(
            AttackOutcome(
                item.id,
                item.question_id,
                question.cluster,
                item.kind,
                first == item.id,
                _margin(ranking, gold, item.id),
            )
        )
    return tuple(found)


def _margin(ranking: Ranking, gold: set[str], near_miss_id: str) -> float | None:
    best = next((hit.score for hit in ranking if hit.chunk_id in gold), None)
    own = next((hit.score for hit in ranking if hit.chunk_id == near_miss_id), None)
    spread = float(np.std([hit.score for hit in ranking[:_FIRST]])) if ranking else 0.0
    # What rounding leaves of equal scores is no spread.
    return None if best is None or own is None or spread < 1e-12 else (best - own) / spread


def attack_results(outcomes: Sequence[AttackOutcome]) -> tuple[AttackResult, ...]:
    """A row for each kind, by its name."""
    kinds: dict[str, list[AttackOutcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.kind].append(outcome)
    return tuple(_result(kind, kinds[kind]) for kind in sorted(kinds))


def _result(kind: str, outcomes: Sequence[AttackOutcome]) -> AttackResult:
    values = np.array([outcome.outranks for outcome in outcomes], dtype=np.float64)
    interval = bootstrap_interval(values, [outcome.cluster for outcome in outcomes])
    is_told = 0 < interval.mean < 1
    margins = [outcome.margin for outcome in outcomes if outcome.margin is not None]
    return AttackResult(
        kind=kind,
        count=len(outcomes),
        confused=int(values.sum()),
        rate=interval.mean,
        low=interval.low if is_told else None,
        high=interval.high if is_told else None,
        margin=median(margins) if margins else None,
        margins=len(margins),
    )
