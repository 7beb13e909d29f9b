"""What tells a window that answers from one that nearly does, and the model that weighs it.

The signals need no chat model: late interaction of question and window, and how many of the question's
telling words stand there. A logistic model makes a probability of them. Its weights are data
(``data/embedded_judge.json``), trained by ``bench/train_judge.py``.
"""

import json
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from goldgen.types import Scores, Vectors

_NEVER = 1e-6
_MOST_LOG_ODDS = 30.0


@dataclass(frozen=True, slots=True)
class Signals:
    """Of one passage. The arrays have the shape (windows,), one window or more."""

    late_interaction: Scores
    words: Scores
    """The share of the question's telling words that stand in each window."""
    passage_words: float
    """The same for the whole passage with its context."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal adds to the log odds. All but two are of the window; the others lower them all alike
    where the whole passage is about the topic."""

    late_interaction: float
    mean_late_interaction: float
    words: float
    mean_words: float
    passage_words: float
    intercept: float


@dataclass(frozen=True, slots=True)
class Blend:
    """The log odds of a window and those of a chat model on its whole passage, added up."""

    own: float = 0.41
    other: float = 1.85
    intercept: float = 0.01

    def probability(self, own: float, other: float) -> float:
        """Of a window with the probability ``own``; ``other``: log odds of the chat model."""
        certain = min(max(own, _NEVER), 1 - _NEVER)
        total = self.own * log(certain / (1 - certain)) + self.other * other + self.intercept
        return 1 / (1 + exp(-min(max(total, -_MOST_LOG_ODDS), _MOST_LOG_ODDS)))


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """Log odds that a window answers, where one text in two does and the others nearly do."""

    weights: Weights
    token_direction: Vectors
    """A question's token with vector v has the weight exp(v · direction), shape (dimensions,)."""
    digest: str
    """Of the data; scores of two models are not comparable."""

    @classmethod
    def packaged(cls) -> "AnswerModel":
        return _packaged()

    @classmethod
    def read(cls, data: bytes) -> "AnswerModel":
        found = json.loads(data)
        weights = Weights(**{part.name: float(found["weights"][part.name]) for part in fields(Weights)})
        direction = np.array(found["token_direction"], dtype=np.float32)
        return cls(weights, direction, sha256(data).hexdigest()[:12])

    def log_odds(self, signals: Signals) -> NDArray[np.float64]:
        """Shape (windows,)."""
        weights = self.weights
        of_window = weights.late_interaction * signals.late_interaction + weights.words * signals.words
        of_passage = (
            weights.mean_late_interaction * float(signals.late_interaction.mean())
            + weights.mean_words * float(signals.words.mean())
            + weights.passage_words * signals.passage_words
        )
        return of_window + of_passage + weights.intercept

    def probabilities(self, signals: Signals) -> NDArray[np.float64]:
        """Shape (windows,), each between 0 and 1."""
        return 1 / (1 + np.exp(-self.log_odds(signals)))


@lru_cache(maxsize=1)
def _packaged() -> AnswerModel:
    return AnswerModel.read((files("goldgen.verify") / "data" / "embedded_judge.json").read_bytes())
