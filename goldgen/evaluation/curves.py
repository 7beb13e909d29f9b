"""Precision and recall over the number of results, and where one retriever lies above another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.errors import SettingsError
from goldgen.evaluation.measures import Measure
from goldgen.evaluation.score import score_run
from goldgen.types import GOLD, JudgedQuestion, Ranking

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Curve:
    """Means over the questions with gold at the cutoffs 1, 2, 3 and on: entry k - 1 is that at k."""

    precision: tuple[float, ...]
    recall: tuple[float, ...]
    ceiling: tuple[float, ...]
    """The best that precision can be on this set: mean of min(R, k) / k."""

    @property
    def cutoffs(self) -> range:
        return range(1, len(self.precision) + 1)


@dataclass(frozen=True, slots=True)
class Dominance:
    """Where curve a lies above curve b, and where below: in precision or in recall."""

    a_ahead: tuple[int, ...]
    """The cutoffs."""
    b_ahead: tuple[int, ...]
    """The cutoffs. One stands in both if a leads in precision and b in recall, or the other way round."""

    @property
    def a_dominates(self) -> bool:
        """At no cutoff behind in either, and ahead at one at least."""
        return bool(self.a_ahead) and not self.b_ahead

    @property
    def b_dominates(self) -> bool:
        """At no cutoff behind in either, and ahead at one at least."""
        return bool(self.b_ahead) and not self.a_ahead


def curve(
    questions: Sequence[JudgedQuestion],
    run: Mapping[str, Ranking],
    *,
    deepest: int = 20,
    threshold: float = GOLD,
) -> Curve:
    """Precision and recall of a run at every cutoff from 1 to ``deepest``, with the ceiling.

    Takes and raises what ``score_run`` does.
    """
    cutoffs = range(1, deepest + 1)
    precision = [Measure("P", k) for k in cutoffs]
    recall = [Measure("R", k) for k in cutoffs]
    scores = score_run(questions, run, [*precision, *recall], threshold=threshold)
    return Curve(
        precision=tuple(map(scores.mean, precision)),
        recall=tuple(map(scores.mean, recall)),
        ceiling=tuple(scores.ceilings[measure] for measure in precision),
    )


def dominance(a: Curve, b: Curve) -> Dominance:
    """Where each of two curves over the same questions leads, cutoff by cutoff.

    Of means only: whether a lead is more than chance, ``compare`` tells. Raises SettingsError for curves of
    different sets or lengths.
    """
    if a.ceiling != b.ceiling:
        raise SettingsError(
            f"the curves are of different sets or lengths ({len(a.ceiling)} and {len(b.ceiling)} cutoffs); "
            "draw both on the same set"
        )
    return Dominance(_ahead(a, b), _ahead(b, a))


def _ahead(a: Curve, b: Curve) -> tuple[int, ...]:
    return tuple(
        k
        for k in a.cutoffs
        if a.precision[k - 1] > b.precision[k - 1] + _ROUNDING
        or a.recall[k - 1] > b.recall[k - 1] + _ROUNDING
    )
