from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr
from rerank_server import Answer, cohere, scorer, serving

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint
from goldgen.models.rerank_endpoint import RerankEndpointScorer
from goldgen.models.scoring import Lengths


def tei(asked: dict[str, Any]) -> Answer:
    """As Hugging Face's text-embeddings-inference does."""
    if "texts" not in asked:
        return 422, "Failed to deserialize the JSON body: missing field `texts` at line 1 column 90"
    scored = [(float(text.split()[0]), index) for index, text in enumerate(asked["texts"])]
    return 200, [{"index": index, "score": score} for score, index in sorted(scored, reverse=True)]


def results(*rows: object) -> Callable[[dict[str, Any]], Answer]:
    return lambda _: (200, {"results": rows})


def test_scores_follow_the_index_and_texts_go_in_batches_of_32() -> None:
    texts = [f"{number} text" for number in range(-35, 35)]
    with serving(cohere) as server:
        reranker = scorer(server, key="sk-secret")
        found = reranker.score("why?", texts)
    np.testing.assert_array_equal(found, np.arange(-35.0, 35.0))
    assert (found.dtype, reranker.name, reranker.lengths) == (np.float64, "m", Lengths(70, 0))
    assert [len(asked["documents"]) for asked in server.asked] == [32, 32, 6]
    assert server.asked[0] | {"documents": []} == {
        "model": "m",
        "query": "why?",
        "documents": [],
        "top_n": 32,
    }
    assert set(server.seen) == {("/v1/rerank", "Bearer sk-secret")}


def test_a_server_that_wants_texts_is_asked_so_and_for_raw_scores() -> None:
    with serving(tei) as server:
        reranker = scorer(server)
        for _ in range(2):
            np.testing.assert_array_equal(reranker.score("q", ["1 a", "-3.5 b", "2 c"]), [1, -3.5, 2])
    assert [sorted(asked) for asked in server.asked] == [
        ["documents", "model", "query", "top_n"],
        ["query", "raw_scores", "texts"],
        ["query", "raw_scores", "texts"],
    ], "what it wants is learnt once"


def test_no_texts_ask_nothing_and_an_empty_one_is_sent_as_a_space() -> None:
    with serving(results({"index": 0, "relevance_score": 0.5})) as server:
        assert scorer(server).score("q", []).shape == (0,)
        assert scorer(server).score("q", [""]).tolist() == [0.5]
    assert [asked["documents"] for asked in server.asked] == [[" "]]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"index": 0, "relevance_score": 1}], '1 scores for 2 texts, and none for .*"why" .*text "bad"'),
        (
            [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 2}],
            'two scores for .*"why" and the text "good"',
        ),
        (
            [{"index": 0, "relevance_score": 1}, {"relevance_score": 2}],
            'a score for text None of 2 for the question "why"',
        ),
        ([{"index": 2, "relevance_score": 1}], "a score for text 2 of 2"),
        ([{"index": -1, "relevance_score": 1}], "a score for text -1 of 2"),
        (
            [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": float("nan")}],
            'gave nan for the question "why" and the text "bad"',
        ),
        (
            [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": None}],
            'gave no score for the question "why" and the text "bad"',
        ),
        (
            [{"index": 1, "relevance_score": float("inf")}, {"index": 0, "relevance_score": 1}],
            'gave inf for the question "why" and the text "bad"',
        ),
    ],
)
def test_a_reply_that_lacks_a_pair_s_score_names_the_pair(rows: list[object], says: str) -> None:
    with serving(results(*rows)) as server, pytest.raises(ModelError, match=says) as caught:
        scorer(server).score("why", ["good", "bad"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("body", ["<html>sign in</html>", {}, {"results": [{"index": "one"}]}, "null"])
def test_a_reply_that_is_something_else_is_one_line(body: object) -> None:
    with (
        serving(lambda _: (200, body)) as server,
        pytest.raises(ModelError, match="gave something else than scores by m") as caught,
    ):
        scorer(server).score("q", ["a"])
    assert server.url in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("error", ["out of memory", {"message": "out of memory", "code": 500}])
def test_an_error_with_status_200_is_shown(error: object) -> None:
    with (
        serving(lambda _: (200, {"error": error})) as server,
        pytest.raises(ModelError, match=r"answered reranking by m with an error \(out of memory\)"),
    ):
        scorer(server).score("q", ["a"])


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (401, "invalid_key", "check the key"),
        (403, "forbidden", "check the key, and what it may do"),
        (404, "not_found", "check the model's name, and that the URL ends as the server wants it"),
        (402, "payment", "the account has no quota left"),
        (429, "insufficient_quota", "the account has no quota left"),
    ],
)
def test_what_no_waiting_cures_fails_at_once(status: int, code: str, hint: str) -> None:
    refusal = {"error": {"message": f"because {code} of sk-secret-123", "code": code}}
    with (
        serving(lambda _: (status, refusal)) as server,
        pytest.raises(EndpointError, match=f"refused reranking by m .*because {code}.*: {hint}") as caught,
    ):
        scorer(server, key="sk-secret-123").score("q", ["a"])
    assert len(server.asked) == 1
    assert "sk-secret" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "hint"), [(429, "wait, or ask for a higher limit"), (500, "look at the server's log")]
)
def test_the_key_is_not_blamed_for_what_it_cannot_cure(status: int, hint: str) -> None:
    with (
        serving(lambda _: (status, {"error": "no"}), {"Retry-After": "0.01"}) as server,
        pytest.raises(ModelError, match=f": {hint}$"),
    ):
        scorer(server).score("q", ["a"])


def test_a_passing_refusal_is_tried_again() -> None:
    replies = iter([(429, {"error": "slow down"}), (503, {"error": "busy"})])
    with serving(lambda asked: next(replies, cohere(asked)), {"Retry-After": "0.05"}) as server:
        assert scorer(server).score("q", ["7 a"]).tolist() == [7]
    assert len(server.asked) == 3


def test_nothing_that_listens_is_said() -> None:
    reranker = RerankEndpointScorer(Endpoint("m", "http://127.0.0.1:9/v1", SecretStr(""), 0.3))
    with pytest.raises(EndpointError, match=r"nothing answers at http://127\.0\.0\.1:9/v1 .*is the server"):
        reranker.score("q", ["a"])
