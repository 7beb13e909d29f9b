"""Whether a question says too little to tell its text from many others."""

from array import array
from collections import defaultdict
from collections.abc import Iterable

from goldgen.text.words import stems, telling_stems

_FEW = 20
_SHARE = 0.02
"""Of the texts; the question may fit so many, or ``_FEW``, whichever is more."""
_COMMON = 0.3
"""Of the texts: a word in more narrows nothing."""
_MOST_WORDS = 4
"""A question of more words that narrow it says enough, be it in words that its text does not use."""


class Generality:
    """Holds questions against all texts of a corpus. Memory: 4 bytes for each text that a word stands in."""

    def __init__(self, texts: Iterable[str]) -> None:
        """``texts`` are read once, one at a time."""
        self._places: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._texts = 0
        for text in texts:
            for stem in stems(text):
                self._places[stem].append(self._texts)
            self._texts += 1

    def is_too_general(self, question: str, text: str) -> bool:
        """Whether many texts have all the words that the question shares with ``text``, and the question has
        few others: "How do I change the settings of a cluster?" where a hundred texts have these words."""
        asked = telling_stems(question)
        narrowing = [stem for stem in asked if self._count(stem) <= _COMMON * self._texts]
        if len(narrowing) > _MOST_WORDS:
            return False
        return self.alike(question, text) > max(_FEW, _SHARE * self._texts)

    def alike(self, question: str, text: str) -> int:
        """How many texts have all the words that the question shares with ``text``."""
        shared = sorted(telling_stems(question) & stems(text), key=self._count)
        if not shared:
            return self._texts
        found = set(self._places.get(shared[0], ()))
        for stem in shared[1:]:
            found.intersection_update(self._places.get(stem, ()))
        return len(found)

    def _count(self, stem: str) -> int:
        return len(self._places.get(stem, ()))
