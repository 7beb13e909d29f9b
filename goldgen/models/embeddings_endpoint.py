"""An embedder behind an OpenAI-compatible /embeddings endpoint. Imports openai: load it when used."""

from collections.abc import Sequence

import numpy as np
from openai import OpenAI
from pydantic import BaseModel, SecretStr, ValidationError

from goldgen.models.endpoints import Endpoint
from goldgen.models.posting import JsonEndpoint
from goldgen.types import Vectors

_BATCH = 64


class _Row(BaseModel):
    embedding: list[float]
    index: int | None = None


class _Reply(BaseModel):
    data: list[_Row]


class EndpointEmbedder:
    """Implements ``Embedder``. ``deadline`` bounds one request of 64 texts in all, retries included.

    ``api_key`` may be empty for a local server. Raises ModelError if the environment names a proxy that
    needs an extra package.
    """

    def __init__(self, base_url: str, api_key: str, model: str, *, deadline: float = 120.0) -> None:
        self._model = model
        self._dimensions = 0
        self._http = JsonEndpoint(Endpoint(model, base_url, SecretStr(api_key), deadline), "embeddings")
        # A proxy that needs a package is told at once, not in the middle of a run.
        with self._http.opened():
            pass

    @property
    def name(self) -> str:
        return self._model

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """L2-normalised rows, shape (len(texts), dimensions); (0, 0) if nothing was ever encoded.

        Questions and documents are sent alike: the wire format does not tell them apart. Raises EndpointError
        if no request can succeed, ModelError if one failed or its reply is no set of finite vectors.
        """
        with self._http.opened() as client:
            batches = [
                self._vectors(client, texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)
            ]
        return np.concatenate(batches) if batches else np.zeros((0, self._dimensions), dtype=np.float32)

    def _vectors(self, client: OpenAI, texts: Sequence[str]) -> Vectors:
        rows = sorted(self._rows(client, texts), key=lambda row: row.index or 0)
        if len(rows) != len(texts):
            raise self._http.unusable(f"gave {len(rows)} vectors for {len(texts)} texts")
        self._dimensions = self._dimensions or len(rows[0].embedding)
        if any(len(row.embedding) != self._dimensions for row in rows):
            raise self._http.unusable("gave vectors of different lengths")
        # Squares of large values overflow in float32.
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        if not np.isfinite(vectors).all():
            raise self._http.unusable("gave a vector that is not finite")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)

    def _rows(self, client: OpenAI, texts: Sequence[str]) -> list[_Row]:
        # OpenAI refuses an empty text, and with it the whole batch.
        body = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        reply = self._http.post(client, "/embeddings", body, self._http.deadline())
        try:
            return _Reply.model_validate_json(reply).data
        except ValidationError as error:
            raise self._http.unusable("gave something else than embeddings", reply) from error
