"""A scripted /rerank endpoint on loopback."""

import json
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import SecretStr

from goldgen.models.endpoints import Endpoint
from goldgen.models.rerank_endpoint import RerankEndpointScorer

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
