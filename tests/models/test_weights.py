import hashlib
import socket
import time
from pathlib import Path

import pytest

from goldgen.errors import ModelError
from goldgen.models.weights import Weights, find_weights, is_reachable, packaged_minilm

pytest.importorskip("huggingface_hub", reason='needs pip install "goldgen[dense]"')


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


def test_an_unreachable_hub_is_noticed_in_two_seconds() -> None:
    started = time.monotonic()
    assert not is_reachable("https://no-such-host.invalid")
    assert time.monotonic() - started < 2
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert is_reachable(f"http://127.0.0.1:{port}")
    assert not is_reachable(f"http://127.0.0.1:{port}")


def test_a_hub_behind_a_proxy_is_as_reachable_as_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert is_reachable("https://no-such-host.invalid")
    assert not is_reachable("https://no-such-host.invalid")
