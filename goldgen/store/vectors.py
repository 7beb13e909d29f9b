"""Embeddings by model and content hash, so that no text is embedded twice."""

from collections.abc import Mapping, Sequence

import numpy as np

from goldgen.store.connection import Connection
from goldgen.types import Vectors


class StoredVectors:
    """Implements ``VectorCache``; each vector has shape (dimensions,), float32."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors that are stored; a hash that is not is left out."""
        rows = self._connection.rows(
            "select hash, vector from vectors where model = ? and hash in (select unnest(?))",
            [model, list(hashes)],
        )
        # A copy, because an array over bytes is read-only and torch warns of such.
        return {key: np.frombuffer(blob, dtype="<f4").astype(np.float32) for key, blob in rows}

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        rows = [(model, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._connection.transaction():
            self._connection.save_rows("vectors", ("model", "hash", "vector"), rows)
