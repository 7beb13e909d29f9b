import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain

import numpy as np
import pytest

from goldgen.errors import EndpointError, ModelError
from goldgen.models.embeddings_endpoint import EndpointEmbedder

ROW = [3.0, 4.0]


@dataclass
class Script:
    """What the server answers: one status, headers and body a request; then the last again."""

    answers: list[tuple[int, dict[str, str], str]] = field(
        default_factory=list[tuple[int, dict[str, str], str]]
    )
    delay: float = 0.0
    inputs: list[list[str]] = field(default_factory=list[list[str]])
    keys: list[str] = field(default_factory=list[str])


@contextmanager
def serving(script: Script) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.inputs.append(asked["input"])
            script.keys.append(self.headers["Authorization"])
            time.sleep(script.delay)
            status, headers, body = 200, dict[str, str](), embeddings([ROW] * len(asked["input"]))
            if script.answers:
                status, headers, body = script.answers[min(len(script.inputs), len(script.answers)) - 1]
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def embeddings(rows: list[list[float]]) -> str:
    return json.dumps({"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]})


def error(message: str, code: str) -> str:
    return json.dumps({"error": {"message": message, "code": code, "type": code}})


def test_rows_are_normalised_and_sent_in_batches_of_64() -> None:
    script = Script()
    with serving(script) as url:
        vectors = EndpointEmbedder(url, "k", "m").encode([str(n) for n in range(150)], query=False)
    assert vectors.shape == (150, 2)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 150, rtol=1e-6)
    assert [len(batch) for batch in script.inputs] == [64, 64, 22]
    assert list(chain.from_iterable(script.inputs)) == [str(n) for n in range(150)]
    assert script.keys[0] == "Bearer k"


def test_rows_follow_their_index_not_their_place() -> None:
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    with serving(Script([(200, {}, json.dumps({"data": data}))])) as url:
        vectors = EndpointEmbedder(url, "k", "m").encode(["a", "b"], query=True)
    np.testing.assert_array_equal(vectors, [[1, 0], [0, 1]])


def test_no_texts_ask_nothing_and_keep_the_dimensions() -> None:
    script = Script()
    with serving(script) as url:
        embedder = EndpointEmbedder(url, "", "m")
        assert embedder.encode([], query=False).shape == (0, 0)
        embedder.encode(["a", ""], query=False)
        assert embedder.encode([], query=False).shape == (0, 2)
    assert script.inputs == [["a", " "]], "OpenAI refuses an empty text"


def test_a_passing_refusal_is_tried_again_after_the_time_asked_for() -> None:
    script = Script(
        [
            (429, {"Retry-After": "0.3"}, error("slow down", "rate_limit_exceeded")),
            (503, {"Retry-After": "0"}, error("busy", "busy")),
            (200, {}, embeddings([ROW])),
        ]
    )
    with serving(script) as url:
        started = time.monotonic()
        assert EndpointEmbedder(url, "k", "m").encode(["a"], query=False).shape == (1, 2)
    assert len(script.inputs) == 3
    assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize(
    ("status", "code"), [(401, "invalid_api_key"), (404, "model_not_found"), (429, "insufficient_quota")]
)
def test_what_no_waiting_cures_fails_at_once(status: int, code: str) -> None:
    script = Script([(status, {}, error(f"because {code}", code))])
    with serving(script) as url, pytest.raises(EndpointError, match=f"because {code}") as caught:
        EndpointEmbedder(url, "sk-secret", "m").encode(["a"], query=False)
    assert len(script.inputs) == 1
    assert url in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (embeddings([ROW]), "1 vectors for 2 texts"),
        (embeddings([ROW, ROW, ROW]), "3 vectors for 2 texts"),
        (embeddings([ROW, [1.0]]), "different lengths"),
        (embeddings([ROW, [float("nan"), 1.0]]), "not finite"),
        (embeddings([ROW, [float("inf"), 1.0]]), "not finite"),
        ('{"data": [{"embedding": [null]}]}', "something else"),
        ("<html>sign in</html>", "something else"),
        ("{}", "something else"),
        ('{"error": {"message": "no memory"}}', r"answered embeddings by m with an error \(no memory\)"),
    ],
)
def test_an_unusable_reply_is_an_error_that_names_the_endpoint(body: str, says: str) -> None:
    with serving(Script([(200, {}, body)])) as url, pytest.raises(ModelError, match=says) as caught:
        EndpointEmbedder(url, "k", "m").encode(["a", "b"], query=False)
    assert url in str(caught.value)


def test_a_server_that_never_answers_costs_one_deadline() -> None:
    started = time.monotonic()
    with serving(Script(delay=5)) as url:
        with pytest.raises(EndpointError, match="did not finish embeddings by m within"):
            EndpointEmbedder(url, "k", "m", deadline=0.5).encode(["a"], query=False)
        assert time.monotonic() - started < 4.5


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    script = Script([(429, {"Retry-After": "60"}, error("slow down", "rate_limit_exceeded"))])
    started = time.monotonic()
    with serving(script) as url, pytest.raises(ModelError, match="slow down"):
        EndpointEmbedder(url, "k", "m", deadline=5).encode(["a"], query=False)
    assert time.monotonic() - started < 4


def test_nothing_listening_is_said() -> None:
    with serving(Script()) as url:
        pass
    with pytest.raises(EndpointError, match="is the server running"):
        EndpointEmbedder(url, "k", "m", deadline=1).encode(["a"], query=False)
