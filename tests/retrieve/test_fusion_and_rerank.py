from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_corpus import chunks_of

from goldgen.errors import RetrieverError
from goldgen.retrieve import BM25Retriever, HybridRetriever, RerankRetriever
from goldgen.types import Hit, Ranking, Scores


class FixedRetriever:
    """Returns the same chunks for each question, first named first."""

    def __init__(self, *chunk_ids: str) -> None:
        self.ranking = tuple(Hit(name, -float(rank)) for rank, name in enumerate(chunk_ids))

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        return tuple(hit for hit in self.ranking if hit.chunk_id not in hidden)[:k]


class TableScorer:
    """Scores a text by a table of logits."""

    name = "table-scorer"

    def __init__(self, logits: dict[str, float]) -> None:
        self.logits = logits
        self.scored = 0

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        self.scored += len(texts)
        return np.array([self.logits[text] for text in texts], dtype=np.float64)


def ids(ranking: Ranking) -> list[str]:
    return [hit.chunk_id for hit in ranking]


def test_fusion_sums_reciprocal_ranks() -> None:
    hybrid = HybridRetriever([FixedRetriever("a", "b", "c"), FixedRetriever("b", "d")])
    ranking = hybrid.search("any", 10)
    assert ids(ranking) == ["b", "a", "d", "c"]
    expected = [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]
    assert [hit.score for hit in ranking] == pytest.approx(expected, abs=1e-15)


def test_fusion_ties_by_id_descending_whichever_retriever_is_named_first() -> None:
    # Each of a, b and c has the ranks 1, 2 and 7, whose shares add up differently in another order.
    rankings = [
        FixedRetriever("a", "b", "s", "t", "u", "v", "c"),
        FixedRetriever("c", "a", "w", "x", "y", "z", "b"),
        FixedRetriever("b", "c", "k", "l", "m", "n", "a"),
    ]
    for order in (rankings, rankings[::-1]):
        ranking = HybridRetriever(order).search("any", 3)
        assert ids(ranking) == ["c", "b", "a"]
        assert len({hit.score for hit in ranking}) == 1


def test_fusion_takes_depth_hits_from_each_and_leaves_the_hidden_out() -> None:
    hybrid = HybridRetriever([FixedRetriever("a", "b", "c"), FixedRetriever("d", "e", "f")], depth=2)
    assert ids(hybrid.search("any", 2)) == ["d", "a"]
    assert sorted(ids(hybrid.search("any", 2, frozenset({"d", "a"})))) == ["b", "e"]
    assert sorted(ids(hybrid.search("any", 10))) == ["a", "b", "c", "d", "e", "f"]
    assert hybrid.search("any", 0) == ()


def test_weights_and_k_are_values() -> None:
    first, second = FixedRetriever("a", "b"), FixedRetriever("b", "c")
    ranking = HybridRetriever([first, second], weights=[3, 0.5], k=1).search("any", 10)
    assert ids(ranking) == ["a", "b", "c"]
    assert [hit.score for hit in ranking] == pytest.approx([3 / 2, 3 / 3 + 0.5 / 2, 0.5 / 3], abs=1e-15)
    assert ids(HybridRetriever([first, second], weights=[0.5, 3]).search("any", 10)) == ["b", "c", "a"]


def test_a_retriever_without_weight_is_not_asked() -> None:
    asked = RerankRetriever(FixedRetriever("elsewhere"), TableScorer({}), chunks_of("here"))
    hybrid = HybridRetriever([FixedRetriever("a"), asked], weights=[1, 0])
    assert hybrid.search("any", 5) == (Hit("a", 1 / 61),)


@pytest.mark.parametrize("weights", [[], [1.0], [0, 0], [1, -1], [1, float("nan")], [1, float("inf")]])
def test_weights_that_do_not_fit_are_an_error(weights: list[float]) -> None:
    with pytest.raises(RetrieverError, match="2 retrievers cannot be fused with the weights"):
        HybridRetriever([FixedRetriever("a"), FixedRetriever("b")], weights=weights)


@pytest.mark.parametrize(("k", "depth"), [(-1, 100), (float("nan"), 100), (60, 0)])
def test_k_and_depth_that_do_not_fit_are_an_error(k: float, depth: int) -> None:
    with pytest.raises(RetrieverError, match=f"with k {k} and depth {depth}"):
        HybridRetriever([FixedRetriever("a")], k=k, depth=depth)


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=3), st.sampled_from([0.25, 2.0, 8.0]))
@settings(deadline=None)
def test_weights_count_in_proportion_only(orders: list[list[str]], factor: float) -> None:
    retrievers = [FixedRetriever(*order) for order in orders]
    weights = [1.0 + number for number in range(len(orders))]
    scaled = [factor * weight for weight in weights]
    assert ids(HybridRetriever(retrievers, weights).search("any", 6)) == ids(
        HybridRetriever(retrievers, scaled).search("any", 6)
    )


def test_fusion_of_nothing_is_an_error() -> None:
    with pytest.raises(RetrieverError, match="at least one retriever"):
        HybridRetriever([])


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=4), st.integers(0, 8))
@settings(deadline=None)
def test_a_fused_ranking_is_ordered_and_cut_at_k(orders: list[list[str]], k: int) -> None:
    hybrid = HybridRetriever([FixedRetriever(*order) for order in orders])
    everything = hybrid.search("any", 100)
    assert sorted(ids(everything)) == list("abcdef")
    assert list(everything) == sorted(everything, key=lambda hit: (hit.score, hit.chunk_id), reverse=True)
    assert hybrid.search("any", k) == everything[:k]


def test_reranking_orders_by_logits_that_a_sigmoid_would_make_equal() -> None:
    logits = {"pod one": 40.0, "pod two": 60.0, "pod three": -3.0}
    corpus = chunks_of(*logits)
    reranker = RerankRetriever(BM25Retriever(corpus), TableScorer(logits), corpus)
    assert reranker.search("pod", 10) == (Hit("c1", 60.0), Hit("c0", 40.0), Hit("c2", -3.0))


def test_only_the_candidates_are_scored_and_returned() -> None:
    corpus = chunks_of("zero", "one", "two", "three")
    scorer = TableScorer({"zero": 0.0, "one": 1.0, "two": 2.0, "three": 3.0})
    reranker = RerankRetriever(FixedRetriever("c0", "c1", "c2", "c3"), scorer, corpus, candidates=2)
    assert ids(reranker.search("any", 10)) == ["c1", "c0"]
    assert scorer.scored == 2
    assert ids(reranker.search("any", 1)) == ["c1"]
    assert ids(reranker.search("any", 10, frozenset({"c1"}))) == ["c2", "c0"]


def test_equal_logits_tie_by_id_descending() -> None:
    corpus = chunks_of("zero", "one")
    reranker = RerankRetriever(FixedRetriever("c0", "c1"), TableScorer({"zero": 1.0, "one": 1.0}), corpus)
    assert ids(reranker.search("any", 2)) == ["c1", "c0"]


def test_a_scorer_may_be_weighed_against_the_retriever_s_own_scores() -> None:
    corpus = chunks_of("zero", "one", "two")
    scorer = TableScorer({"zero": 1.0, "one": 10.0, "two": 1.0})
    first = FixedRetriever("c0", "c1", "c2")
    ranking = RerankRetriever(first, scorer, corpus, own_weight=1.0).search("any", 3)
    # Own scores are 0, -1, -2, those of the scorer 1, 10, 1: in standard deviations from their means.
    expected = {"c1": 1.5**0.5 * 0 + 2**0.5, "c0": 1.5**0.5 - 0.5**0.5, "c2": -(1.5**0.5) - 0.5**0.5}
    assert ids(ranking) == list(expected)
    assert [hit.score for hit in ranking] == pytest.approx(list(expected.values()), abs=1e-9)
    assert ids(RerankRetriever(first, scorer, corpus, own_weight=50).search("any", 3)) == ["c0", "c1", "c2"]


def test_equal_scores_leave_the_order_to_the_retriever() -> None:
    corpus = chunks_of("zero", "one")
    scorer = TableScorer({"zero": 0.1 + 0.2, "one": 0.3})
    for first in (FixedRetriever("c0", "c1"), FixedRetriever("c1", "c0")):
        reranker = RerankRetriever(first, scorer, corpus, own_weight=1.0)
        assert ids(reranker.search("any", 2)) == ids(first.search("any", 2))
    assert RerankRetriever(FixedRetriever("c0"), scorer, corpus, own_weight=1.0).search("any", 2) == (
        Hit("c0", 0.0),
    )


@pytest.mark.parametrize("size", [1.0, 1e9])
def test_what_rounding_leaves_of_equal_scores_moves_nothing(size: float) -> None:
    corpus = chunks_of("zero", "one", "two")
    scorer = TableScorer({"zero": 0.3 * size, "one": 0.3 * size, "two": (0.1 + 0.2) * size})
    reranker = RerankRetriever(FixedRetriever("c0", "c1", "c2"), scorer, corpus, own_weight=1.0)
    assert ids(reranker.search("any", 3)) == ["c0", "c1", "c2"]


def test_sums_that_differ_by_rounding_alone_tie_by_id_descending() -> None:
    corpus = chunks_of("zero", "one", "two", "three")
    # The scorer sees it exactly the other way round, so that each sum is 0.
    scorer = TableScorer({"zero": 0.1, "one": 0.2, "two": 0.3, "three": 0.4})
    reranker = RerankRetriever(FixedRetriever("c0", "c1", "c2", "c3"), scorer, corpus, own_weight=1.0)
    assert reranker.search("any", 4) == tuple(Hit(name, 0.0) for name in ("c3", "c2", "c1", "c0"))


def test_equal_texts_are_scored_once_and_tie() -> None:
    corpus = chunks_of("twin", "other", "twin")
    scorer = TableScorer({"twin": 1.0, "other": 2.0})
    ranking = RerankRetriever(FixedRetriever("c0", "c1", "c2"), scorer, corpus).search("any", 3)
    assert ranking == (Hit("c1", 2.0), Hit("c2", 1.0), Hit("c0", 1.0))
    assert scorer.scored == 2


def test_no_candidates_give_no_hits_and_no_call() -> None:
    corpus = chunks_of("pod")
    scorer = TableScorer({})
    assert RerankRetriever(BM25Retriever(corpus), scorer, corpus).search("helm", 5) == ()
    assert scorer.scored == 0


@pytest.mark.parametrize("score", ["nan", "inf", "-inf"])
def test_a_pair_without_a_number_as_score_is_named(score: str) -> None:
    corpus = chunks_of("good", "bad")
    scorer = TableScorer({"good": 1.0, "bad": float(score)})
    reranker = RerankRetriever(FixedRetriever("c0", "c1"), scorer, corpus)
    named = rf"table-scorer scored {score} for question 'why\?' and chunk 'c1'"
    with pytest.raises(RetrieverError, match=named):
        reranker.search("why?", 5)


def test_a_candidate_of_another_set_is_named() -> None:
    reranker = RerankRetriever(FixedRetriever("elsewhere"), TableScorer({}), chunks_of("here"))
    with pytest.raises(RetrieverError, match="'elsewhere' was retrieved but is not among the chunks"):
        reranker.search("any", 1)
