import hashlib
import json
from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')

from hub_server import HubServer, hub_server
from huggingface_hub import close_session, constants
from tiny_bert import save_bert

from goldgen.errors import ModelError
from goldgen.models.cross_encoder import CrossEncoderScorer, open_cross_encoder
from goldgen.models.encoders import LateInteractionScorer, SentenceTransformerEmbedder, open_embedder
from goldgen.models.hub import hub_at, hub_has
from goldgen.models.weights import FoundWeights, NotHereError, find_weights, packaged_minilm

FILES = {"config.json": b"{}", "model.safetensors": b"weights"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[HubServer]:
    # A port may come again, and what its hub was must not be remembered.
    hub_at.cache_clear()
    with hub_server() as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        files = server.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
        yield server


def cached(cache: Path, files: dict[str, str]) -> Path:
    """The snapshot of someone/model in a cache of the hub's library."""
    snapshot = cache / "models--someone--model" / "snapshots" / "abc"
    (snapshot.parent.parent / "refs").mkdir(parents=True)
    (snapshot.parent.parent / "refs" / "main").write_text("abc", encoding="utf-8")
    for name, text in files.items():
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / name).write_text(text, encoding="utf-8")
    return snapshot


WHOLE = {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "model-1.safetensors": "a",
    "model-2.safetensors": "b",
    "model.safetensors.index.json": json.dumps(
        {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    ),
    "modules.json": json.dumps(
        [
            {"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ]
    ),
    "1_Pooling/config.json": "{}",
}


def test_weights_come_from_the_folder_then_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "hub"
    snapshot = cached(cache, WHOLE)
    found = find_weights("someone/model", offline=True, hub_cache=cache)
    assert found == FoundWeights(str(snapshot), "cache")
    assert find_weights(str(snapshot), offline=True) == FoundWeights(str(snapshot), "path")
    assert find_weights("not a name", offline=True, hub_cache=cache) is None
    assert find_weights(str(tmp_path / "nothing"), offline=True, hub_cache=cache) is None


@pytest.mark.parametrize(
    "lacking",
    [
        ["tokenizer.json"],
        ["model-2.safetensors"],
        ["1_Pooling/config.json"],
        ["config.json", "modules.json"],
        ["model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json"],
    ],
)
def test_a_download_that_broke_off_is_not_cached(tmp_path: Path, lacking: list[str]) -> None:
    cached(tmp_path, {name: text for name, text in WHOLE.items() if name not in lacking})
    assert find_weights("someone/model", offline=True, hub_cache=tmp_path) is None


def test_a_cached_file_that_is_cut_is_not_whole(tmp_path: Path) -> None:
    cached(tmp_path, WHOLE | {"modules.json": '[{"path": "", "ty'})
    assert find_weights("someone/model", offline=True, hub_cache=tmp_path) is None


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
    tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = cached(tmp_path / "hub", {})
    save_bert(snapshot, labels=1)
    found = find_weights("someone/model", offline=False, hub_cache=tmp_path / "hub")
    weights = FoundWeights(str(snapshot), "cache")
    assert found == weights
    # Whatever the libraries would ask of any other address goes through this, too.
    for scheme in ("http", "https", "all"):
        monkeypatch.setenv(f"{scheme}_proxy", hub.url)
    close_session()
    assert CrossEncoderScorer(weights, "m").score("plan", ["alpha"]).shape == (1,)
    assert LateInteractionScorer(weights, "m").score("plan", ["alpha"]).shape == (1,)
    assert SentenceTransformerEmbedder(weights, "m").encode(["alpha"], query=True).shape == (1, 16)
    assert hub.asked == []


def test_the_hub_counts_if_it_sends_the_model(
    tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.hold("someone/model", FILES)
    hub.replies["/api/models/someone/private"] = 401, b""

    def found(name: str, *, offline: bool = False) -> FoundWeights | None:
        return find_weights(name, offline=offline, hub_cache=tmp_path)

    assert found("someone/model") == FoundWeights("someone/model", "hub")
    assert found("someone/private") is None and found("someone/gone") is None
    asked = len(hub.asked)
    assert found("someone/model", offline=True) is None
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert found("someone/model") is None
    assert len(hub.asked) == asked, "offline asks nothing"


def test_a_proxy_leads_to_the_hub_or_refuses(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", hub.url)
    monkeypatch.setattr(constants, "ENDPOINT", "http://no-such-host.invalid")
    hub.hold("someone/model", FILES, "http://no-such-host.invalid")
    assert hub_has("someone/model")
    hub.replies.clear()
    assert not hub_has("someone/model")


def test_a_hub_that_fails_while_the_model_loads_is_one_line(
    tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    hub.hold("someone/model", FILES)
    with pytest.raises(NotHereError, match="the model someone/model did not come from the hub") as caught:
        open_cross_encoder("someone/model", offline=False)
    assert "\n" not in str(caught.value) and str(caught.value).startswith(caught.value.reason)


@pytest.mark.usefixtures("hub")
def test_a_model_that_is_nowhere_names_where_it_was_looked_for() -> None:
    with pytest.raises(ModelError, match=r"the model someone/nowhere is no folder .* not to be had from"):
        open_embedder("someone/nowhere", offline=False)
    with pytest.raises(NotHereError, match="not packaged, and offline the hub is not asked: check the name"):
        open_embedder("someone/nowhere", offline=True)


@pytest.mark.parametrize("name", ["../w", "./hfc", "-x/y", "a/b/c"])
def test_a_path_to_nothing_is_no_repository(name: str) -> None:
    assert find_weights(name, offline=True) is None
