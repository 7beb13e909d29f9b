"""Late interaction in which the rare words of a question count more."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log

import numpy as np

from goldgen.models.encoders import LateInteractionScorer
from goldgen.models.scoring import Lengths
from goldgen.types import Scores

_COUNTED = 20_000
"""Texts at most in which word pieces are counted."""
_BLOCK = 512


class IdfLateInteractionScorer:
    """Implements ``PairScorer``: late interaction, each word piece of the question weighed by its IDF.

    The inverse document frequency is that of BM25, log(1 + (n - df + 0.5) / (df + 0.5)), counted in
    ``texts``, the corpus that is searched; in ``most`` of them at most, taken evenly, if they are more.
    Nothing is trained, and no label is needed.
    """

    def __init__(self, scorer: LateInteractionScorer, texts: Sequence[str], most: int = _COUNTED) -> None:
        self._scorer = scorer
        counted = texts[:: -(-len(texts) // most) or 1]
        self._counted = len(counted)
        self._frequencies: Counter[int] = Counter()
        for start in range(0, len(counted), _BLOCK):
            for windows in scorer.windows(counted[start : start + _BLOCK]):
                self._frequencies.update(set(chain.from_iterable(windows)))

    @property
    def name(self) -> str:
        return self._scorer.name

    @property
    def lengths(self) -> Lengths:
        return self._scorer.lengths

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Shape (len(texts),), each in [-1, 1]; -1 where question or text has no words.

        Raises ModelError on a score that is not finite.
        """
        return self._scorer.weighted(question, texts, lambda _: self._shares(question))

    def _shares(self, question: str) -> Scores:
        """Of the question's tokens, in the order of their vectors."""
        pieces = chain.from_iterable(self._scorer.windows([question])[0])
        weights = np.array([self._idf(piece) for piece in pieces], dtype=np.float64)
        return weights / weights.sum()

    def _idf(self, piece: int) -> float:
        frequency = self._frequencies[piece]
        return log(1 + (self._counted - frequency + 0.5) / (frequency + 0.5))
