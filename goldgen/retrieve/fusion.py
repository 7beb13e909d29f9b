"""Reciprocal rank fusion of several retrievers."""

from collections.abc import Iterable, Sequence
from math import fsum, isfinite

from goldgen.errors import RetrieverError
from goldgen.types import Hit, Ranking, Retriever, ranked

SMOOTHING = 60.0
"""What Cormack, Clarke and Büttcher (SIGIR 2009) add to ranks, so that the first few do not decide alone."""


class HybridRetriever:
    """Reciprocal rank fusion: a chunk scores the sum of weight / (k + rank) over the retrievers that find it.

    ``weights`` has one value for each retriever, all 1 if not given; a retriever with weight 0 is not asked.
    ``depth`` is how many hits are taken from each retriever. Only ranks count, so the scales of the
    retrievers need not agree. Raises RetrieverError where the values cannot be fused with. Source: Cormack,
    Clarke and Büttcher, SIGIR 2009, with their k of 60.
    """

    def __init__(
        self,
        retrievers: Sequence[Retriever],
        weights: Sequence[float] | None = None,
        k: float = SMOOTHING,
        depth: int = 100,
    ) -> None:
        if not retrievers:
            raise RetrieverError(
                "nothing to fuse: a hybrid retriever needs at least one retriever; name some"
            )
        weights = [1.0] * len(retrievers) if weights is None else weights
        if (
            len(weights) != len(retrievers)
            or not all(weight >= 0 and isfinite(weight) for weight in weights)
            or not any(weights)
        ):
            raise RetrieverError(
                f"{len(retrievers)} retrievers cannot be fused with the weights {list(weights)}; "
                "give each a number of at least 0, and one of them more"
            )
        if not (k >= 0 and isfinite(k)) or depth < 1:
            raise RetrieverError(
                f"retrievers cannot be fused with k {k} and depth {depth}; k is at least 0, depth at least 1"
            )
        self._weighted = [pair for pair in zip(retrievers, weights, strict=True) if pair[1] > 0]
        self._smoothing = k
        self._depth = depth

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks of the fused ranking; more than ``depth`` are taken only if asked for."""
        places = (
            (hit.chunk_id, rank, weight)
            for retriever, weight in self._weighted
            for rank, hit in enumerate(retriever.search(question, max(k, self._depth), hidden), start=1)
        )
        return fused(places, self._smoothing)[: max(k, 0)]


def fused(places: Iterable[tuple[str, int, float]], smoothing: float = SMOOTHING) -> Ranking:
    """One ranking from several: a chunk's score is the sum of weight / (smoothing + rank).

    ``places``: a chunk's id, its rank from 1 in one of the rankings, and the weight of that.
    """
    parts: dict[str, list[float]] = {}
    for chunk_id, rank, weight in places:
        parts.setdefault(chunk_id, []).append(weight / (smoothing + rank))
    # fsum: equal sets of ranks tie exactly, in whatever order the rankings come.
    return ranked(Hit(chunk_id, fsum(shares)) for chunk_id, shares in parts.items())
