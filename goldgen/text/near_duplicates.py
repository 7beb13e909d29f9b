"""Questions that ask the same in nearly the same words, found by embedding and words together."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import regex
from numpy.typing import NDArray

from goldgen.text.question_likeness import MOST_OTHER_WORDS, FoundBy, found_alike
from goldgen.text.question_meaning import meaning
from goldgen.text.question_words import LANGUAGES
from goldgen.text.words import words
from goldgen.types import Vectors

COSINE_FLOOR = 0.75
"""Below it two questions are not looked at."""
_ROWS, _COLUMNS = 512, 8192
"""Of a block of cosines: 16 MB at a time, whatever the number of questions."""
_COMMON_SHARE = 0.3
_ENOUGH_TO_COUNT = 20
"""Questions below which no word is common."""
_RAREST = MOST_OTHER_WORDS + 1
"""So many of the rarest words of each: of two questions that are one, one such word stands in both."""
_SMALL = 16
"""Questions that share a word, up to which each is held against each before any is embedded."""
_CACHED = 16_384
_HAN, _KANA = regex.compile(r"\p{Han}"), regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_CHINESE = "zh"

Flags = NDArray[np.bool_]
LanguageOf = Callable[[str], str]
"""A text to its ISO 639-1 code, or to something else where it is not clear."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A question (by its place in the sequence) that is the same as one before it."""

    other: int
    kept: int
    found_by: FoundBy
    """"words": the same ones; "embedding": a few differ and mean the same."""
    similarity: float
    """Cosine."""


class NearDuplicates:
    """Compares questions of one set. ``texts``: all of them, among which frequent words are counted."""

    def __init__(self, texts: Sequence[str], language_of: LanguageOf) -> None:
        self._texts = texts
        self._told = [_language(text, language_of(text)) for text in texts]
        self._read = lru_cache(maxsize=_CACHED)(meaning)
        names = [self._names(at) for at in range(len(texts))]
        counts = Counter(name for found in names for name in frozenset[str]().union(*found))
        enough = len(texts) >= _ENOUGH_TO_COUNT
        self._common = {n for n, count in counts.items() if enough and count >= _COMMON_SHARE * len(texts)}
        self._possible = tuple(sorted(self._with_partners(_sharing(names, counts, self._common))))

    @property
    def possible(self) -> tuple[int, ...]:
        """The questions that words allow to be the same as another: only these need vectors."""
        return self._possible

    def found_by(self, first: int, second: int, cosine: float) -> FoundBy | None:
        """How the two are one question; None if they are not."""
        one, other = self._told[first], self._told[second]
        if one != other and "" not in (one, other):
            return None
        language = one or other or "en"
        ours, theirs = (self._read(self._texts[at], language) for at in (first, second))
        return found_alike(ours, theirs, cosine, self._common, clear=bool(one or other))

    def stars(
        self, vectors: Vectors, may_join: Callable[[Sequence[int], int], bool] | None = None
    ) -> Iterator[Likeness]:
        """Each question that is the same as an earlier one, with the first such that is kept itself.

        So every member of a group is like the kept one directly, and no chain joins what is not alike. The
        earlier a question stands, the sooner it is kept. ``vectors``: unit rows, one for each of ``possible``
        in that order. ``may_join(group, question)``: whether nothing forbids that the question joins the
        group, the kept one first.
        """
        groups: dict[int, list[int]] = {}
        taken = np.zeros(len(self._possible), dtype=bool)
        for row, column, cosine in _close_pairs(vectors, taken):
            if taken[row] or taken[column]:
                continue
            kept, other = self._possible[row], self._possible[column]
            group = groups.get(kept, [kept])
            found_by = self.found_by(kept, other, cosine)
            if found_by is None or not (may_join is None or may_join(group, other)):
                continue
            taken[column] = True
            groups[kept] = [*group, other]
            yield Likeness(other, kept, found_by, cosine)

    def _with_partners(self, sharing: Iterable[Sequence[int]]) -> set[int]:
        found: set[int] = set()
        for group in sharing:
            if len(group) > _SMALL:
                found.update(group)
                continue
            for first, second in combinations(group, 2):
                if not {first, second} <= found and self.found_by(first, second, 1.0):
                    found.update((first, second))
        return found

    def _names(self, at: int) -> list[frozenset[str]]:
        """The question's words, as those of any language that it may be compared in tell them."""
        language = self._told[at]
        return [self._read(self._texts[at], each).names for each in ([language] if language else LANGUAGES)]


def _close_pairs(vectors: Vectors, taken: Flags) -> Iterator[tuple[int, int, float]]:
    """Row, later column and cosine of pairs above the floor, in this order. ``taken`` is read before each
    block of rows."""
    for top in range(0, len(vectors), _ROWS):
        found: list[tuple[int, int, float]] = []
        rows = np.flatnonzero(~taken[top : top + _ROWS]) + top
        for left in range(top, len(vectors), _COLUMNS):
            columns = np.flatnonzero(~taken[left : left + _COLUMNS]) + left
            cosines = vectors[rows] @ vectors[columns].T
            for at, to in np.argwhere(cosines >= COSINE_FLOOR).tolist():
                if rows[at] < columns[to]:
                    found.append((int(rows[at]), int(columns[to]), float(cosines[at, to])))
        yield from sorted(found)


def _sharing(
    names: Sequence[Sequence[frozenset[str]]], counts: Counter[str], common: Set[str]
) -> Iterable[list[int]]:
    """Groups of questions that have one of their rarest words in common; two that are one stand in one."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for at, readings in enumerate(names):
        rarest: set[str] = set()
        for reading in readings:
            ordered = sorted(reading - common, key=lambda name: (counts[name], name))
            # One that has common words only may be the same as any other such.
            rarest.update(ordered[:_RAREST] or [""])
        for name in rarest:
            sharing[name].append(at)
    return sharing.values()


def _language(text: str, told: str) -> str:
    """The code that was told or, for Chinese with Latin names and for short texts, what the words tell."""
    if _HAN.search(text) and not _KANA.search(text):
        return _CHINESE
    if len(told) == len(_CHINESE):
        return told
    found = set(words(text))
    known = [
        code for code, it in LANGUAGES.items() if found & (it.asking.keys() | it.openers | it.modals.keys())
    ]
    return known[0] if len(known) == 1 else ""
