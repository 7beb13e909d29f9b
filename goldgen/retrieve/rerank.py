"""A second look at the best candidates by a model that reads question and chunk together."""

from collections.abc import Sequence

import numpy as np

from goldgen.errors import RetrieverError
from goldgen.types import Chunk, Hit, PairScorer, Ranking, Retriever, ranked


class RerankRetriever:
    """Rescores the first ``candidates`` of a retriever with a pair scorer, and returns only those.

    Scores are the scorer's own, often logits without bounds: they order chunks and are no
    probabilities. No sigmoid is applied, for it would saturate and turn clear differences into ties.
    """

    def __init__(
        self, retriever: Retriever, scorer: PairScorer, chunks: Sequence[Chunk], candidates: int = 50
    ) -> None:
        self._retriever = retriever
        self._scorer = scorer
        self._texts = {chunk.id: chunk.full_text for chunk in chunks}
        self._candidates = candidates

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` of the candidates; raises RetrieverError for a pair that is scored NaN."""
        candidates = [hit.chunk_id for hit in self._retriever.search(question, self._candidates, hidden)]
        if not candidates or k < 1:
            return ()
        scores = self._scorer.score(question, [self._text(chunk_id) for chunk_id in candidates])
        undefined = np.flatnonzero(np.isnan(scores))
        if undefined.size:
            raise RetrieverError(
                f"{self._scorer.name} scored NaN for question {question!r} and chunk "
                f"{candidates[undefined[0]]!r}; use another model or leave the chunk out"
            )
        pairs = zip(candidates, scores.tolist(), strict=True)
        return ranked(Hit(chunk_id, score) for chunk_id, score in pairs)[:k]

    def _text(self, chunk_id: str) -> str:
        if chunk_id not in self._texts:
            raise RetrieverError(
                f"chunk {chunk_id!r} was retrieved but is not among the chunks to rerank; "
                "build both from the same set"
            )
        return self._texts[chunk_id]
