"""Questions that a retriever loses, to another or with all: what came instead, and why."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Literal

from goldgen.evaluation.ordering import in_order
from goldgen.types import GOLD, JudgedQuestion, Ranking

if TYPE_CHECKING:
    from goldgen.evaluation.report import QuestionOutcome

HitKind = Literal["gold", "near miss", "irrelevant", "unjudged"]
"""What a hit is: "near miss" has a grade above 0 that is not gold, "unjudged" none."""
Cause = Literal["beyond k", "never retrieved"]
_SHOWN = 3
_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Instead:
    """One of the first hits of a retriever that has no gold in its first k."""

    chunk_id: str
    rank: int
    score: float
    """Finite: for an infinite one the largest that there is."""
    kind: HitKind
    """Gold only where k is less than the number of hits shown."""
    grade: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A question without gold in a retriever's first k results."""

    question_id: str
    lost_by: str
    won_by: tuple[str, ...]
    """Retrievers with gold in their first k, the best rank first; empty if no retriever has any there."""
    cause: Cause
    rank: int | None
    """Of the best gold in the losing retriever; None if it was never retrieved."""
    instead: tuple[Instead, ...]
    """The first hits of the losing retriever, three at most."""


def failures(
    outcomes: Sequence["QuestionOutcome"],
    runs: Mapping[str, Mapping[str, Ranking]],
    questions: Sequence[JudgedQuestion],
    *,
    k: int = 10,
    threshold: float = GOLD,
) -> tuple[Failure, ...]:
    """The questions that a retriever of ``runs`` (retriever to question id to ranking) loses.

    The retrievers take turns, so that a weak one does not fill the first places. Each gives first what tells
    most, and so does each turn: the largest difference in reciprocal rank to the best winner,
    which is 1 for a question that was never retrieved and that the winner has at rank 1. Of equals those
    that more retrievers win come first, then in the order given. What nobody wins comes last, the latest
    gold and then what was never retrieved at the very end.
    """
    lines = [sorted(_losses(outcomes, name, tuple(runs), k), key=_most_telling) for name in runs]
    turns = (sorted(filter(None, turn), key=_most_telling) for turn in zip_longest(*lines))
    grades = {question.question_id: question.grades for question in questions}
    return tuple(
        Failure(
            question_id=loss.question_id,
            lost_by=loss.lost_by,
            won_by=tuple(loss.won),
            cause="never retrieved" if loss.rank is None else "beyond k",
            rank=loss.rank,
            instead=_first_hits(
                in_order(loss.question_id, runs[loss.lost_by].get(loss.question_id, ())),
                grades[loss.question_id],
                threshold,
            ),
        )
        for loss in chain.from_iterable(turns)
    )


def never_found(outcomes: Sequence["QuestionOutcome"], *, k: int = 10) -> tuple[str, ...]:
    """Ids of the questions for which no retriever has gold in its first k, in the order given."""
    return tuple(
        outcome.question_id for outcome in outcomes if not _winners(outcome, tuple(outcome.first_gold), k)
    )


@dataclass(frozen=True, slots=True)
class _Loss:
    question_id: str
    lost_by: str
    rank: int | None
    won: Mapping[str, int]
    """Retriever to its rank, the best first."""


def _losses(
    outcomes: Sequence["QuestionOutcome"], retriever: str, retrievers: Sequence[str], k: int
) -> Iterator[_Loss]:
    for outcome in outcomes:
        won = _winners(outcome, retrievers, k)
        if retriever not in won:
            yield _Loss(outcome.question_id, retriever, outcome.first_gold[retriever], won)


def _winners(outcome: "QuestionOutcome", retrievers: Sequence[str], k: int) -> dict[str, int]:
    """Those with gold in their first k, to its rank, the best first."""
    ranks = {
        name: rank for name in retrievers if (rank := outcome.first_gold[name]) is not None and rank <= k
    }
    return {name: ranks[name] for name in sorted(ranks, key=ranks.__getitem__)}


def _most_telling(loss: _Loss) -> tuple[float, int]:
    """What nobody wins gives away less than nothing."""
    if not loss.won:
        return 1 - (1 / loss.rank if loss.rank else 0), 0
    given_away = 1 / min(loss.won.values()) - (1 / loss.rank if loss.rank else 0)
    return -given_away, -len(loss.won)


def _first_hits(ranking: Ranking, grades: Mapping[str, float], threshold: float) -> tuple[Instead, ...]:
    return tuple(
        Instead(hit.chunk_id, rank, _finite(hit.score), hit_kind(grade, threshold), grade)
        for rank, hit in enumerate(ranking[:_SHOWN], 1)
        for grade in (grades.get(hit.chunk_id),)
    )


def _finite(score: float) -> float:
    """JSON has no infinity."""
    return max(-_LARGEST, min(score, _LARGEST))


def hit_kind(grade: float | None, threshold: float) -> HitKind:
    """What a hit of this grade is where gold begins at ``threshold``."""
    if grade is None:
        return "unjudged"
    if grade >= threshold:
        return "gold"
    return "near miss" if grade > 0 else "irrelevant"
