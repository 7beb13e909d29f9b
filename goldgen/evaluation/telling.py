"""How well a simple classifier tells two kinds of items apart by numbers that describe them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST = 10
"""Items of each kind below which nothing is learnt."""
_FOLDS = 5
_REPEATS = 5
_RIDGE = 1.0
_STEPS = 50
_CLOSE = 1e-8
_RESAMPLES = 2000
_TAILS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Telling:
    """``area`` is the chance that an unseen item of the second kind scores above one of the first: 0.5 if
    they are alike, 1 if they can always be told apart."""

    area: float
    low: float
    high: float
    """95% interval, by bootstrap over the sources of the items."""
    weights: tuple[float, ...]
    """Of each feature, in standard deviations, learnt from all items: positive speaks for the second kind."""


def telling_apart(
    features: NDArray[np.float64], second: Sequence[bool], clusters: Sequence[str], *, seed: int = 0
) -> Telling | None:
    """Logistic regression with a ridge penalty, cross-validated; None with fewer than ten items of a kind.

    ``features`` has shape (items, features), ``second`` tells which items are of the second kind. Items of
    one cluster are never on both sides of a split; five splits into five parts, each item's score their mean.
    The area under the ROC curve is that of Mann and Whitney, ties half.
    """
    labels = np.array(second, dtype=np.float64)
    if min(labels.sum(), len(labels) - labels.sum()) < FEWEST:
        return None
    generator = np.random.default_rng(seed)
    scores = np.zeros(len(labels))
    for _ in range(_REPEATS):
        folds = _folds(labels, clusters, generator)
        for fold in range(_FOLDS):
            held = folds == fold
            model = _Logistic.fitted(features[~held], labels[~held])
            scores[held] += model.scores(features[held]) / _REPEATS
    low, high = _interval(scores, labels, clusters, generator)
    weights = _Logistic.fitted(features, labels).weights[1:]
    return Telling(_area(scores, labels), low, high, tuple(weights.tolist()))


def _folds(
    labels: NDArray[np.float64], clusters: Sequence[str], generator: np.random.Generator
) -> NDArray[np.int64]:
    """The part of each item: whole clusters, each kind spread evenly as far as these allow."""
    names = list(dict.fromkeys(clusters))
    members: dict[str, list[int]] = {name: [] for name in names}
    for item, cluster in enumerate(clusters):
        members[cluster].append(item)
    places: list[int] = generator.permutation(len(names)).tolist()
    order = [names[place] for place in places]
    order.sort(key=lambda name: -len(members[name]))
    filled = np.zeros((_FOLDS, 2))
    totals = np.array([len(labels) - labels.sum(), labels.sum()])
    folds = np.zeros(len(labels), dtype=np.int64)
    for name in order:
        ones = float(labels[members[name]].sum())
        of_kind = np.array([len(members[name]) - ones, ones])
        fold = int(np.argmin(((filled + of_kind) / totals).max(axis=1) + (filled / totals).sum(axis=1)))
        filled[fold] += of_kind
        folds[members[name]] = fold
    return folds


@dataclass(frozen=True, slots=True, eq=False)
class _Logistic:
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    """The constant first; of standardised features."""

    @classmethod
    def fitted(cls, features: NDArray[np.float64], labels: NDArray[np.float64]) -> "_Logistic":
        """Newton's method; each kind weighs the same, whatever its number."""
        centre, spread = features.mean(axis=0), features.std(axis=0)
        spread[spread == 0] = 1.0
        design: NDArray[np.float64] = np.column_stack([np.ones(len(features)), (features - centre) / spread])
        size = 1 + len(centre)
        share = float(labels.mean())
        if share in (0.0, 1.0):
            return cls(centre, spread, np.zeros(size))
        each: NDArray[np.float64] = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))
        penalty = np.full(size, _RIDGE)
        penalty[0] = 0.0
        weights: NDArray[np.float64] = np.zeros(size)
        for _ in range(_STEPS):
            chance = _logistic(design @ weights)
            gradient = design.T @ (each * (labels - chance)) - penalty * weights
            bend = (design.T * (each * chance * (1 - chance))) @ design + np.diag(penalty + 1e-9)
            step = np.linalg.solve(bend, gradient).astype(np.float64)
            weights = weights + step
            if float(np.abs(step).max()) < _CLOSE:
                break
        return cls(centre, spread, weights)

    def scores(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        return _logistic(self.weights[0] + ((features - self.centre) / self.spread) @ self.weights[1:])


def _logistic(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(value, -35, 35)))


def _area(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> float:
    ones, zeros = scores[labels == 1], np.sort(scores[labels == 0])
    below = np.searchsorted(zeros, ones, "left") + np.searchsorted(zeros, ones, "right")
    return float(below.mean()) / 2 / len(zeros)


def _interval(
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    clusters: Sequence[str],
    generator: np.random.Generator,
) -> tuple[float, float]:
    groups = [_members(labels == kind, clusters) for kind in (0, 1)]
    areas: list[float] = []
    for _ in range(_RESAMPLES):
        drawn = [item for found in groups for members in _drawn(found, generator) for item in members]
        areas.append(_area(scores[drawn], labels[drawn]))
    low, high = np.quantile(areas, _TAILS)
    return float(low), float(high)


def _drawn(groups: list[list[int]], generator: np.random.Generator) -> list[list[int]]:
    places: list[int] = generator.integers(0, len(groups), len(groups)).tolist()
    return [groups[place] for place in places]


def _members(chosen: NDArray[np.bool_], clusters: Sequence[str]) -> list[list[int]]:
    """The chosen items of each cluster that has any."""
    found: dict[str, list[int]] = {}
    for item, (is_chosen, cluster) in enumerate(zip(chosen.tolist(), clusters, strict=True)):
        if is_chosen:
            found.setdefault(cluster, []).append(item)
    return list(found.values())
