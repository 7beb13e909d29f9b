from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_corpus import chunk, chunks_of

from goldgen.errors import RetrieverError
from goldgen.retrieve import CachedEmbedder, DenseRetriever, Precision
from goldgen.text.words import words
from goldgen.types import Vectors


class BagOfWords:
    """Counts the words of a small vocabulary; questions get one dimension of their own."""

    name = "bag-of-words"
    vocabulary = ("apple", "banana", "cherry")

    def __init__(self) -> None:
        self.batches: list[tuple[str, ...]] = []

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        self.batches.append(tuple(texts))
        rows = [[*(words(text).count(word) for word in self.vocabulary), 0.5 * query] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), len(self.vocabulary) + 1)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class BrokenEmbedder(BagOfWords):
    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        vectors = super().encode(texts, query=query)
        vectors[["broken" in text for text in texts]] = np.nan
        return vectors


class WideEmbedder:
    """Dense random directions, wide enough for a matrix product to round equal rows differently."""

    name = "wide"

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        rows = [np.random.default_rng(len(text)).standard_normal(384) for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class DictCache:
    def __init__(self) -> None:
        self.vectors: dict[tuple[str, str], Vectors] = {}

    def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, Vectors]:
        return {key: self.vectors[model, key] for key in hashes if (model, key) in self.vectors}

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        self.vectors |= {(model, key): vector for key, vector in vectors.items()}


def test_the_nearest_come_first_with_cosine_scores() -> None:
    retriever = DenseRetriever(chunks_of("apple", "apple banana", "cherry"), BagOfWords())
    ranking = retriever.search("apple", 2)
    assert [hit.chunk_id for hit in ranking] == ["c0", "c1"]
    question = BagOfWords().encode(["apple"], query=True)[0]
    assert ranking[0].score == pytest.approx(float(question[0]), abs=1e-7)


def test_context_is_embedded() -> None:
    retriever = DenseRetriever([chunk("a", "plain", "cherry"), chunk("b", "apple")], BagOfWords())
    assert retriever.search("cherry", 1)[0].chunk_id == "a"


def test_hidden_chunks_are_not_ranked() -> None:
    retriever = DenseRetriever(chunks_of("apple", "apple banana", "cherry"), BagOfWords())
    hits = retriever.search("apple", 3, frozenset({"c0", "no such chunk"}))
    assert [hit.chunk_id for hit in hits] == ["c1", "c2"]


@pytest.mark.parametrize("size", [2, 5, 7, 11, 64, 101])
def test_twins_tie_exactly_and_by_id_descending(size: int) -> None:
    names = [f"{number:03}" for number in range(size)]
    twins = [chunk(name, "the same words") for name in names]
    ranking = DenseRetriever(twins, WideEmbedder()).search("other words", size)
    assert len({hit.score for hit in ranking}) == 1
    assert [hit.chunk_id for hit in ranking] == names[::-1]


def test_an_empty_corpus_says_what_to_do() -> None:
    with pytest.raises(RetrieverError, match="the set has no chunks; run goldgen synth PATH first"):
        DenseRetriever([], BagOfWords())


def test_a_vector_with_nan_names_its_chunk() -> None:
    with pytest.raises(RetrieverError, match="bag-of-words gave chunk 'c1' a vector with NaN"):
        DenseRetriever(chunks_of("apple", "broken", "cherry"), BrokenEmbedder())


def test_a_question_with_nan_fails() -> None:
    with pytest.raises(RetrieverError, match="'c0' got the score NaN"):
        DenseRetriever(chunks_of("apple"), BrokenEmbedder()).search("broken", 1)


def test_only_texts_that_the_cache_lacks_are_embedded_each_once_in_batches() -> None:
    inner, cache = BagOfWords(), DictCache()
    CachedEmbedder(inner, cache, "bag").encode(["apple"], query=False)
    CachedEmbedder(inner, cache, "bag", batch_size=2).encode(
        ["banana", "apple", "cherry", "banana", "x"], query=False
    )
    assert inner.batches == [("apple",), ("banana", "cherry"), ("x",)]


def test_questions_are_embedded_each_time_and_documents_once() -> None:
    inner, cache = BagOfWords(), DictCache()
    embedder = CachedEmbedder(inner, cache, "bag")
    document, question = embedder.encode(["apple"], query=False), embedder.encode(["apple"], query=True)
    assert not np.array_equal(document, question)
    assert np.array_equal(question, CachedEmbedder(inner, cache, "bag").encode(["apple"], query=True))
    assert np.array_equal(document, CachedEmbedder(inner, cache, "bag").encode(["apple"], query=False))
    assert len(inner.batches) == 3


def test_another_key_shares_no_vectors() -> None:
    inner, cache = BagOfWords(), DictCache()
    for key in ("one", "other"):
        CachedEmbedder(inner, cache, key).encode(["apple"], query=False)
    assert len(inner.batches) == 2


@given(st.lists(st.sampled_from(["apple", "banana pie", "cherry cake", ""])), st.booleans())
@settings(deadline=None)
def test_a_cache_changes_no_vector(texts: list[str], query: bool) -> None:
    embedder = CachedEmbedder(BagOfWords(), DictCache(), "bag", batch_size=2)
    plain = BagOfWords().encode(texts, query=query)
    for _ in range(2):
        cached = embedder.encode(texts, query=query)
        assert cached.dtype == np.float32
        assert np.array_equal(cached, plain)


@pytest.mark.parametrize("precision", ["float32", "float16"])
@pytest.mark.parametrize("block", [1, 7, 100])
def test_blocks_of_any_size_rank_alike_and_twins_tie_across_them(precision: Precision, block: int) -> None:
    corpus = [chunk(f"{number:02}", "x" * (number % 10)) for number in range(40)]
    whole = DenseRetriever(corpus, WideEmbedder(), precision)
    blocked = DenseRetriever(corpus, WideEmbedder(), precision, block)
    ranking = blocked.search("xxxx and more", 40)
    assert ranking == whole.search("xxxx and more", 40)
    assert len({hit.score for hit in ranking}) == 10


@given(st.integers(0, 500), st.integers(1, 60))
@settings(deadline=None, max_examples=30)
def test_float16_gives_the_ranking_of_float32_but_for_near_ties(seed: int, k: int) -> None:
    corpus = [chunk(f"{seed} {number}", "x" * (seed + number)) for number in range(60)]
    exact = DenseRetriever(corpus, WideEmbedder()).search("y" * (seed + 1000), 60)
    short = DenseRetriever(corpus, WideEmbedder(), "float16").search("y" * (seed + 1000), k)
    scores = {hit.chunk_id: hit.score for hit in exact}
    assert len(short) == k
    for rank, hit in enumerate(short):
        assert hit.score == pytest.approx(scores[hit.chunk_id], abs=1e-3)
        assert scores[hit.chunk_id] == pytest.approx(exact[rank].score, abs=2e-3)


def test_texts_are_embedded_a_block_at_a_time() -> None:
    embedder = BagOfWords()
    DenseRetriever(chunks_of("apple", "banana", "cherry"), embedder, block=2)
    assert embedder.batches == [("apple", "banana"), ("cherry",)]


def test_a_vector_with_nan_in_a_later_block_names_its_chunk() -> None:
    with pytest.raises(RetrieverError, match="gave chunk 'c2' a vector with NaN"):
        DenseRetriever(chunks_of("apple", "cherry", "broken"), BrokenEmbedder(), block=2)
