"""A cross-encoder that runs on this machine: it reads question and text together."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from goldgen.errors import ModelError
from goldgen.models.scoring import LengthCounter, Lengths, halves, require_finite
from goldgen.models.weights import FoundWeights, quiet_loading, require_weights
from goldgen.types import Scores

_BATCH = 32
_SCORING = ("ForSequenceClassification", "ForCausalLM")
"""How the kinds of models end that give a pair a score; the others are encoders."""
_SLACK = 8
"""Tokens kept free, since a window that starts within a word may have a few more than it had in its text."""


class CrossEncoderScorer:
    """Implements ``PairScorer`` with a sentence-transformers cross-encoder; scores are its raw logits.

    Logits, because a sigmoid rounds confident scores to ties: they have no bounds, and mostly part what
    answers from what does not at 0. A text longer than the model reads beside the question is scored by
    overlapping windows and has the score of its best. A question that takes more than half of what the model
    reads is cut to that half. Both are counted in ``lengths``. Raises ModelError if the model cannot be
    loaded, was not trained to score pairs, or gives several numbers a pair.
    """

    def __init__(self, weights: FoundWeights, name: str) -> None:
        self._name = name
        self._counter = LengthCounter()
        local = weights.source != "hub"
        with quiet_loading(weights, name):
            import torch
            from sentence_transformers import CrossEncoder
            from transformers import AutoConfig

            auto: Any = AutoConfig
            config = auto.from_pretrained(weights.path_or_name, local_files_only=local)
            kinds: list[str] = config.architectures or []
            # The library would give any other encoder a head of random numbers.
            if kinds and not any(kind.endswith(_SCORING) for kind in kinds):
                raise ModelError(
                    f"{name} is a {', '.join(kinds)} and no cross-encoder: "
                    "give --reranker-model one that was trained to score pairs"
                )
            self._model = CrossEncoder(
                weights.path_or_name, local_files_only=local, activation_fn=torch.nn.Identity()
            )
        if self._model.num_labels != 1:
            raise ModelError(
                f"{name} gives {self._model.num_labels} numbers a pair: "
                "use a cross-encoder that gives one score"
            )
        self._tokenizer: Any = self._model.tokenizer
        limit: int | None = self._model.max_seq_length
        # Some tokenisers name a limit of 10^30 for "none".
        self._room = (limit or 10**30) - self._tokenizer.num_special_tokens_to_add(pair=True) - _SLACK

    @property
    def name(self) -> str:
        return self._name

    @property
    def lengths(self) -> Lengths:
        return self._counter.lengths

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Logits, shape (len(texts),). Raises ModelError on one that is not finite."""
        if not texts:
            return np.zeros(0, dtype=np.float64)
        asked = self._fitting_question(question)
        room = self._room - self._tokens(asked)
        windows = [self._windows(text, room) for text in texts]
        pairs = [(asked, window) for of_text in windows for window in of_text]
        found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        by_window = np.asarray(found, dtype=np.float64)
        ends = np.cumsum([0, *map(len, windows)]).tolist()
        # The maximum of numbers one of which is NaN is NaN.
        scores = np.array([by_window[start:end].max() for start, end in pairwise(ends)], dtype=np.float64)
        require_finite(self._name, question, texts, scores)
        for text, of_text in zip(texts, windows, strict=True):
            self._counter.count(text, is_long=len(of_text) > 1)
        return scores

    def _fitting_question(self, question: str) -> str:
        """The question, or as much of its beginning as takes half of the room."""
        room = self._room // 2
        if self._tokens(question) <= room:
            return question
        self._counter.count_cut(question)
        while len(question) > 1 and (tokens := self._tokens(question)) > room:
            question = question[: min(len(question) * room // tokens, len(question) - 1)]
        return question

    def _windows(self, text: str, room: int) -> list[str]:
        """The text if it fits, else its overlapping parts that do."""
        if len(text) < 2 or self._tokens(text) <= room:
            return [text]
        return [window for half in halves(text) for window in self._windows(half, room)]

    def _tokens(self, text: str) -> int:
        # verbose: no warning about length, since windows take care of it.
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def open_cross_encoder(name: str, *, offline: bool) -> CrossEncoderScorer:
    """The cross-encoder of this name. Raises NotHereError if its weights are nowhere, ModelError."""
    return CrossEncoderScorer(require_weights(name, offline=offline), name)
