"""Reciprocal rank fusion of several retrievers."""

from collections.abc import Sequence
from math import fsum

from goldgen.errors import RetrieverError
from goldgen.retrieve.ranking import best_first
from goldgen.types import Hit, Ranking, Retriever


class HybridRetriever:
    """Reciprocal rank fusion: a chunk scores the sum of 1 / (k + rank) over the retrievers that find it.

    ``depth`` is how many hits are taken from each retriever. Only ranks count, so the scales of the
    retrievers need not agree. Source: Cormack, Clarke and Büttcher, SIGIR 2009, with their k of 60.
    """

    def __init__(self, retrievers: Sequence[Retriever], k: int = 60, depth: int = 100) -> None:
        if not retrievers:
            raise RetrieverError(
                "nothing to fuse: a hybrid retriever needs at least one retriever; name some"
            )
        self._retrievers = tuple(retrievers)
        self._smoothing = k
        self._depth = depth

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks of the fused ranking; more than ``depth`` are taken only if asked for."""
        parts: dict[str, list[float]] = {}
        for retriever in self._retrievers:
            for rank, hit in enumerate(retriever.search(question, max(k, self._depth), hidden), start=1):
                parts.setdefault(hit.chunk_id, []).append(1 / (self._smoothing + rank))
        # fsum: equal sets of ranks tie exactly, in whatever order the retrievers are named.
        fused = best_first(Hit(chunk_id, fsum(shares)) for chunk_id, shares in parts.items())
        return fused[: max(k, 0)]
