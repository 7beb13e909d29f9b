"""How much a question takes over from the text that answers it.

A question that copies its text flatters lexical search: the same retrievers come in another order on it than
on what people ask.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import log
from statistics import fmean

from goldgen.text.deixis import points_away
from goldgen.text.quotes import says_something, states
from goldgen.text.words import STEM, stems, telling_stems, words

_SHORTEST_RUN = 3
"""Words in a row below which nothing counts as copied: names and set phrases have no other words."""


@dataclass(frozen=True, slots=True)
class Leakage:
    """Of one question and one text. Shares lie between 0 and 1."""

    overlap: float
    """The share of the question's telling words that the text or its headings have, by their IDF weight."""
    heading: float
    """The same against the headings alone."""
    copied: float
    """The longest run of words that stands in the text as it stands in the question, as a share of the
    question's words; 0 for a run of fewer than three."""
    answer_inside: bool
    """Whether the question states the answer."""
    points_away: bool
    """Whether it needs a text beside it to be understood: "according to this section"."""


@dataclass(frozen=True, slots=True)
class LeakageMeans:
    """Of several questions: the means of ``Leakage``, and the shares of those of which something is true."""

    questions: int
    overlap: float
    heading: float
    copied: float
    answer_inside: float | None
    """Of the questions that came with an answer; None if none did."""
    points_away: float

    @classmethod
    def of(cls, found: Sequence[Leakage], answered: Sequence[bool]) -> "LeakageMeans":
        """``found``: one or more; ``answered``: whether each came with an answer."""
        inside = [one.answer_inside for one, has_answer in zip(found, answered, strict=True) if has_answer]
        return cls(
            len(found),
            fmean(one.overlap for one in found),
            fmean(one.heading for one in found),
            fmean(one.copied for one in found),
            fmean(inside) if inside else None,
            fmean(one.points_away for one in found),
        )

    @property
    def in_words(self) -> str:
        """On one line, for a terminal."""
        inside = "" if self.answer_inside is None else f", answer inside {self.answer_inside:.0%}"
        return (
            f"shares {self.overlap:.0%} of its words with the gold, {self.heading:.0%} with its headings, "
            f"{self.copied:.0%} copied in a row{inside}, points away {self.points_away:.0%} "
            f"(n={self.questions})"
        )


class LeakageMeter:
    """Measures questions against texts of one corpus, in which it counts how rare words are.

    The inverse document frequency is that of BM25, log(1 + (n - df + 0.5) / (df + 0.5)), of word beginnings,
    as ``shared_stems`` compares them.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """``texts`` are read once, one at a time."""
        self._frequencies: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._texts += 1
            self._frequencies.update(stems(text))

    def measure(self, question: str, answer: str, text: str, context: str = "") -> Leakage:
        """``context``: the headings above ``text``. An empty ``answer`` is in no question."""
        return Leakage(
            overlap=self.overlap(question, text, context),
            heading=self.overlap(question, "", context),
            copied=_copied(words(question), words(f"{context}\n{text}")),
            answer_inside=says_something(answer) and states(question, answer),
            points_away=points_away(question),
        )

    def overlap(self, question: str, text: str, context: str = "") -> float:
        """That of ``Leakage`` alone, which is the cheapest part of it."""
        return self._share(telling_stems(question), stems(text) | stems(context))

    def rarity(self, word: str) -> float:
        """Its inverse document frequency: 0.7 in half of the texts, more in fewer."""
        return self._idf(word[:STEM])

    def _share(self, asked: set[str], found: set[str]) -> float:
        # Sorted, for the sum of floats depends on its order, and that of a set on the process.
        whole = sum(map(self._idf, sorted(asked)))
        return sum(map(self._idf, sorted(asked & found))) / whole if whole else 0.0

    def _idf(self, stem: str) -> float:
        frequency = self._frequencies[stem]
        return log(1 + (self._texts - frequency + 0.5) / (frequency + 0.5))


def _copied(asked: Sequence[str], text: Sequence[str]) -> float:
    if not asked:
        return 0.0
    matcher = SequenceMatcher(None, text, asked, autojunk=False)
    size = matcher.find_longest_match().size
    return size / len(asked) if size >= min(_SHORTEST_RUN, len(asked)) and size > 1 else 0.0
