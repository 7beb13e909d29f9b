"""What counts as a hub that has a model, and how long is waited for it."""

import socket
import threading
import time
from collections.abc import Generator
from contextlib import suppress

import pytest
from hub_server import HubServer, hub_server

from goldgen.models.hub import Hub, hub_at, hub_has

pytest.importorskip("huggingface_hub", reason='needs pip install "goldgen[dense]"')
FILES = {"config.json": b"{}", "model.safetensors": b"weights"}
PAGE = b"<html>Accept our terms of use</html>"
_SOON = 20
"""Seconds: far above any wait here, on however busy a machine, and far below what a silent server costs."""


@pytest.fixture
def server() -> Generator[HubServer]:
    with hub_server() as found:
        yield found


def test_it_has_what_it_lists_and_sends(server: HubServer) -> None:
    server.hold("someone/model", FILES)
    assert Hub(server.url).has("someone/model") and not Hub(server.url).has("someone/gone")
    assert server.asked[:2] == ["/api/models/someone/model", "/someone/model/resolve/main/model.safetensors"]


@pytest.mark.parametrize("files", [{"model.Q4_K_M.gguf": b"GGUF"}, {"0_Static/model.safetensors": b"w"}])
def test_weights_of_any_kind_and_in_any_folder_count(server: HubServer, files: dict[str, bytes]) -> None:
    server.hold("someone/model", files)
    assert Hub(server.url).has("someone/model")


@pytest.mark.parametrize("page", [PAGE, b'{"ok": true}', b'"yes"', b""])
def test_a_captive_portal_that_answers_everything_is_no_hub(server: HubServer, page: bytes) -> None:
    server.replies["*"] = 200, page
    assert not Hub(server.url).has("someone/model")


def test_a_model_whose_weights_are_not_given_is_not_there(server: HubServer) -> None:
    server.hold("someone/gated", FILES)
    server.replies["/someone/gated/resolve/main/model.safetensors"] = 403, b"ask for access"
    server.hold("someone/empty", FILES | {"model.safetensors": b""})
    server.hold("someone/other", {"README.md": b"words"})
    for name in ("gated", "empty", "other"):
        assert not Hub(server.url).has(f"someone/{name}"), name


@pytest.mark.parametrize("silent", ["/api/models/m/m", "/m/m/resolve/main/model.safetensors"])
def test_a_silent_hub_is_waited_for_once(server: HubServer, silent: str) -> None:
    server.hold("m/m", FILES)
    server.hold("m/other", FILES)
    server.silent.add(silent)
    hub, started = Hub(server.url, seconds=0.4), time.monotonic()
    assert not hub.has("m/m")
    assert 0.3 < time.monotonic() - started < _SOON
    asked = len(server.asked)
    assert not hub.has("m/m") and not hub.has("m/other")
    assert time.monotonic() - started < _SOON and len(server.asked) == asked


def test_no_hub_is_waited_for_longer_than_two_seconds(server: HubServer) -> None:
    server.silent.add("/api/models/m/m")
    started = time.monotonic()
    assert not Hub(server.url).has("m/m")
    assert 1.5 < time.monotonic() - started < _SOON


def test_a_hub_that_drips_is_left_in_time() -> None:
    """The time-out of an HTTP client starts anew at each byte, as that of a name's look-up never does."""

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nServer: ")
            while not left.wait(0.05):
                connection.sendall(b"x")

    left = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        started = time.monotonic()
        assert not Hub(f"http://127.0.0.1:{listening.getsockname()[1]}", seconds=0.4).has("m/m")
        assert time.monotonic() - started < _SOON
        left.set()
        thread.join()


def test_the_token_of_the_environment_goes_along(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    server.hold("someone/private", FILES)
    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert hub_has("someone/private")
    assert set(server.keys) == {"Bearer hf_secret"}
    monkeypatch.delenv("HF_TOKEN")
    server.keys.clear()
    assert Hub(server.url).has("someone/private") and set(server.keys) == {None}


def test_one_hub_is_kept_for_each_address() -> None:
    assert hub_at("http://127.0.0.1:9") is hub_at("http://127.0.0.1:9")
    assert hub_at("http://127.0.0.1:9") is not hub_at("http://127.0.0.1:10")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "https://no-such-host.invalid", "no address", "ftp://x"]
)
def test_where_nothing_answers_is_no_hub(url: str) -> None:
    started = time.monotonic()
    assert not Hub(url).has("someone/model")
    assert time.monotonic() - started < _SOON
