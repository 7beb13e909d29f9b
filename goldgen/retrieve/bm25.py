"""Lexical retrieval: BM25 as Lucene computes it, and the older Okapi form of rank_bm25."""

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import RetrieverError
from goldgen.retrieve.ranking import SearchedChunks
from goldgen.text.words import words
from goldgen.types import Chunk, Ranking, Scores


class _TermScorer(Protocol):
    """What both libraries offer: one score per indexed text."""

    def get_scores(self, query: list[str], /) -> Scores: ...


class BM25Retriever:
    """BM25 with Lucene's formula and defaults (k1 1.2, b 0.75), as Elasticsearch and OpenSearch use them.

    Every shared term adds a positive score, so a hit is exactly a chunk that shares a term.
    Scores are unbounded and comparable within one question only. Raises RetrieverError where there
    is nothing to search. Source: Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = SearchedChunks(chunks)
        texts = _terms_of(chunks)
        import bm25s

        index = bm25s.BM25(k1=1.2, b=0.75, method="lucene", dtype="float64")
        index.index(texts, create_empty_token=False, show_progress=False)
        self._scorer = cast(_TermScorer, index)
        self._vocabulary = frozenset(term for terms in texts for term in terms)

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks that share a term with the question; perhaps none."""
        terms = [term for term in words(question) if term in self._vocabulary]
        if not terms:
            return ()
        scores = self._scorer.get_scores(terms)
        return self._chunks.rank(scores, k, hidden, matched=scores > 0)


class OkapiRetriever:
    """BM25Okapi of rank_bm25 with its defaults (k1 1.5, b 0.75, epsilon 0.25), for those who use it.

    A term in half of the chunks scores 0 there, and in a very small corpus scores are negative. Such
    a chunk is still a match: a hit is a chunk that shares a term, whatever its score. Raises
    RetrieverError where there is nothing to search.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = SearchedChunks(chunks)
        texts = _terms_of(chunks)
        from rank_bm25 import BM25Okapi

        self._scorer = cast(_TermScorer, BM25Okapi(texts))
        self._positions: dict[str, list[int]] = {}
        for position, terms in enumerate(texts):
            for term in set(terms):
                self._positions.setdefault(term, []).append(position)

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks that share a term with the question; perhaps none."""
        terms = [term for term in words(question) if term in self._positions]
        if not terms:
            return ()
        matched: NDArray[np.bool_] = np.zeros(len(self._chunks), dtype=np.bool_)
        for term in set(terms):
            matched[self._positions[term]] = True
        return self._chunks.rank(self._scorer.get_scores(terms), k, hidden, matched)


def _terms_of(chunks: Sequence[Chunk]) -> list[list[str]]:
    texts = [words(chunk.full_text) for chunk in chunks]
    if not any(texts):
        raise RetrieverError(
            f"nothing to search: none of the {len(chunks)} chunks holds a word; "
            "check how the documents were read"
        )
    return texts
