"""Retrieval by embeddings: exact, in memory, with vectors kept between runs."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from goldgen.errors import RetrieverError
from goldgen.retrieve.ranking import SearchedChunks
from goldgen.text import stable_id
from goldgen.types import Chunk, Embedder, Ranking, VectorCache, Vectors

Precision = Literal["float32", "float16"]


class CachedEmbedder:
    """An Embedder that embeds only the documents which the cache does not hold, each once.

    Questions are not cached: they are few, and what a query costs is measured. A batch is kept as soon as
    it is embedded, so a killed run repeats one batch at most. ``key`` tells embedders apart in the cache.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache, key: str, batch_size: int = 64) -> None:
        self._embedder = embedder
        self._cache = cache
        self._key = key
        self._batch_size = batch_size

    @property
    def name(self) -> str:
        """The name of the embedder within."""
        return self._embedder.name

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Shape (len(texts), dimensions), L2-normalised float32."""
        if query or not texts:
            return self._embedder.encode(texts, query=query)
        hashes = [stable_id(text) for text in texts]
        vectors = dict(self._cache.get(self._key, hashes))
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in vectors}
        keys = list(missing)
        for start in range(0, len(keys), self._batch_size):
            batch = keys[start : start + self._batch_size]
            rows = self._embedder.encode([missing[key] for key in batch], query=query)
            embedded = dict(zip(batch, rows, strict=True))
            self._cache.put(self._key, embedded)
            vectors.update(embedded)
        return np.stack([vectors[key] for key in hashes])


class DenseRetriever:
    """The chunks whose vectors have the largest dot product with the question's; all are compared.

    Scores are cosine similarities where the embedder normalises. ``precision`` is how vectors are kept:
    float16 halves the memory and moves a cosine by 0.001 at most; sums are of float32 in either case.
    Texts are embedded and vectors compared in blocks of ``block`` chunks, so that beyond the vectors only
    one block is held. Raises RetrieverError for an empty corpus and for a text whose vector is not a number.
    """

    def __init__(
        self, chunks: Sequence[Chunk], embedder: Embedder, precision: Precision = "float32", block: int = 8192
    ) -> None:
        self._chunks = SearchedChunks(chunks)
        self._embedder = embedder
        self._blocks = [
            _embedded(chunks[start : start + block], embedder).astype(precision, copy=False)
            for start in range(0, len(chunks), block)
        ]

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks."""
        vector = self._embedder.encode([question], query=True)[0]
        # Not a matrix product: BLAS may round equal rows differently, and twins would no longer tie.
        parts = [np.vecdot(block.astype(np.float32, copy=False), vector) for block in self._blocks]
        return self._chunks.rank(np.concatenate(parts).astype(np.float64), k, hidden)


def _embedded(chunks: Sequence[Chunk], embedder: Embedder) -> Vectors:
    vectors = embedder.encode([chunk.full_text for chunk in chunks], query=False)
    undefined = np.flatnonzero(np.isnan(vectors).any(axis=1))
    if undefined.size:
        raise RetrieverError(
            f"{embedder.name} gave chunk {chunks[undefined[0]].id!r} a vector with NaN; "
            "use another model or leave the chunk out"
        )
    return vectors
