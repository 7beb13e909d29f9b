import hashlib
import socket
import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')

from huggingface_hub import close_session, constants
from tiny_bert import save_bert

from goldgen.errors import ModelError
from goldgen.models.cross_encoder import CrossEncoderScorer
from goldgen.models.encoders import LateInteractionScorer, SentenceTransformerEmbedder, open_embedder
from goldgen.models.weights import Weights, find_weights, hub_has, packaged_minilm, says_yes


@dataclass
class Hub:
    """A hub on loopback that keeps what it was asked, and answers 404 but for ``statuses``."""

    url: str
    statuses: Mapping[str, int] = field(default_factory=dict[str, int])
    asked: list[str] = field(default_factory=list[str])


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append(self.path)
            self.send_response(hub.statuses.get(self.path, 404))
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_POST = do_CONNECT = do_GET  # noqa: N815 # the base class looks for these names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub = Hub(f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


def test_weights_come_from_the_folder_then_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "hub"
    snapshot = cache / "models--someone--model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs" / "main").write_text("abc", encoding="utf-8")
    (snapshot / "config.json").write_text("{}", encoding="utf-8")
    assert find_weights("someone/model", offline=True, hub_cache=cache) is None, "half a download"
    (snapshot / "model.safetensors").write_bytes(b"x")
    found = find_weights("someone/model", offline=True, hub_cache=cache)
    assert found == Weights(str(snapshot), "cache")
    assert find_weights(str(snapshot), offline=True) == Weights(str(snapshot), "path")
    assert find_weights("not a name", offline=True, hub_cache=cache) is None
    assert find_weights(str(tmp_path / "nothing"), offline=True, hub_cache=cache) is None


def test_a_package_with_other_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "weights_package" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert packaged_minilm("weights_package", hashlib.sha256(b"weights").hexdigest()) == folder
    with pytest.raises(ModelError, match="is not the published all-MiniLM-L6-v2"):
        packaged_minilm("weights_package")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="reinstall weights_package"):
        packaged_minilm("weights_package")
    assert packaged_minilm("weights_package_missing") is None


def test_what_lies_on_this_machine_is_never_asked_of_the_network(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = tmp_path / "hub" / "models--someone--model"
    save_bert(cached / "snapshots" / "abc", labels=1)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc", encoding="utf-8")
    found = find_weights("someone/model", offline=False, hub_cache=tmp_path / "hub")
    weights = Weights(str(cached / "snapshots" / "abc"), "cache")
    assert found == weights
    # Whatever the libraries would ask of any other address goes through this, too.
    for scheme in ("http", "https", "all"):
        monkeypatch.setenv(f"{scheme}_proxy", hub.url)
    close_session()
    assert CrossEncoderScorer(weights, "m").score("plan", ["alpha"]).shape == (1,)
    assert LateInteractionScorer(weights, "m").score("plan", ["alpha"]).shape == (1,)
    assert SentenceTransformerEmbedder(weights, "m").encode(["alpha"], query=True).shape == (1, 16)
    assert hub.asked == []


def test_the_hub_counts_if_it_says_that_it_has_the_model(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.statuses = {"/api/models/someone/model": 200, "/api/models/someone/private": 401}

    def found(name: str, *, offline: bool = False) -> Weights | None:
        return find_weights(name, offline=offline, hub_cache=tmp_path)

    assert found("someone/model") == Weights("someone/model", "hub")
    assert found("someone/private") is None and found("someone/gone") is None
    assert len(hub.asked) == 3
    assert found("someone/model", offline=True) is None
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert found("someone/model") is None
    assert len(hub.asked) == 3, "offline asks nothing"


def test_a_proxy_leads_to_the_hub_or_refuses(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", hub.url)
    monkeypatch.setattr(constants, "ENDPOINT", "http://no-such-host.invalid")
    hub.statuses = {"http://no-such-host.invalid/api/models/someone/model": 200}
    assert hub_has("someone/model")
    hub.statuses = {}
    assert not hub_has("someone/model")


def test_a_hub_that_never_answers_fails_in_two_seconds_with_the_model_s_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # It takes the connection, as a firewall or a captive portal may, and says nothing.
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"the model someone/nowhere is no folder .* not to be had"):
            open_embedder("someone/nowhere", offline=False)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("name", ["../w", "./hfc", "-x/y", "a/b/c"])
def test_a_path_to_nothing_is_no_repository(name: str) -> None:
    assert find_weights(name, offline=True) is None


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "https://no-such-host.invalid", "no address", "ftp://x"]
)
def test_where_nothing_answers_is_no_hub(url: str) -> None:
    started = time.monotonic()
    assert not says_yes(url)
    assert time.monotonic() - started < 2
