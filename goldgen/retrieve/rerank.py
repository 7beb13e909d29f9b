"""A second look at the best candidates by a model that reads question and chunk together."""

from collections.abc import Sequence

import numpy as np

from goldgen.errors import RetrieverError
from goldgen.types import Chunk, Hit, PairScorer, Ranking, Retriever, Scores, ranked

_DIGITS = 9
"""Of a sum of standard scores, which are of the size of 1."""


class RerankRetriever:
    """Rescores the first ``candidates`` of a retriever with a pair scorer, and returns only those.

    Scores are the scorer's own, often logits without bounds: they order chunks and are no
    probabilities. No sigmoid is applied, for it would saturate and turn clear differences into ties.

    ``own_weight`` is for a scorer that alone knows less than the retriever: above 0, a chunk's score is the
    scorer's plus ``own_weight`` times the retriever's, each in standard deviations from its mean over the
    question's candidates. Such scores compare within one question only.
    """

    def __init__(
        self,
        retriever: Retriever,
        scorer: PairScorer,
        chunks: Sequence[Chunk],
        candidates: int = 50,
        own_weight: float = 0.0,
    ) -> None:
        self._retriever = retriever
        self._scorer = scorer
        self._texts = {chunk.id: chunk.full_text for chunk in chunks}
        self._candidates = candidates
        self._own_weight = own_weight

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` of the candidates; raises RetrieverError for a score that is not finite."""
        found = self._retriever.search(question, self._candidates, hidden)
        if not found or k < 1:
            return ()
        candidates = [hit.chunk_id for hit in found]
        scores = self._scored(question, [self._text(chunk_id) for chunk_id in candidates])
        undefined = np.flatnonzero(~np.isfinite(scores))
        if undefined.size:
            raise RetrieverError(
                f"{self._scorer.name} scored {scores[undefined[0]]:g} for question {question!r} and chunk "
                f"{candidates[undefined[0]]!r}; use another model or leave the chunk out"
            )
        if self._own_weight > 0:
            own = np.array([hit.score for hit in found], dtype=np.float64)
            # Rounded, so that rounding in the sum decides no order that the rule for ties should.
            scores = (_standardised(scores) + self._own_weight * _standardised(own)).round(_DIGITS) + 0.0
        pairs = zip(candidates, scores.tolist(), strict=True)
        return ranked(Hit(chunk_id, score) for chunk_id, score in pairs)[:k]

    def _scored(self, question: str, texts: Sequence[str]) -> Scores:
        """Equal texts are scored once: in another batch a model's score may differ in its last digits."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return self._scorer.score(question, list(places))[[places[text] for text in texts]]

    def _text(self, chunk_id: str) -> str:
        if chunk_id not in self._texts:
            raise RetrieverError(
                f"chunk {chunk_id!r} was retrieved but is not among the chunks to rerank; "
                "build both from the same set"
            )
        return self._texts[chunk_id]


def _standardised(scores: Scores) -> Scores:
    """In standard deviations from the mean; 0 where all are equal."""
    spread = float(scores.std())
    # What rounding leaves of equal scores is no spread.
    has_spread = spread > 1e-12 * max(1.0, float(np.abs(scores).max()))
    return (scores - scores.mean()) / spread if has_spread else np.zeros_like(scores)
