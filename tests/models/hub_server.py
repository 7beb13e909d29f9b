"""A hub on loopback."""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class HubServer:
    """Keeps what it was asked, and answers 404 but for ``replies``: status and body by path."""

    url: str
    replies: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    asked: list[str] = field(default_factory=list[str])
    keys: list[str | None] = field(default_factory=list[str | None])
    silent: set[str] = field(default_factory=set[str])
    """Paths for which the connection is taken and nothing said."""
    left: threading.Event = field(default_factory=threading.Event)

    def hold(self, repository: str, files: Mapping[str, bytes], site: str = "") -> None:
        """Serve a repository, as the hub does."""
        listing = {"id": repository, "siblings": [{"rfilename": name} for name in files]}
        self.replies[f"{site}/api/models/{repository}"] = 200, json.dumps(listing).encode()
        for name, content in files.items():
            self.replies[f"{site}/{repository}/resolve/main/{name}"] = 200, content


@contextmanager
def hub_server() -> Generator[HubServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append(self.path)
            hub.keys.append(self.headers["Authorization"])
            if self.path in hub.silent:
                hub.left.wait(60)
                return
            status, body = hub.replies.get(self.path, hub.replies.get("*", (404, b"")))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_POST = do_CONNECT = do_GET  # noqa: N815 # the base class looks for these names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub = HubServer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        hub.left.set()
        server.shutdown()
        thread.join()
        server.server_close()
