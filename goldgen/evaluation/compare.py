"""Runs compared in one measure: how much one leads another, and whether chance alone would do that."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from goldgen.errors import SettingsError
from goldgen.evaluation.measures import Measure
from goldgen.evaluation.power import DELTA, QuestionsNeeded, effect_size, questions_needed
from goldgen.evaluation.resampling import FEW_CLUSTERS, bootstrap_interval, holm, randomisation_p
from goldgen.evaluation.score import RunScores
from goldgen.types import Scores


@dataclass(frozen=True, slots=True)
class Difference:
    """What run b has over run a in the mean of one measure: b minus a, with interval and p-value."""

    mean: float
    low: float
    high: float
    p: float
    """Two-sided: how often chance alone would give a difference at least as large."""
    clusters: int
    effect: float | None
    """The mean by the standard deviation of the differences (d_z); None if they are all equal and not 0."""
    needed: QuestionsNeeded | None
    """For the stated delta; None if the differences have no spread to reckon from."""

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters to trust interval and p-value."""
        return self.clusters < FEW_CLUSTERS


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of several runs, by name."""

    a: str
    b: str
    difference: Difference
    """b minus a."""
    p_holm: float
    """The p-value adjusted for all pairs."""


def paired_differences(a: RunScores, b: RunScores, measure: Measure) -> Scores:
    """b minus a, question by question in the order of ``b.question_ids``, shape (questions,).

    Raises SettingsError if the runs were not scored on the same questions or not in this measure.
    """
    rows_of_a = {question_id: row for row, question_id in enumerate(a.question_ids)}
    if rows_of_a.keys() != set(b.question_ids) or a.threshold != b.threshold:
        raise SettingsError(
            f"the runs were scored on different questions or thresholds ({len(a.question_ids)} questions "
            f"from grade {a.threshold:g}, {len(b.question_ids)} from {b.threshold:g}); "
            "score both on the same set"
        )
    return b.of(measure) - a.of(measure)[[rows_of_a[question_id] for question_id in b.question_ids]]


def compare(
    a: RunScores,
    b: RunScores,
    measure: Measure,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    permutations: int = 10_000,
    delta: float = DELTA,
    comparisons: int = 1,
    seed: int = 0,
) -> Difference:
    """The paired difference b minus a: cluster bootstrap interval, Fisher randomisation p-value, effect size,
    and the questions that would show a difference of ``delta`` with power 0.8 at alpha 1 - ``level``,
    shared among ``comparisons``, as by the first step of Holm.

    Raises SettingsError if the runs were not scored on the same questions or not in this measure.
    """
    differences = paired_differences(a, b, measure)
    interval = bootstrap_interval(differences, b.clusters, level=level, resamples=resamples, seed=seed)
    return Difference(
        interval.mean,
        interval.low,
        interval.high,
        randomisation_p(differences, b.clusters, permutations=permutations, seed=seed),
        interval.clusters,
        effect_size(differences),
        questions_needed(differences, b.clusters, delta=delta, alpha=(1 - level) / comparisons),
    )


def compare_all(
    runs: Mapping[str, RunScores], measure: Measure, *, delta: float = DELTA, seed: int = 0
) -> tuple[Pair, ...]:
    """Every pair of the named runs in one measure, in their order, with p-values adjusted by Holm.

    Raises SettingsError as ``compare`` does.
    """
    names = list(combinations(runs, 2))
    found = [
        compare(runs[a], runs[b], measure, delta=delta, comparisons=len(names), seed=seed) for a, b in names
    ]
    adjusted = holm([difference.p for difference in found])
    return tuple(Pair(a, b, d, p) for (a, b), d, p in zip(names, found, adjusted, strict=True))
