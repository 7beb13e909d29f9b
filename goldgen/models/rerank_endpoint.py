"""A pair scorer behind a /rerank endpoint. Imports openai: load it when used."""

import re
from collections.abc import Sequence

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


class RerankEndpointScorer:
    """Implements ``PairScorer``. ``endpoint.timeout`` bounds one request of 32 texts, retries included.

    Speaks the shape of Cohere and Jina, which vLLM and llama.cpp serve too (query and documents to results
    with index and relevance_score), and that of Hugging Face's text-embeddings-inference (query and texts to
    index and score), where the server asks for it. Scores are the server's own: logits where it can be asked
    for them, else often 0 to 1. A text that the server refuses as too long is scored by overlapping windows,
    has the score of its best, and is counted in ``lengths``; a server that cuts texts itself does not say so.
    The path /rerank is added to the base URL. Raises ModelError if the environment names a proxy that needs
    an extra package.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._http = JsonEndpoint(endpoint, "reranking")
        self._counter = LengthCounter()
        self._asks_for_texts = False
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
        with self._http.opened() as client:
            batches = [
                self._scores(client, question, texts[start : start + _BATCH])
                for start in range(0, len(texts), _BATCH)
            ]
        for text in texts:
            self._counter.count(text, is_long=False)
        return np.concatenate(batches) if batches else np.zeros(0, dtype=np.float64)

    def _scores(self, client: OpenAI, question: str, texts: Sequence[str]) -> Scores:
        try:
            reply = self._reply(client, question, texts)
        except TooLargeError as error:
            return self._in_parts(client, question, texts, error)
        return self._read(reply, question, texts)

    def _in_parts(
        self, client: OpenAI, question: str, texts: Sequence[str], refusal: TooLargeError
    ) -> Scores:
        """Fewer texts at a time; one that is too large alone by its halves."""
        if len(texts) > 1:
            middle = len(texts) // 2
            parts = (texts[:middle], texts[middle:])
            return np.concatenate([self._scores(client, question, part) for part in parts])
        self._counter.count(texts[0], is_long=True)
        return np.array([self._best_half(client, question, texts[0], refusal)], dtype=np.float64)

    def _best_half(self, client: OpenAI, question: str, text: str, refusal: TooLargeError) -> float:
        if len(text) < _SHORTEST_WINDOW:
            raise ModelError(f"{refusal}; too long is {shown_pair(question, text)}") from refusal
        scores: list[float] = []
        for half in halves(text):
            try:
                reply = self._reply(client, question, [half])
            except TooLargeError as error:
                scores.append(self._best_half(client, question, half, error))
            else:
                scores.append(float(self._read(reply, question, [half])[0]))
        return max(scores)

    def _reply(self, client: OpenAI, question: str, texts: Sequence[str]) -> str:
        # Some servers refuse an empty text, and with it the whole batch.
        filled = [text or " " for text in texts]
        if not self._asks_for_texts:
            body = {
                "model": self._endpoint.model,
                "query": question,
                "documents": filled,
                "top_n": len(filled),
            }
            try:
                return self._http.post(client, _PATH, body)
            except RefusedError as error:
                if not _ASKS_FOR_TEXTS.search(str(error)):
                    raise
        reply = self._http.post(client, _PATH, {"query": question, "texts": filled, "raw_scores": True})
        self._asks_for_texts = True
        return reply

    def _read(self, reply: str, question: str, texts: Sequence[str]) -> Scores:
        try:
            read = _RESULTS.validate_json(reply)
        except ValidationError as error:
            raise self._http.unusable("gave something else than scores") from error
        scores: dict[int, float] = {}
        for result in read.results if isinstance(read, _Reply) else read:
            if result.index is None or not 0 <= result.index < len(texts):
                raise self._http.unusable(
                    f"gave a score for text {result.index} of {len(texts)} for the question {shown(question)}"
                )
            if result.index in scores:
                pair = shown_pair(question, texts[result.index])
                raise self._http.unusable(f"gave two scores for {pair}")
            scores[result.index] = np.nan if result.score is None else result.score
        for index, text in enumerate(texts):
            if index not in scores:
                raise self._http.unusable(
                    f"gave {len(scores)} scores for {len(texts)} texts, and none for "
                    f"{shown_pair(question, text)}"
                )
        found = np.array([scores[index] for index in range(len(texts))], dtype=np.float64)
        require_finite(self.name, question, texts, found)
        return found
