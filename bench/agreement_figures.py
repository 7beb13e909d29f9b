"""How far two sets of questions rank the same retrievers alike, for agreement.py."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goldgen.evaluation import Measure, compare_all
from goldgen.evaluation.score import RunScores

NDCG, RECALL = Measure("nDCG", 10), Measure("R", 10)
_FEW_CLUSTERS = 20
_DRAWS = 1000
_SPLITS = 200
_LEVEL = (2.5, 97.5)

Values = NDArray[np.float64]
Tau = Callable[[Values, Values], float]


@dataclass(frozen=True, slots=True)
class Scored:
    """One set of questions, scored for each retriever."""

    names: tuple[str, ...]
    values: Mapping[str, Values]
    """Measure to values of shape (retrievers, questions)."""
    units: NDArray[np.int64]
    """What is drawn together: number of the question's source, or of the question where sources are few."""
    runs: Mapping[str, RunScores]

    @classmethod
    def of(cls, runs: Mapping[str, RunScores]) -> "Scored":
        first = next(iter(runs.values()))
        sources = list(dict.fromkeys(first.clusters))
        numbers = [sources.index(cluster) for cluster in first.clusters]
        units = numbers if len(sources) >= _FEW_CLUSTERS else range(len(first.clusters))
        values = {str(m): np.stack([run.of(m) for run in runs.values()]) for m in (NDCG, RECALL)}
        return cls(tuple(runs), values, np.array(units, dtype=np.int64), runs)

    @property
    def questions(self) -> int:
        return len(self.units)

    def only(self, names: Sequence[str]) -> "Scored":
        rows = [self.names.index(name) for name in names]
        values = {key: found[rows] for key, found in self.values.items()}
        return Scored(tuple(names), values, self.units, {name: self.runs[name] for name in names})

    def means(self, measure: str = str(NDCG), weights: Values | None = None) -> Values:
        """By retriever; ``weights``: of the questions."""
        return np.average(self.values[measure], axis=1, weights=weights)

    def drawn(self, rng: np.random.Generator) -> Values:
        """Weights of the questions in one bootstrap sample of their units."""
        count = int(self.units.max()) + 1
        return np.bincount(rng.integers(0, count, count), minlength=count)[self.units].astype(np.float64)


@dataclass(frozen=True, slots=True)
class Interval:
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of retrievers that people's set tells apart (Holm, 5%)."""

    significant: int
    alike: int
    """In the same order by the other set's means."""
    alike_significant: int
    reversed_significant: int


@dataclass(frozen=True, slots=True)
class Agreement:
    questions: int
    tau: Interval
    tau_ap: Interval
    tau_recall: Interval
    tau_all: float
    """With the retrievers that were made worse on purpose."""
    gap: float
    """The mean over retrievers of nDCG@10 on the set less that on people's."""
    gap_spread: float
    """The largest such difference less the smallest: how much the set favours one retriever over another."""
    pairs: Pairs
    reachable: float
    """tau of so many questions of people's against the rest of theirs, mean of random draws: what a set of
    this size could reach if people had written it. NaN where people's set is too small for that."""


def tau_b(reference: Values, other: Values) -> float:
    """Kendall's tau-b (1945); 0 where one of them knows no order.

    >>> tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.3333333333333333
    >>> round(tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 2.0])), 4)
    0.8165
    """
    signs = [np.sign(values[:, None] - values[None, :]) for values in (reference, other)]
    # Each pair stands there twice, and so in the root.
    root = np.sqrt(np.abs(signs[0]).sum() * np.abs(signs[1]).sum())
    return float((signs[0] * signs[1]).sum() / root) if root else 0.0


def tau_ap(reference: Values, other: Values) -> float:
    """Yilmaz, Aslam and Robertson, SIGIR 2008: mistakes at the top of ``other``'s order weigh more.

    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0
    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]))
    0.0
    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.5
    """
    order = np.argsort(-other, kind="stable")
    shares = [float((reference[order[:i]] > reference[order[i]]).mean()) for i in range(1, len(order))]
    return 2 * float(np.mean(shares)) - 1


def agreement(people: Scored, found: Scored, degraded: frozenset[str], seed: int = 0) -> Agreement:
    names = [name for name in people.names if name not in degraded]
    ours, theirs = found.only(names), people.only(names)
    gaps = ours.means() - theirs.means()
    rng = np.random.default_rng(seed)
    return Agreement(
        questions=found.questions,
        tau=_interval(theirs, ours, tau_b, str(NDCG), rng),
        tau_ap=_interval(theirs, ours, tau_ap, str(NDCG), rng),
        tau_recall=_interval(theirs, ours, tau_b, str(RECALL), rng),
        tau_all=tau_b(people.means(), found.means()),
        gap=float(gaps.mean()),
        gap_spread=float(gaps.max() - gaps.min()),
        pairs=_pairs(theirs, ours),
        reachable=split_tau(theirs, found.questions, rng),
    )


def _interval(theirs: Scored, ours: Scored, tau: Tau, measure: str, rng: np.random.Generator) -> Interval:
    drawn = [
        tau(theirs.means(measure, theirs.drawn(rng)), ours.means(measure, ours.drawn(rng)))
        for _ in range(_DRAWS)
    ]
    low, high = np.percentile(drawn, _LEVEL)
    return Interval(tau(theirs.means(measure), ours.means(measure)), float(low), float(high))


def _pairs(theirs: Scored, ours: Scored) -> Pairs:
    told = [pair for pair in compare_all(theirs.runs, NDCG) if pair.p_holm < 0.05]
    by_names = {(pair.a, pair.b): pair for pair in compare_all(ours.runs, NDCG)}
    same = [(pair, by_names[pair.a, pair.b]) for pair in told]
    alike = [(a, b) for a, b in same if a.difference.mean * b.difference.mean > 0]
    told_too = sum(b.p_holm < 0.05 for _, b in alike)
    against = sum(b.p_holm < 0.05 for a, b in same if a.difference.mean * b.difference.mean < 0)
    return Pairs(len(told), len(alike), told_too, against)


def split_tau(people: Scored, size: int, rng: np.random.Generator) -> float:
    """Mean tau of ``size`` of people's questions, drawn by units, against the others."""
    if size > people.questions / 2 + 1:
        return float("nan")
    found: list[float] = []
    for _ in range(_SPLITS):
        units = rng.permutation(int(people.units.max()) + 1)
        ranks = np.empty(len(units), dtype=np.int64)
        ranks[units] = np.arange(len(units))
        order = np.argsort(ranks[people.units], kind="stable")
        inside = np.zeros(people.questions)
        inside[order[:size]] = 1.0
        found.append(tau_b(people.means(weights=1.0 - inside), people.means(weights=inside)))
    return float(np.mean(found))


def ceiling(people: Scored, degraded: frozenset[str], seed: int = 0) -> float:
    """Mean tau of one half of people's questions against the other."""
    names = [name for name in people.names if name not in degraded]
    return split_tau(people.only(names), people.questions // 2, np.random.default_rng(seed))


def significant_pairs(scored: Scored) -> int:
    return sum(pair.p_holm < 0.05 for pair in compare_all(scored.runs, NDCG))


def count_pairs(names: Sequence[str]) -> int:
    return len(list(combinations(names, 2)))
