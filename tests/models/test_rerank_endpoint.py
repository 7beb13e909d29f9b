import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint
from goldgen.models.rerank_endpoint import RerankEndpointScorer
from goldgen.models.scoring import Lengths

Answer = tuple[int, object]
"""Status and body: text as it is, anything else as JSON."""


@dataclass
class Server:
    """Answers each request by ``answer``, and keeps what was asked."""

    answer: Callable[[dict[str, Any]], Answer]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Path and authorization."""
    url: str = ""


@contextmanager
def serving(
    answer: Callable[[dict[str, Any]], Answer], headers: Mapping[str, str] | None = None
) -> Generator[Server]:
    script = Server(answer, headers or {})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.asked.append(asked)
            script.seen.append((self.path, self.headers["Authorization"]))
            status, body = script.answer(asked)
            sent = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **script.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            # A client that has given up is gone.
            with suppress(BrokenPipeError):
                self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def scorer(server: Server, *, key: str = "", timeout: float = 20.0) -> RerankEndpointScorer:
    return RerankEndpointScorer(Endpoint("m", server.url, SecretStr(key), timeout))


def cohere(asked: dict[str, Any]) -> Answer:
    """As vLLM, llama.cpp, Cohere and Jina answer: best first, each with its place among the documents."""
    scored = [(float(text.split()[0]), index) for index, text in enumerate(asked["documents"])]
    results = [{"index": index, "relevance_score": score} for score, index in sorted(scored, reverse=True)]
    return 200, {"model": asked["model"], "results": results[: asked["top_n"]]}


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
            'gave nan for the question "why" and the text "bad"',
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


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (413, {"error": "Input validation error: `inputs` must have less than 512 tokens. Given: 534"}),
        (400, {"error": {"message": "This model's maximum context length is 512 tokens", "code": 400}}),
        (500, {"error": {"message": "input is too large to process. increase the physical batch size"}}),
    ],
    ids=["text-embeddings-inference", "vLLM", "llama.cpp"],
)
def test_a_text_refused_as_too_long_has_the_score_of_its_best_window(status: int, refusal: object) -> None:
    def answer(asked: dict[str, Any]) -> Answer:
        if any(len(text) > 1000 for text in asked["documents"]):
            return status, refusal
        scored = enumerate(text.count("gold") for text in asked["documents"])
        return 200, {"results": [{"index": index, "relevance_score": score} for index, score in scored]}

    long = "x " * 1500 + "gold gold gold" + " y" * 100
    with serving(answer) as server:
        reranker = scorer(server)
        found = reranker.score("q", ["gold", "lead", long, "gold gold"])
    assert found.tolist() == [1, 0, 3, 2]
    assert reranker.lengths == Lengths(4, 1), "its parts are no texts of their own"
    assert len(server.asked) < 25


def test_a_question_that_is_itself_too_long_fails_with_its_pair() -> None:
    with (
        serving(lambda _: (413, {"error": "must have less than 512 tokens"})) as server,
        pytest.raises(ModelError, match='too long is the question "why" and the text "a b"'),
    ):
        scorer(server).score("why", ["a b", "c"])


@pytest.mark.parametrize(("status", "code"), [(401, "invalid_key"), (404, "not_found")])
def test_what_no_waiting_cures_fails_at_once(status: int, code: str) -> None:
    refusal = {"error": {"message": f"because {code} of sk-secret-123"}}
    with (
        serving(lambda _: (status, refusal)) as server,
        pytest.raises(EndpointError, match=f"refused reranking by m .*because {code}") as caught,
    ):
        scorer(server, key="sk-secret-123").score("q", ["a"])
    assert len(server.asked) == 1
    assert "sk-secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_passing_refusal_is_tried_again() -> None:
    replies = iter([(429, {"error": "slow down"}), (503, {"error": "busy"})])
    with serving(lambda asked: next(replies, cohere(asked)), {"Retry-After": "0.05"}) as server:
        assert scorer(server).score("q", ["7 a"]).tolist() == [7]
    assert len(server.asked) == 3


def test_a_server_that_never_answers_costs_one_deadline() -> None:
    def silent(_: object) -> Answer:
        time.sleep(0.8)
        return 200, {}

    started = time.monotonic()
    with serving(silent) as server:
        with pytest.raises(EndpointError, match=r"nothing answers at .* within 0\.3 s"):
            scorer(server, timeout=0.3).score("q", ["a"])
        assert time.monotonic() - started < 0.75
