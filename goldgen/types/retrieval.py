"""Retrievers, embedders and scorers: the seams of retrieval."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]
_CHUNK_ID = attrgetter("chunk_id")
_SCORE = attrgetter("score")


@dataclass(frozen=True, slots=True)
class Hit:
    chunk_id: str
    score: float


Ranking = tuple[Hit, ...]
"""Best first: score descending, ties by chunk id descending (as trec_eval does)."""


def ranked(hits: Iterable[Hit]) -> Ranking:
    """The hits by that rule, each chunk at its best rank. No score may be NaN."""
    by_id = sorted(hits, key=_CHUNK_ID, reverse=True)
    best: dict[str, Hit] = {}
    for hit in sorted(by_id, key=_SCORE, reverse=True):
        best.setdefault(hit.chunk_id, hit)
    return tuple(best.values())


@dataclass(frozen=True, slots=True)
class Replies:
    """What a retriever of the user's own has answered so far, counted over all searches."""

    questions: int = 0
    empty: int = 0
    """Questions for which nothing came back."""
    hits: int = 0
    """Hits ranked, cut at the k that was asked for."""
    unknown: int = 0
    """Of these, hits on ids that the set does not have. They keep their rank and are not relevant."""
    repeated: int = 0
    """Hits left out because the same id stands further up."""
    scored: int = 0
    """Questions whose hits came with scores; elsewhere a score is 1 / rank and tells nothing."""


class Retriever(Protocol):
    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks at most; those in ``hidden`` are treated as if not indexed."""
        ...


class Embedder(Protocol):
    """Texts to L2-normalised float32 rows."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Shape (len(texts), dimensions). ``query`` tells questions from documents."""
        ...


class PairScorer(Protocol):
    """How well each text answers one question. Serves reranking and judging alike."""

    @property
    def name(self) -> str: ...

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Shape (len(texts),), finite, higher is better; the scale is the scorer's own."""
        ...


class VectorCache(Protocol):
    """Keeps vectors by content hash, so that no text is embedded twice."""

    def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, Vectors]: ...

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None: ...
