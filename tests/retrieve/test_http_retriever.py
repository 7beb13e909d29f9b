import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any, cast

import pytest

from goldgen.errors import RetrieverError
from goldgen.retrieve import HttpRetriever
from goldgen.types import Hit

CHUNK_IDS = ("a", "b", "c")


class Service(ThreadingHTTPServer):
    """A search service on loopback. The path of a request chooses how it answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[Any] = []
        self.released = Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    @property
    def service(self) -> Service:
        return cast(Service, self.server)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.service.asked.append((body, self.headers["Authorization"]))
        status, answer = self.answer(body)
        self.send_response(status)
        if self.path.startswith("/charset/"):
            self.send_header("Content-Type", f"text/html; charset={self.path.rpartition('/')[2]}")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def answer(self, body: Any) -> tuple[int, bytes]:
        match self.path.partition("?")[0]:
            case "/scored":
                hits: list[Any] = [
                    {"id": "b", "score": 2.0},
                    {"id": "x", "score": 1.0},
                    {"id": "a", "score": 0.5},
                ]
            case "/ids":
                hits = ["b", "a", "c"]
            case "/nan":
                hits = [{"id": "b", "score": float("nan")}]
            case "/list":
                return 200, b'["a"]'
            case "/text":
                return 200, b"<html>welcome</html>"
            case "/half":
                return 200, b'{"hits": ["\\ud83d"]}'
            case "/long":
                return 200, b'{"hits": [{"id": "a", "score": 1' + b"0" * 400 + b"}]}"
            case "/deep":
                return 200, b"[" * 100_000
            case path if path.startswith("/charset/refused/"):
                return 500, "außer Betrieb".encode()
            case path if path.startswith("/charset/"):
                return 200, "<html>außer Betrieb".encode()
            case "/slow":
                self.service.released.wait(10)
                hits = []
            case "/moved":
                return 302, b""
            case "/broken":
                return 500, b"Traceback:\n  no database"
            case _:
                return 404, b""
        return 200, json.dumps({"hits": hits[: body["k"]]}).encode()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library's name
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def opened(url: str, timeout: float = 5.0) -> HttpRetriever:
    return HttpRetriever(url, CHUNK_IDS, timeout)


def test_a_question_is_posted_and_hits_are_ranked(service: Service) -> None:
    retriever = opened(service.url("/scored"))
    assert retriever.search("wo läuft es?", 3) == (Hit("b", 2.0), Hit("x", 1.0), Hit("a", 0.5))
    assert service.asked == [({"question": "wo läuft es?", "k": 3}, None)]
    assert (retriever.replies.unknown, retriever.replies.scored) == (1, 1)
    retriever.close()


def test_bare_ids_and_hidden_ones(service: Service) -> None:
    retriever = opened(service.url("/ids"))
    assert [hit.chunk_id for hit in retriever.search("q", 2, frozenset({"b"}))] == ["a", "c"]
    assert service.asked[0][0]["k"] == 3
    retriever.close()


def test_password_and_query_are_sent_and_not_shown(service: Service) -> None:
    url = service.url("/missing?key=secret").replace("http://", "http://me:hidden@")
    retriever = opened(url)
    assert retriever.address == service.url("/missing")
    with pytest.raises(RetrieverError, match="HTTP status 404; see its log") as raised:
        retriever.search("q", 1)
    assert not {"secret", "hidden"} & set(str(raised.value).replace("=", " ").split())
    assert service.asked[0][1] == "Basic bWU6aGlkZGVu"
    retriever.close()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/broken", "answered with HTTP status 500: Traceback: no database; see its log"),
        ("/moved", "answered with HTTP status 302; see its log"),
        ("/text", "with something that is not JSON: '<html>welcome</html>'"),
        ("/list", r"""answered without "hits": \['a'\]; answer \{"hits": """),
        ("/nan", "gave 'b' the score nan"),
        ("/half", r"gave the id '\\ud83d', which holds half a character"),
        ("/long", "gave 'a' the score 10+; a score is a finite number"),
        ("/deep", "with JSON that is nested too deeply; answer"),
        ("/charset/idna", "something that is not JSON: '<html>außer Betrieb'"),
        ("/charset/rot13", "something that is not JSON: '<html>außer Betrieb'"),
        ("/charset/refused/hex", "answered with HTTP status 500: außer Betrieb; see its log"),
    ],
)
def test_an_answer_that_cannot_be_ranked_is_named(service: Service, path: str, message: str) -> None:
    retriever = opened(service.url(path))
    with pytest.raises(RetrieverError, match=message) as raised:
        retriever.search("why?", 10)
    assert retriever.address in str(raised.value)
    assert "\n" not in str(raised.value)
    retriever.close()


def test_a_service_that_does_not_answer_in_time(service: Service) -> None:
    retriever = opened(service.url("/slow"), timeout=0.2)
    with pytest.raises(RetrieverError, match=r"did not answer 'why\?' within 0\.2 s"):
        retriever.search("why?", 10)
    retriever.close()


def test_nothing_listens_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        retriever = opened(f"http://127.0.0.1:{port}/search")
        with pytest.raises(RetrieverError, match=rf"127.0.0.1:{port}/search cannot be reached"):
            retriever.search("why?", 10)
        retriever.close()


def test_a_proxy_is_not_asked_for_this_machine(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    retriever = opened(service.url("/ids"))
    assert len(retriever.search("q", 3)) == 3
    retriever.close()


@pytest.mark.skipif(find_spec("socksio") is not None, reason="the library for SOCKS is installed")
def test_a_socks_proxy_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(RetrieverError, match=r"pip install 'httpx2\[socks\]', or set NO_PROXY"):
        opened("http://search.example/retrieve")


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("http://localhost:8000/s", False),
        ("http://127.0.0.1/s", False),
        ("http://[::1]:8000/s", False),
        ("https://search.example/s", True),
        ("http://10.0.0.7/s", True),
    ],
)
def test_whether_questions_leave_this_machine(url: str, remote: bool) -> None:
    retriever = opened(url)
    assert retriever.host_is_remote is remote
    retriever.close()


@pytest.mark.parametrize(
    "url", ["ftp://host/s", "http://", "search", "http://host:port/s", f"http://{'a' * 64}.example/s"]
)
def test_what_is_no_address_is_named(url: str) -> None:
    with pytest.raises(RetrieverError, match="give one as http://host:port/path"):
        opened(url)
