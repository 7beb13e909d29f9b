"""A search service in a process of its own, for the chunks of a JSONL file, without a word of goldgen.

    python search_service.py CHUNKS.jsonl

It prints its port, and answers POST {"question": …, "k": …}: in two pieces at /search; at /dies it ends after
the first answer; at /fails it has no more answers after the first.
"""

import json
import os
import re
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, cast


class Service(ThreadingHTTPServer):
    def __init__(self, chunks: Sequence[dict[str, str]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = count(1)
        self._words = {chunk["id"]: words(chunk["text"]) for chunk in chunks}

    def hits(self, question: str, k: int) -> list[dict[str, Any]]:
        """The share of the question's words that a chunk has, and a little more for a short one."""
        wanted = words(question)
        scores = {
            chunk_id: len(wanted & found) / len(wanted) + 0.1 / len(found)
            for chunk_id, found in self._words.items()
            if wanted & found
        }
        best = sorted(scores.items(), key=lambda scored: (scored[1], scored[0]), reverse=True)
        return [{"id": chunk_id, "score": score} for chunk_id, score in best[:k]]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        service = cast(Service, self.server)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first = next(service.asked) == 1
        if self.path == "/fails" and not first:
            self.send_error(500, "the index is being rebuilt")
            return
        body = json.dumps({"hits": service.hits(asked["question"], asked["k"])}).encode()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (body[:25], body[25:], b""):
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        if self.path == "/dies":
            os._exit(0)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library's name
        pass


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as lines, Service([*map(json.loads, lines)]) as running:
        print(running.server_port, flush=True)  # noqa: T201  what the test waits for
        running.serve_forever()
