"""An OpenAI-compatible HTTP server on loopback that does what a script says and records what it was asked.

    with Stub(lambda number, body: ok({"name": "Ada"})) as stub:
        ...  # ask stub.url, which ends in /v1
    assert stub.chats[0].body["model"] == "gen"

A script is called with the number of the chat request, from 0, and its JSON body, and returns a ``Reply``.
Requests to /embeddings and /models are answered without it. ``python -m stub`` serves in its own process.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, Self

Body = Mapping[str, Any]
_NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. ``hang`` keeps the request open, ``drop`` closes it without a word."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS)
    delay: float = 0.0
    """Seconds before the answer."""
    hang: bool = False
    drop: bool = False


Script = Callable[[int, Body], Reply]


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: Body
    at: float
    """time.monotonic() at its arrival."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply as it went out."""

    request: Request
    reply: Reply
    at: float
    """time.monotonic() after its last byte."""


class Stub:
    """The server. With ``slots`` it answers 503 to whatever exceeds that number of chats at once.

    ``recording=False`` keeps no requests and answers, for long runs.
    """

    def __init__(self, script: Script, *, slots: int | None = None, recording: bool = True) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.answers: list[Answer] = []
        """Of all requests but those that hung, were dropped, or whose asker had gone."""
        self.most_at_once = 0
        self.refused = 0
        """Chats that met no free slot; the script did not see them."""
        self._slots = slots
        self._recording = recording
        self._seen = self._open = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> Sequence[Request]:
        """The chat requests, in the order in which they came."""
        return [request for request in self.requests if request.path == "/v1/chat/completions"]

    @property
    def closing(self) -> bool:
        """Nothing more is answered, on connections that are kept alive neither."""
        return self._closing.is_set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: Request) -> Reply:
        """Record a request and return the reply to it, after its delay."""
        if self._recording:
            with self._lock:
                self.requests.append(request)
        if request.path == "/v1/chat/completions":
            return self._chat(request)
        if request.path == "/v1/embeddings":
            rows = [{"index": i, "embedding": _vector(t)} for i, t in enumerate(request.body["input"])]
            return Reply(body=json.dumps({"object": "list", "data": rows}))
        if request.path == "/v1/models":
            return Reply(body=json.dumps({"object": "list", "data": [{"id": "gen", "object": "model"}]}))
        return Reply(404, "<html>\n<body>404 Not Found</body>\n</html>", {"Content-Type": "text/html"})

    def answered(self, request: Request, reply: Reply) -> None:
        """Record that a reply went out."""
        if self._recording:
            with self._lock:
                self.answers.append(Answer(request, reply, time.monotonic()))

    def _chat(self, request: Request) -> Reply:
        with self._lock:
            if self._slots is not None and self._open >= self._slots:
                self.refused += 1
                return Reply(503, json.dumps({"error": {"message": "no free slot"}}), {"Retry-After": "0.05"})
            number, self._seen = self._seen, self._seen + 1
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            reply = self.script(number, request.body)
            self._closing.wait(60 if reply.hang else reply.delay)
            return reply
        finally:
            with self._lock:
                self._open -= 1


class StartStub(Protocol):
    """The fixture ``start_stub``: starts a server that ends with the test."""

    def __call__(self, script: Script, *, slots: int | None = None) -> Stub: ...


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client was killed or gave up, as some tests want
                super().handle()

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            sent = self.rfile.read(length)
            if sent and len(sent) == length:
                self._answer(json.loads(sent))
            else:
                self.close_connection = True  # the client was killed in the middle of its request

        def _answer(self, body: Body) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, body, time.monotonic())
            reply = stub.answer(request)
            if reply.hang or reply.drop or stub.closing:
                self.close_connection = True
                return
            self.wfile.write(_as_sent(reply))
            stub.answered(request, reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    return Handler


def _as_sent(reply: Reply) -> bytes:
    """Head and body in one piece, since two would wait for each other on a connection kept alive."""
    body = reply.body.encode()
    headers = {"Content-Type": "application/json", **reply.headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} \r\n{head}\r\n".encode("latin-1") + body


def _vector(text: str) -> list[float]:
    """Three numbers that depend on nothing but the text."""
    return [1.0, float(len(text) % 7), float(sum(map(ord, text)) % 11)]
