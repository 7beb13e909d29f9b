"""How often a retriever takes a near miss for the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldgen.evaluation.ordering import in_order
from goldgen.types import GOLD, JudgedQuestion, NearMiss, Ranking


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """The outcome for each near miss whose question has gold."""

    near_miss_ids: tuple[str, ...]
    clusters: tuple[str, ...]
    """The cluster of each near miss's question, for intervals."""
    values: NDArray[np.float64]
    """Shape (near misses,): 1 where the near miss outranks every gold chunk, else 0."""
    neither: int
    """Near misses for which neither it nor a gold chunk was retrieved: 0 in ``values``."""
    excluded: int
    """Near misses left out because their question has no gold."""

    @property
    def n(self) -> int:
        """How many near misses the rate is over."""
        return len(self.near_miss_ids)

    @property
    def rate(self) -> float | None:
        """The share of near misses that outrank every gold chunk; None if there are none."""
        return float(self.values.mean()) if self.n else None


def confusion_rate(
    near_misses: Sequence[NearMiss],
    questions: Sequence[JudgedQuestion],
    rankings: Mapping[str, Ranking],
    *,
    threshold: float = GOLD,
) -> Confusion:
    """Whether each near miss outranks all gold of its question.

    ``rankings`` maps the id of a near miss to the ranking of its question with that near miss, under its
    own id, in the index; none is an empty one. A near miss that is retrieved while no gold is outranks it.
    Raises RetrieverError for a NaN score.
    """
    judged = {question.question_id: question for question in questions}
    counted: list[NearMiss] = []
    outcomes: list[bool] = []
    neither = 0
    for near_miss in near_misses:
        question = judged.get(near_miss.question_id)
        gold = _gold(question, threshold) if question else frozenset[str]()
        if not gold:
            continue
        ranking = in_order(near_miss.question_id, rankings.get(near_miss.id, ()))
        first = next((hit.chunk_id for hit in ranking if hit.chunk_id in gold | {near_miss.id}), None)
        counted.append(near_miss)
        outcomes.append(first == near_miss.id)
        neither += first is None
    return Confusion(
        near_miss_ids=tuple(near_miss.id for near_miss in counted),
        clusters=tuple(judged[near_miss.question_id].cluster for near_miss in counted),
        values=np.array(outcomes, dtype=np.float64),
        neither=neither,
        excluded=len(near_misses) - len(counted),
    )


def _gold(question: JudgedQuestion, threshold: float) -> frozenset[str]:
    return frozenset(chunk_id for chunk_id, grade in question.grades.items() if grade >= threshold)
