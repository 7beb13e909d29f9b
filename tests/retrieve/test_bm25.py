import random
import unicodedata
from collections.abc import Callable, Sequence
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_corpus import chunk, chunks_of

from goldgen.errors import RetrieverError
from goldgen.retrieve import BM25Retriever, OkapiRetriever
from goldgen.text.words import words
from goldgen.types import Chunk, Retriever

Build = Callable[[Sequence[Chunk]], Retriever]
both = pytest.mark.parametrize("build", [BM25Retriever, OkapiRetriever])
some_words = st.lists(st.sampled_from(["a", "b", "c", "!"]), max_size=5).map(" ".join)
texts = st.lists(some_words, min_size=1, max_size=12)


def ids(retriever: Retriever, question: str, k: int = 10) -> list[str]:
    return [hit.chunk_id for hit in retriever.search(question, k)]


@both
def test_an_empty_corpus_says_what_to_do(build: Build) -> None:
    with pytest.raises(RetrieverError, match="nothing to search: the set has no chunks; run goldgen synth"):
        build([])


@both
def test_a_corpus_without_words_says_so(build: Build) -> None:
    with pytest.raises(RetrieverError, match="none of the 2 chunks holds a word"):
        build(chunks_of("...", "!?"))


@both
@pytest.mark.parametrize(
    ("corpus", "question", "found"),
    [
        (["the pod restarts"], "why does the pod restart", ["c0"]),
        (["the pod restarts", "a chart upgrades"], "pod", ["c0"]),
        (["the pod restarts", "a chart upgrades"], "chart", ["c1"]),
        (["the of and", "the of", "the"], "the", ["c0", "c1", "c2"]),
        (["the of and", "the of", "the"], "and the", ["c0", "c1", "c2"]),
        (["the pod restarts", "a chart upgrades"], "helm", []),
        (["the pod restarts", "a chart upgrades"], "", []),
        (["the pod restarts", "!?"], "!?", []),
    ],
)
def test_a_true_match_is_a_hit_whatever_its_score_and_nothing_else_is(
    build: Build, corpus: list[str], question: str, found: list[str]
) -> None:
    assert sorted(ids(build(chunks_of(*corpus)), question)) == found


@both
def test_an_id_that_stands_twice_is_an_error(build: Build) -> None:
    with pytest.raises(RetrieverError, match="'twice' stands twice"):
        build([chunk("twice", "one"), chunk("once", "two"), chunk("twice", "three")])


@both
def test_context_is_indexed(build: Build) -> None:
    retriever = build([chunk("a", "Set it to 3.", "Retries"), chunk("b", "Set it to 4."), chunk("c", "No.")])
    assert ids(retriever, "retries") == ["a"]


@both
def test_decomposed_question_finds_composed_text_and_the_reverse(build: Build) -> None:
    retriever = build(chunks_of("café ouvert", unicodedata.normalize("NFD", "thé glacé"), "rien"))
    assert ids(retriever, unicodedata.normalize("NFD", "café")) == ["c0"]
    assert ids(retriever, "glacé") == ["c1"]


@both
def test_a_japanese_corpus_is_searched_by_parts_of_its_runs(build: Build) -> None:
    retriever = build(chunks_of("東京都の天気は晴れです", "大阪府の天気は雨です", "サーバーを再起動する"))
    assert ids(retriever, "東京", 1) == ["c0"]
    assert ids(retriever, "再起動の方法", 1) == ["c2"]


@both
def test_twins_tie_by_id_descending_in_whatever_order_they_are_indexed(build: Build) -> None:
    twins = [chunk(name, "the same words") for name in ("a", "B", "10", "9", "é")]
    for seed in range(5):
        shuffled = random.Random(seed).sample(twins, len(twins))
        assert ids(build(shuffled), "same words") == ["é", "a", "B", "9", "10"]
        assert ids(build(shuffled), "same words", 2) == ["é", "a"]


@both
@given(texts, some_words, st.integers(0, 6), st.sets(st.integers(0, 5)))
@settings(deadline=None, max_examples=60)
def test_a_ranking_is_ordered_cut_at_k_and_without_the_hidden(
    build: Build, corpus: list[str], question: str, k: int, hidden_numbers: set[int]
) -> None:
    if not any(map(words, corpus)):
        return
    retriever = build(chunks_of(*corpus))
    everything = retriever.search(question, 100)
    sharing = {f"c{n}" for n, text in enumerate(corpus) if set(words(text)) & set(words(question))}
    assert {hit.chunk_id for hit in everything} == sharing
    by_rule = sorted(everything, key=lambda hit: (hit.score, hit.chunk_id), reverse=True)
    assert list(everything) == by_rule
    hidden = frozenset(f"c{number}" for number in hidden_numbers)
    visible = tuple(hit for hit in everything if hit.chunk_id not in hidden)
    assert retriever.search(question, k, hidden) == visible[:k]


def test_scores_are_those_of_lucene() -> None:
    corpus = chunks_of("apple apple banana", "banana cherry", "cherry date elder fig grape")
    scores = {hit.chunk_id: hit.score for hit in BM25Retriever(corpus).search("apple banana", 10)}
    lengths, mean_length = (3, 2), 10 / 3

    def weight(frequency: int, holding: int, length: int) -> float:
        rarity = log(1 + (3 - holding + 0.5) / (holding + 0.5))
        return rarity * frequency / (frequency + 1.2 * (1 - 0.75 + 0.75 * length / mean_length))

    assert scores == pytest.approx(
        {"c0": weight(2, 1, lengths[0]) + weight(1, 2, lengths[0]), "c1": weight(1, 2, lengths[1])}, abs=1e-12
    )


def test_indexing_and_searching_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    BM25Retriever(chunks_of("one", "two")).search("one", 1)
    assert capfd.readouterr() == ("", "")
