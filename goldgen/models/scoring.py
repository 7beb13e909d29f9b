"""What the pair scorers share: long texts read in windows and counted, and scores that must be numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from goldgen.errors import ModelError
from goldgen.types import PairScorer, Scores

_OVERLAP = 200
"""Characters, more or less a sentence, that the two halves of a text share."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many different texts were scored so far, and how many were longer than the model reads."""

    texts: int = 0
    longer: int = 0
    """Scored by overlapping windows: a text has the score of its best one."""
    cut_questions: int = 0
    """Questions of which the model read only the beginning."""


class WindowedScorer(PairScorer, Protocol):
    """A PairScorer that cuts no text in silence."""

    @property
    def lengths(self) -> Lengths: ...


class LengthCounter:
    """Counts each text and each question once, however often it is scored."""

    def __init__(self) -> None:
        # By hash, so that a long run of judging does not keep every text that it ever saw.
        self._is_long: dict[int, bool] = {}
        self._cut_questions: set[str] = set()

    @property
    def lengths(self) -> Lengths:
        return Lengths(len(self._is_long), sum(self._is_long.values()), len(self._cut_questions))

    def count(self, text: str, *, is_long: bool) -> None:
        key = hash(text)
        self._is_long[key] = is_long or self._is_long.get(key, False)

    def count_cut(self, question: str) -> None:
        self._cut_questions.add(question)


def halves(text: str) -> tuple[str, str]:
    """The two halves of a text of two characters or more, which overlap so that a sentence on the border is
    whole in one. Each is shorter than the text.
    """
    length = (len(text) + 1) // 2 + min(_OVERLAP, len(text) // 4) // 2
    return text[:length], text[-length:]


def require_finite(name: str, question: str, texts: Sequence[str], scores: Scores) -> None:
    """Raises ModelError naming the first pair whose score is no number."""
    bad = np.flatnonzero(~np.isfinite(scores))
    if bad.size:
        pair = shown_pair(question, texts[int(bad[0])])
        raise ModelError(f"{name} gave {scores[bad[0]]} for {pair}: use another model")


def shown_pair(question: str, text: str) -> str:
    """Both, by their beginnings, for a message."""
    return f"the question {shown(question)} and the text {shown(text)}"


def shown(text: str) -> str:
    """The beginning of a text, on one line, for a message."""
    line = " ".join(text.split())
    return f'"{line[:60]}…"' if len(line) > 60 else f'"{line}"'
