"""Questions of one origin in figures: how they are put, in which words, and how hard they are."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from numpy.typing import NDArray

from goldgen.app.golden import GoldenSet
from goldgen.app.languages import language_of
from goldgen.evaluation import bootstrap_interval
from goldgen.store import Store
from goldgen.text.forms import Surface, form_of, surface_of
from goldgen.text.leakage import LeakageMeter
from goldgen.types import Origin
from goldgen.verify import GoldenQuestion

WORD_STEPS = (2, 5, 9, 14)
"""The last number of words of each part of the distribution; the last part is open."""
FEATURES: Mapping[str, Callable[[Surface], float]] = {
    "length in words": lambda s: float(np.log1p(s.words)),
    "letters a word": lambda s: s.characters / max(s.words, 1),
    "question mark": lambda s: float(s.question_mark),
    "lower case": lambda s: float(s.lower_case),
    "first person": lambda s: float(s.first_person),
    "question word": lambda s: float(s.way == "question word"),
    "keywords": lambda s: float(s.way == "keywords"),
    "imperative": lambda s: float(s.way == "imperative"),
    "sentence": lambda s: float(s.way == "sentence"),
}
"""What a classifier sees of a question: how it is put, never what it is about."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, or a share, with its 95% interval by bootstrap over the sources of the questions."""

    n: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RankFigures:
    """Where a retriever has the best gold, of the questions that it was measured on."""

    n: int
    median: float | None
    """None: of half of the questions or more, it is not among those looked at."""
    first: Mean
    """Share at rank 1."""
    first_ten: Mean


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """``n`` questions: all but the rejected drafts."""

    n: int
    golden: int
    sources: int
    words: Mean
    words_median: float
    words_shares: Mapping[str, float]
    """Such as "3-5" to the share of questions with so many words."""
    surface: Mapping[str, Mean]
    """How they are put: shares by question word, keywords, imperative, sentence, other; and with a question
    mark, in lower case only, in the first person."""
    forms: Mapping[str, float]
    """Style that rules read off the wording to share; "not told" where none fits."""
    styles: Mapping[str, float]
    """Style that the question was drafted as, to share; empty for those that nobody drafted."""
    languages: Mapping[str, float]
    overlap: Mean | None
    """Share of a question's telling words that its best gold has, by their rarity; of golden questions."""
    ranks: Mapping[str, RankFigures] = field(default_factory=dict[str, RankFigures])
    """By retriever, of those that the set keeps ranks of."""


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """The questions of one origin, and what a classifier sees of them."""

    items: tuple[GoldenQuestion, ...]
    features: NDArray[np.float64]
    """Shape (questions, features)."""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(item.question.text for item in self.items)

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(item.judged.cluster for item in self.items)


def described(golden: GoldenSet, origin: Origin) -> Described:
    """The questions of an origin that are in the set; a draft that was rejected is not."""
    items = tuple(
        item for item in golden.questions if item.question.origin == origin and item.state != "rejected"
    )
    surfaces = [surface_of(item.question.text) for item in items]
    rows = [[see(surface) for see in FEATURES.values()] for surface in surfaces]
    return Described(items, np.array(rows, dtype=np.float64).reshape(len(items), len(FEATURES)))


def figures(found: Described, golden: GoldenSet, store: Store, meter: LeakageMeter) -> QuestionFigures:
    """All figures of one origin, which has at least one question."""
    surfaces = [surface_of(text) for text in found.texts]
    counts = [surface.words for surface in surfaces]
    ways = ("question word", "keywords", "imperative", "sentence", "other")
    surface = {way: [float(s.way == way) for s in surfaces] for way in ways} | {
        "question mark": [float(s.question_mark) for s in surfaces],
        "lower case": [float(s.lower_case) for s in surfaces],
        "first person": [float(s.first_person) for s in surfaces],
    }
    drafted = [item.question.style for item in found.items if item.question.model]
    return QuestionFigures(
        n=len(found.items),
        golden=sum(item.state == "golden" for item in found.items),
        sources=len(set(found.clusters)),
        words=_mean([float(count) for count in counts], found.clusters),
        words_median=float(median(counts)),
        words_shares=_shares([_step(count) for count in counts], [_step(n) for n in (*WORD_STEPS, 10**6)]),
        surface={name: _mean(values, found.clusters) for name, values in surface.items()},
        forms=_shares([form_of(text) or "not told" for text in found.texts]),
        styles=_shares(drafted),
        languages=_shares([language_of(text) for text in found.texts]),
        overlap=_overlap(found, golden, meter),
        ranks=_ranks(found, store),
    )


def _overlap(found: Described, golden: GoldenSet, meter: LeakageMeter) -> Mean | None:
    chunks = {chunk.id: chunk for chunk in golden.chunks}
    values: list[float] = []
    clusters: list[str] = []
    for item in found.items:
        golds = [chunks[chunk_id] for chunk_id in item.gold if chunk_id in chunks]
        if golds:
            values.append(max(meter.overlap(item.question.text, chunk.full_text) for chunk in golds))
            clusters.append(item.judged.cluster)
    return _mean(values, clusters) if values else None


def _ranks(found: Described, store: Store) -> dict[str, RankFigures]:
    clusters = {item.question.id: item.judged.cluster for item in found.items if item.state == "golden"}
    by_retriever: dict[str, list[tuple[int, str]]] = defaultdict(list)
    lowest: dict[str, int] = {}
    for place in store.selections.ranks():
        if place.question_id in clusters:
            rank = place.rank or place.depth + 1
            by_retriever[place.retriever].append((rank, clusters[place.question_id]))
            lowest[place.retriever] = max(place.depth, lowest.get(place.retriever, 0))
    return {
        name: RankFigures(
            len(places),
            middle if (middle := float(median([rank for rank, _ in places]))) <= lowest[name] else None,
            _mean([float(rank == 1) for rank, _ in places], [cluster for _, cluster in places]),
            _mean([float(rank <= 10) for rank, _ in places], [cluster for _, cluster in places]),
        )
        for name, places in sorted(by_retriever.items())
    }


def _mean(values: Sequence[float], clusters: Sequence[str]) -> Mean:
    found = bootstrap_interval(np.array(values, dtype=np.float64), clusters)
    return Mean(len(values), found.mean, found.low, found.high)


def _shares(values: Sequence[str], order: Sequence[str] = ()) -> dict[str, float]:
    """In the given order, else the most frequent first."""
    counts = Counter(values)
    names = order or [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return {name: counts[name] / len(values) for name in names} if values else {}


def _step(count: int) -> str:
    first = 1
    for last in WORD_STEPS:
        if count <= last:
            return f"{first}-{last}"
        first = last + 1
    return f"{first} or more"
