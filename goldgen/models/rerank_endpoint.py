"""A pair scorer behind a /rerank endpoint. Imports openai: load it when used."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from openai import OpenAI
from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from goldgen.errors import ModelError
from goldgen.models.endpoints import Endpoint
from goldgen.models.posting import JsonEndpoint, RefusedError, TooLargeError
from goldgen.models.scoring import LengthCounter, Lengths, halves, require_finite, shown, shown_pair
from goldgen.types import Scores

_BATCH = 32
"""What Hugging Face's text-embeddings-inference takes at once by default."""
_PATH = "/rerank"
_SHORTEST_WINDOW = 200
"""Characters below which a text is not what makes a request too large."""
_ASKS_FOR_TEXTS = re.compile(r"\btexts\b")


class _Result(BaseModel):
    index: int | None = None
    score: float | None = Field(None, validation_alias=AliasChoices("relevance_score", "score"))


class _Reply(BaseModel):
    results: list[_Result]


_RESULTS = TypeAdapter[_Reply | list[_Result]](_Reply | list[_Result])

Window = tuple[int, str]
"""The place of a text among those to score, and the part of it that is sent."""


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """One question's texts while they are scored."""

    client: OpenAI
    question: str
    end: float
    scores: Scores
    """Of each text's best window so far."""
    windows: Counter[int]
    """How many windows of each text were scored."""


class RerankEndpointScorer:
    """Implements ``PairScorer``. ``endpoint.timeout`` bounds one call of ``score``, all its requests.

    Speaks the shape of Cohere and Jina, which vLLM and llama.cpp serve too (query and documents to results
    with index and relevance_score), and that of Hugging Face's text-embeddings-inference (query and texts to
    index and score), where the server asks for it. Scores are the server's own: logits where it can be asked
    for them, else often 0 to 1. A text that the server refuses as too long is scored by overlapping windows,
    has the score of its best, and is counted in ``lengths``; a server that cuts texts itself does not say so.
    What length and what number of texts went through is remembered, so that later ones are not refused.
    The path /rerank is added to the base URL. Raises ModelError if the environment names a proxy that needs
    an extra package.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._http = JsonEndpoint(endpoint, "reranking")
        self._counter = LengthCounter()
        self._asks_for_texts = False
        self._batch = _BATCH
        self._longest: int | None = None
        """Characters of a window beyond which the server refused one; None if it refused none."""
        # A proxy that needs a package is told at once, not in the middle of a run.
        with self._http.opened():
            pass

    @property
    def name(self) -> str:
        return self._endpoint.model

    @property
    def lengths(self) -> Lengths:
        return self._counter.lengths

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Shape (len(texts),), on the server's own scale.

        Raises EndpointError if no request can succeed, ModelError if one failed, or its reply lacks a score
        that is a number for a pair.
        """
        scores = np.full(len(texts), -np.inf)
        with self._http.opened() as client:
            call = _Call(client, question, self._http.deadline(), scores, Counter())
            self._ask(call, list(enumerate(texts)))
        for index, text in enumerate(texts):
            self._counter.count(text, is_long=call.windows[index] > 1)
        return scores

    def _ask(self, call: _Call, windows: Sequence[Window]) -> bool:
        """Have them scored; whether the server took each request as it was."""
        pending = [(index, part) for index, text in windows for part in self._parts(text)]
        taken = True
        while pending:
            batch, pending = pending[: self._batch], pending[self._batch :]
            taken = self._ask_at_once(call, batch) and taken
            pending = [(index, part) for index, text in pending for part in self._parts(text)]
        return taken

    def _ask_at_once(self, call: _Call, batch: Sequence[Window]) -> bool:
        texts = [text for _, text in batch]
        try:
            reply = self._reply(call, texts)
        except TooLargeError as refusal:
            if len(batch) == 1:
                self._longest = self._shorter(call.question, texts[0], refusal)
                self._ask(call, batch)
            else:
                middle = len(batch) // 2
                # Both are asked before it is told what was wrong.
                parts = [self._ask(call, part) for part in (batch[:middle], batch[middle:])]
                if all(parts):
                    # Nothing in it was too long, so there were too many.
                    self._batch = len(batch) - middle
            return False
        for (index, _), score in zip(batch, self._read(reply, call.question, texts), strict=True):
            call.scores[index] = max(call.scores[index], score)
            call.windows[index] += 1
        return True

    def _parts(self, text: str) -> list[str]:
        """The text, or overlapping windows of it if the server has refused one of its length."""
        if self._longest is None or len(text) <= self._longest:
            return [text]
        return [part for half in halves(text) for part in self._parts(half)]

    def _shorter(self, question: str, text: str, refusal: TooLargeError) -> int:
        """The length to try in place of the refused text's. Raises ModelError if it was short already."""
        if len(text) < _SHORTEST_WINDOW:
            raise ModelError(f"{refusal}; too long is {shown_pair(question, text)}") from refusal
        return len(halves(text)[0])

    def _reply(self, call: _Call, texts: Sequence[str]) -> str:
        # Some servers refuse an empty text, and with it the whole batch.
        filled = [text or " " for text in texts]
        if not self._asks_for_texts:
            body: dict[str, object] = {
                "model": self._endpoint.model,
                "query": call.question,
                "documents": filled,
                "top_n": len(filled),
            }
            try:
                return self._http.post(call.client, _PATH, body, call.end)
            except RefusedError as error:
                if not _ASKS_FOR_TEXTS.search(str(error)):
                    raise
        body = {"query": call.question, "texts": filled, "raw_scores": True}
        reply = self._http.post(call.client, _PATH, body, call.end)
        self._asks_for_texts = True
        return reply

    def _read(self, reply: str, question: str, texts: Sequence[str]) -> Scores:
        try:
            read = _RESULTS.validate_json(reply)
        except ValidationError as error:
            raise self._http.unusable("gave something else than scores", reply) from error
        scores: dict[int, float] = {}
        for result in read.results if isinstance(read, _Reply) else read:
            if result.index is None or not 0 <= result.index < len(texts):
                raise self._http.unusable(
                    f"gave a score for text {result.index} of {len(texts)} for the question {shown(question)}"
                )
            if result.index in scores:
                pair = shown_pair(question, texts[result.index])
                raise self._http.unusable(f"gave two scores for {pair}")
            if result.score is None:
                raise self._http.unusable(f"gave no score for {shown_pair(question, texts[result.index])}")
            scores[result.index] = result.score
        for index, text in enumerate(texts):
            if index not in scores:
                raise self._http.unusable(
                    f"gave {len(scores)} scores for {len(texts)} texts, and none for "
                    f"{shown_pair(question, text)}"
                )
        found = np.array([scores[index] for index in range(len(texts))], dtype=np.float64)
        require_finite(self.name, question, texts, found)
        return found
