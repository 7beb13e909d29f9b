"""The order rule of every retriever: score descending in float64, ties by chunk id descending."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import RetrieverError
from goldgen.types import Chunk, Hit, Ranking, Scores


class SearchedChunks:
    """The ids of a corpus in index order, and how a score for each of them becomes a ranking.

    Raises RetrieverError for an empty corpus and for an id that stands twice.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        if not chunks:
            raise RetrieverError("nothing to search: the set has no chunks; run goldgen synth PATH first")
        self._ids = [chunk.id for chunk in chunks]
        self._positions = {chunk_id: position for position, chunk_id in enumerate(self._ids)}
        if len(self._positions) < len(self._ids):
            raise RetrieverError(
                f"chunk id {_first_repeated(self._ids)!r} stands twice in the corpus; "
                "give each chunk an id of its own"
            )
        self._tie_order: NDArray[np.int64] = np.empty(len(self._ids), dtype=np.int64)
        by_id_descending = sorted(range(len(self._ids)), key=self._ids.__getitem__, reverse=True)
        self._tie_order[by_id_descending] = np.arange(len(self._ids))

    def __len__(self) -> int:
        return len(self._ids)

    def rank(self, scores: Scores, k: int, hidden: frozenset[str]) -> Ranking:
        """The best ``k`` chunks that are not ``hidden``; a chunk with the score -inf is no hit.

        ``scores`` has shape (chunks,). Raises RetrieverError for a NaN score.
        """
        if np.isnan(scores.max()):
            raise RetrieverError(
                f"chunk {self._ids[np.isnan(scores).argmax()]!r} got the score NaN; "
                "use another model or leave the chunk out"
            )
        if k < 1:
            return ()
        costs = -scores
        costs[[self._positions[chunk_id] for chunk_id in hidden if chunk_id in self._positions]] = np.inf
        # All chunks that tie with the k-th stay in, so that the order rule decides between them.
        highest = np.partition(costs, k - 1)[k - 1] if k < costs.size else np.inf
        candidates = np.flatnonzero(costs <= min(highest, np.finfo(np.float64).max))
        order = np.lexsort((self._tie_order[candidates], costs[candidates]))
        best: list[int] = candidates[order[:k]].tolist()
        return tuple(Hit(self._ids[position], float(scores[position])) for position in best)


def _first_repeated(ids: Sequence[str]) -> str:
    seen: set[str] = set()
    return next(chunk_id for chunk_id in ids if chunk_id in seen or seen.add(chunk_id))
