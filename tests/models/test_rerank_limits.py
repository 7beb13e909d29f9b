"""How much a /rerank endpoint takes at once, and how long it is waited for."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pydantic import SecretStr
from rerank_server import Answer, cohere, scorer, serving

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint
from goldgen.models.rerank_endpoint import RerankEndpointScorer
from goldgen.models.scoring import Lengths

_SOON = 20
"""Seconds: far above any deadline here, on however busy a machine, and far below what is waited for else."""


def limited(longest: int, most: int = 32, status: int = 413, refusal: object = "") -> Callable[..., Answer]:
    """A server that takes texts of so many characters, and so many of them; gold is what it counts."""

    def answer(asked: dict[str, Any]) -> Answer:
        texts: list[str] = asked["documents"]
        if len(texts) > most or any(len(text) > longest for text in texts):
            return status, refusal
        scored = enumerate(text.count("gold") for text in texts)
        return 200, {"results": [{"index": index, "relevance_score": score} for index, score in scored]}

    return answer


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
    long = "x " * 1500 + "gold gold gold" + " y" * 100
    with serving(limited(1000, status=status, refusal=refusal)) as server:
        reranker = scorer(server)
        found = reranker.score("q", ["gold", "lead", long, "gold gold"])
    assert found.tolist() == [1, 0, 3, 2]
    assert reranker.lengths == Lengths(4, 1), "its parts are no texts of their own"
    assert len(server.asked) < 12


def test_the_length_that_a_server_takes_is_learnt_once() -> None:
    texts = [f"{'x ' * 700}{'gold ' * number}" for number in range(50)]
    with serving(limited(500)) as server:
        reranker = scorer(server)
        assert reranker.score("q", texts).max() >= 49
        assert len(server.asked) <= 35, "of 50 texts in four windows and more each"
        before = len(server.asked)
        again = reranker.score("another", [*texts, "gold"])
        assert len(server.asked) - before <= 15, "nothing is refused any more"
        assert again[-1] == 1 and reranker.lengths == Lengths(51, 50)


def test_the_number_of_texts_that_a_server_takes_is_learnt_once() -> None:
    with serving(limited(10**6, most=8)) as server:
        reranker = scorer(server)
        assert reranker.score("q", ["gold"] * 32).tolist() == [1] * 32
        before = len(server.asked)
        assert reranker.score("another", ["lead", *["gold"] * 31]).tolist() == [0, *[1] * 31]
        assert len(server.asked) - before == 4
        assert reranker.lengths.longer == 0


def test_texts_are_cut_until_they_are_short_and_no_further() -> None:
    text = "a" * 400
    with serving(limited(156)) as server:
        assert scorer(server).score("q", [text]).tolist() == [0]
    with (
        serving(limited(155)) as server,
        pytest.raises(ModelError, match='too long is the question "q" and the text "aaa'),
    ):
        scorer(server).score("q", [text])


def test_a_question_that_is_itself_too_long_fails_with_its_pair() -> None:
    with (
        serving(lambda _: (413, {"error": "must have less than 512 tokens"})) as server,
        pytest.raises(ModelError, match='too long is the question "why" and the text "a b"'),
    ):
        scorer(server).score("why", ["a b", "c"])


def test_a_server_that_never_answers_costs_one_deadline() -> None:
    left = threading.Event()

    def silent(_: object) -> Answer:
        left.wait(60)
        return 200, {}

    started = time.monotonic()
    with serving(silent) as server:
        with pytest.raises(EndpointError, match=r"did not finish reranking by m within 0\.3 s"):
            scorer(server, timeout=0.3).score("q", ["a"])
        assert time.monotonic() - started < _SOON
        left.set()


def test_one_deadline_holds_for_all_requests_of_a_question() -> None:
    def slow(asked: dict[str, Any]) -> Answer:
        time.sleep(0.4)
        return cohere(asked)

    with serving(slow) as server:
        with pytest.raises(EndpointError, match=r"did not finish .* within 1 s"):
            scorer(server, timeout=1).score("q", ["1 a"] * 32 * 9)
        # All nine would take 3.6 s.
        assert 1 <= len(server.asked) <= 3


@pytest.mark.parametrize("dripping", ["head", "body"])
def test_a_server_that_drips_is_left_at_the_deadline(dripping: str) -> None:
    def drip(server: socket.socket, left: threading.Event) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.recv(65536)
            if dripping == "body":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nServer: ")
            while not left.wait(0.05):
                connection.sendall(b"x")

    left = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server, left))
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        started = time.monotonic()
        with pytest.raises(EndpointError, match=r"did not finish reranking by m within 0\.4 s"):
            RerankEndpointScorer(Endpoint("m", url, SecretStr(""), 0.4)).score("q", ["a"])
        assert time.monotonic() - started < _SOON
        left.set()
        thread.join()
