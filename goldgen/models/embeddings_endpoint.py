"""An embedder behind an OpenAI-compatible /embeddings endpoint. Imports openai: load it when used."""

import time
from collections.abc import Sequence

import numpy as np
from openai import APIConnectionError, APIStatusError, DefaultHttpxClient, OpenAI
from pydantic import BaseModel, SecretStr, ValidationError
from tenacity import (
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_any,
    stop_before_delay,
)

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint, is_direct
from goldgen.models.retry import is_out_of_quota, is_transient, wait
from goldgen.types import Vectors

_BATCH = 64
_ATTEMPTS = 6
_FATAL = frozenset({401, 403, 404})


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
        endpoint = Endpoint(model, base_url, SecretStr(api_key))
        self._base_url = endpoint.label
        self._secret = api_key
        self._model = model
        self._deadline = deadline
        self._dimensions = 0
        self._endpoint = endpoint
        # A proxy that needs a package is told at once, not in the middle of a run.
        self._open().close()

    @property
    def name(self) -> str:
        return self._model

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """L2-normalised rows, shape (len(texts), dimensions); (0, 0) if nothing was ever encoded.

        Questions and documents are sent alike: the wire format does not tell them apart. Raises EndpointError
        if no request can succeed, ModelError if one failed or its reply is no set of finite vectors.
        """
        with self._open() as client:
            batches = [
                self._vectors(client, texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)
            ]
        return np.concatenate(batches) if batches else np.zeros((0, self._dimensions), dtype=np.float32)

    def _open(self) -> OpenAI:
        try:
            return OpenAI(
                base_url=self._endpoint.base_url,
                api_key=self._secret or "none",
                max_retries=0,
                http_client=DefaultHttpxClient(trust_env=not is_direct(self._endpoint)),
            )
        except ImportError as error:
            raise ModelError(
                f"the proxy in the environment needs an extra package ({error}); "
                "install it, or set NO_PROXY for the endpoint's host"
            ) from error

    def _vectors(self, client: OpenAI, texts: Sequence[str]) -> Vectors:
        rows = sorted(self._rows(client, texts), key=lambda row: row.index or 0)
        if len(rows) != len(texts):
            raise self._unusable(f"gave {len(rows)} vectors for {len(texts)} texts")
        self._dimensions = self._dimensions or len(rows[0].embedding)
        if any(len(row.embedding) != self._dimensions for row in rows):
            raise self._unusable("gave vectors of different lengths")
        # Squares of large values overflow in float32.
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        if not np.isfinite(vectors).all():
            raise self._unusable("gave a vector that is not finite")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)

    def _rows(self, client: OpenAI, texts: Sequence[str]) -> list[_Row]:
        retrying = Retrying(
            retry=retry_if_exception(is_transient),
            wait=wait,
            stop=stop_any(stop_before_delay(self._deadline), stop_after_attempt(_ATTEMPTS)),
            reraise=True,
        )
        end = time.monotonic() + self._deadline
        try:
            return _Reply.model_validate_json(retrying(self._request, client, texts, end)).data
        except ValidationError as error:
            raise self._unusable("gave something else than embeddings") from error
        except APIStatusError as error:
            fatal = error.status_code in _FATAL or is_out_of_quota(error)
            raise (EndpointError if fatal else ModelError)(self._refusal(error)) from error
        except APIConnectionError as error:
            raise EndpointError(
                f"nothing answers at {self._base_url} within {self._deadline:g} s ({error}): "
                "is the server running?"
            ) from error

    def _request(self, client: OpenAI, texts: Sequence[str], end: float) -> str:
        """The reply's text. Parsed by us, because the SDK passes on whatever comes with a 200."""
        reply = client.embeddings.with_raw_response.create(
            model=self._model,
            # OpenAI refuses an empty text, and with it the whole batch.
            input=[text or " " for text in texts],
            encoding_format="float",
            timeout=max(0.1, end - time.monotonic()),
        )
        return reply.text

    def _refusal(self, error: APIStatusError) -> str:
        message = " ".join(error.message.split())
        if self._secret:
            message = message.replace(self._secret, "<key>")
        hint = "check the key, the model's name, and that the URL ends as the server wants it, often in /v1"
        return f"{self._base_url} refused embeddings by {self._model} ({message[:200]}): {hint}"

    def _unusable(self, reason: str) -> ModelError:
        return ModelError(
            f"{self._base_url} {reason} by {self._model}: check that this is an embedding model"
        )
