"""Where a retriever is weak: its mean over kinds of questions, the worst first."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldgen.errors import SettingsError
from goldgen.evaluation.resampling import bootstrap_interval
from goldgen.types import Scores

if TYPE_CHECKING:
    from goldgen.evaluation.report import QuestionOutcome


@dataclass(frozen=True, slots=True)
class Slice:
    """The questions that share a trait, by one retriever."""

    retriever: str
    trait: str
    """Such as "style"."""
    value: str
    """Such as "procedure"."""
    questions: int
    clusters: int
    mean: float
    """Of the measure that the slices were made for."""
    low: float
    high: float
    """The 95% interval, bootstrap over clusters; over questions where all are of one cluster."""
    rest: float | None
    """The mean of all other questions; None if there are none."""


def slices(
    outcomes: Sequence["QuestionOutcome"], retrievers: Sequence[str], measure: str, *, fewest: int = 5
) -> tuple[Slice, ...]:
    """One slice for each retriever and each value of a trait that at least ``fewest`` questions have, and not
    all.

    The worst first, whichever retriever it is of: by how far the mean lies below that of the other questions;
    of equals the larger slice. A question without the trait is one of the others.
    Raises SettingsError if ``measure`` was not scored.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, outcome in enumerate(outcomes):
        for trait, value in outcome.traits.items():
            places[trait, value].append(place)
    told = {key: rows for key, rows in places.items() if fewest <= len(rows) < len(outcomes)}
    clusters = [outcome.cluster for outcome in outcomes]
    found: list[Slice] = []
    for retriever in retrievers:
        values = _values(outcomes, retriever, measure)
        found.extend(_slice(retriever, *key, values, clusters, rows) for key, rows in told.items())
    return tuple(sorted(found, key=_worst_first))


def _values(outcomes: Sequence["QuestionOutcome"], retriever: str, measure: str) -> Scores:
    try:
        return np.array([outcome.values[retriever][measure] for outcome in outcomes], dtype=np.float64)
    except KeyError as error:
        raise SettingsError(
            f"no slices of {retriever} by {measure}, which was not scored; name a measure of the report"
        ) from error


def _slice(
    retriever: str, trait: str, value: str, values: Scores, clusters: Sequence[str], rows: Sequence[int]
) -> Slice:
    own = [clusters[row] for row in rows]
    count = len(set(own))
    # Drawing one cluster again and again gives the same mean, an interval of no width. What is said of a
    # single document is said of it alone, so there its questions are the sample.
    units = own if count > 1 else list(map(str, rows))
    interval = bootstrap_interval(values[rows], units)
    rest = float(np.delete(values, rows).mean())
    return Slice(retriever, trait, value, len(rows), count, interval.mean, interval.low, interval.high, rest)


def _worst_first(found: Slice) -> tuple[float, int]:
    return found.mean - (found.mean if found.rest is None else found.rest), -found.questions
