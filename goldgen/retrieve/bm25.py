"""Lexical retrieval: BM25 as Lucene computes it, and the older Okapi form of rank_bm25."""

from collections.abc import Callable, Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import RetrieverError
from goldgen.retrieve.analysis import Analyzer
from goldgen.retrieve.ranking import SearchedChunks
from goldgen.text.words import words
from goldgen.types import Chunk, Ranking, Scores

PLAIN_WORDS = Analyzer()


class _TermScorer(Protocol):
    """What both libraries offer: one score per indexed text, for terms by their numbers."""

    def get_scores(self, query: list[int], /) -> Scores: ...


class BM25Retriever:
    """BM25 with Lucene's formula and defaults (k1 1.2, b 0.75), as Elasticsearch and OpenSearch use them.

    Every shared term adds a positive score, so a hit is exactly a chunk that shares a term.
    Scores are unbounded and comparable within one question only. Raises RetrieverError where there
    is nothing to search. Source: Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.
    """

    def __init__(
        self, chunks: Sequence[Chunk], analyzer: Analyzer = PLAIN_WORDS, k1: float = 1.2, b: float = 0.75
    ) -> None:
        self._chunks = SearchedChunks(chunks)
        self._terms = _Terms(analyzer)
        texts = self._terms.indexed(chunks)
        import bm25s

        index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
        index.index((texts, self._terms.numbers), create_empty_token=False, show_progress=False)
        self._scorer = cast(_TermScorer, index)

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks that share a term with the question; perhaps none."""
        asked = self._terms.asked(question)
        if not asked:
            return ()
        scores = self._scorer.get_scores(asked)
        return self._chunks.rank(np.where(scores > 0, scores, -np.inf), k, hidden)


class OkapiRetriever:
    """BM25Okapi of rank_bm25 with its defaults (k1 1.5, b 0.75, epsilon 0.25), for those who use it.

    A term in half of the chunks scores 0 there, and in a very small corpus scores are negative. Such
    a chunk is still a match: a hit is a chunk that shares a term, whatever its score. Raises
    RetrieverError where there is nothing to search.
    """

    def __init__(self, chunks: Sequence[Chunk], analyzer: Analyzer = PLAIN_WORDS) -> None:
        self._chunks = SearchedChunks(chunks)
        self._terms = _Terms(analyzer)
        texts = self._terms.indexed(chunks)
        from rank_bm25 import BM25Okapi

        self._scorer = cast(_TermScorer, BM25Okapi(texts))
        self._positions: dict[int, list[int]] = {}
        for position, numbers in enumerate(texts):
            for number in set(numbers):
                self._positions.setdefault(number, []).append(position)

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks that share a term with the question; perhaps none."""
        asked = self._terms.asked(question)
        if not asked:
            return ()
        matched: NDArray[np.bool_] = np.zeros(len(self._chunks), dtype=np.bool_)
        for number in set(asked):
            matched[self._positions[number]] = True
        return self._chunks.rank(np.where(matched, self._scorer.get_scores(asked), -np.inf), k, hidden)


class _Terms:
    """The terms of a corpus by number: a list of small numbers takes a fraction of one of words."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.numbers: dict[str, int] = {}
        self._analyzer = analyzer
        self._term_of = analyzer.term_of()

    def indexed(self, chunks: Sequence[Chunk]) -> list[list[int]]:
        """Each chunk's terms in reading order. Raises RetrieverError if no chunk has any."""
        known = _Numbering(self.numbers, self._term_of)
        texts = [[known[word] for word in words(chunk.full_text)] for chunk in chunks]
        if not self.numbers:
            raise RetrieverError(
                f"nothing to search: none of the {len(chunks)} chunks holds a word; "
                "check how the documents were read"
            )
        return texts

    def asked(self, question: str) -> list[int]:
        """The terms of a question that the corpus has."""
        terms = map(self._term_of, self._analyzer.question_words(question))
        return [self.numbers[term] for term in terms if term in self.numbers]


class _Numbering(dict[str, int]):
    """The number of a word's term. Each different word is made a term once, which makes stemming cheap."""

    def __init__(self, numbers: dict[str, int], term_of: Callable[[str], str]) -> None:
        self._numbers = numbers
        self._term_of = term_of

    def __missing__(self, word: str) -> int:
        number = self[word] = self._numbers.setdefault(self._term_of(word), len(self._numbers))
        return number
