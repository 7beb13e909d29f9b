"""Files to documents: found, decoded, converted to Markdown, and nothing lost without a reason."""

import hashlib
import os
import re
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from goldgen.corpus.formats import PARSERS, most_bytes, why_not_read
from goldgen.corpus.parsed import UNKNOWN_LETTER, Unread, without_blobs
from goldgen.corpus.selection import Selection
from goldgen.corpus.walk import Found, walk
from goldgen.errors import CorpusError
from goldgen.text import stable_id
from goldgen.types import Document, SkippedFile

_LIBRARIES = (
    "beautifulsoup4",
    "docutils",
    "mammoth",
    "pypdfium2",
    "regex",
    "semantic-text-splitter",
)
"""What texts and chunks depend on besides goldgen's own code; those of extras may be missing."""
_HASH_BYTES = 16
_HALF_LETTER = re.compile("[\ud800-\udfff]")
_RECENT_NS = 2_000_000_000
"""Some file systems keep times to 2 seconds: what changed so lately may change again under the same time."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What tells whether a file has changed."""

    size: int
    modified_ns: int
    """0 if it changed so shortly before it was read that its time tells nothing."""
    hash: str
    """Of its bytes; empty if they were not read."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """What reading a file gave."""

    state: FileState
    content: Document | SkippedFile | None
    """None: its bytes are the known ones."""


def load(
    root: Path, name: str, inside: Path | None = None, selection: Selection | None = None
) -> Iterator[Document | SkippedFile]:
    """Load a file or folder, sorted by path; what is in the corpus but not loaded says why.

    ``name`` is the corpus name: with the path relative to ``root`` it makes a document's id, so the
    same tree gives the same ids anywhere, and so does a part of it (``inside``). Raises CorpusError
    if a path does not exist, or if a single file is of a kind that is not read.
    """
    refuse_unread_kind(inside or root)
    return (read_file(entry, name) for entry in walk(root, inside, selection))


def refuse_unread_kind(path: Path) -> None:
    """Raises CorpusError for a single file that nothing here can read."""
    suffix = path.suffix.lower()
    if path.is_file() and suffix not in PARSERS:
        raise CorpusError(f"{path}: {why_not_read(suffix)}; use one of {', '.join(sorted(PARSERS))}")


def reason_to_skip(entry: Found) -> str:
    """Why an entry is not even opened; empty if it is."""
    suffix = entry.path.suffix.lower()
    return entry.skip or ("" if suffix in PARSERS else why_not_read(suffix))


def has_changed(path: Path, known: FileState) -> bool:
    """Whether a file's size or time is another; True also if it cannot be told."""
    try:
        found = path.stat()
    except OSError:
        return True
    return (found.st_size, found.st_mtime_ns) != (known.size, known.modified_ns)


def read_file(entry: Found, name: str) -> Document | SkippedFile:
    """The document of an entry, or why there is none."""
    reason = reason_to_skip(entry)
    content = None if reason else read_changed(entry, "", name).content
    return content or SkippedFile(entry.relative, reason)


def read_changed(entry: Found, known_hash: str, name: str) -> FileRead:
    """Read a file of a kind that has a reader, unless its bytes have the hash that is known."""
    suffix = entry.path.suffix.lower()
    try:
        found = entry.path.stat()
        if found.st_size > most_bytes(suffix):
            return _unread(entry, f"larger than {most_bytes(suffix) // 1_000_000} MB; split it")
        with entry.path.open("rb") as file:
            raw = file.read(most_bytes(suffix) + 1)
    except OSError as error:
        return _unread(entry, f"cannot be read ({error.strerror})")
    if len(raw) > most_bytes(suffix):
        return _unread(entry, "grows while it is read; load it again when it is complete")
    state = _state(found, hashlib.blake2b(raw, digest_size=_HASH_BYTES).hexdigest())
    return FileRead(state, None if state.hash == known_hash else _document(entry, raw, name))


def _unread(entry: Found, reason: str) -> FileRead:
    return FileRead(FileState(0, 0, ""), SkippedFile(entry.relative, reason))


def file_state(path: Path) -> FileState:
    """The state of a file that may be larger than the memory. Raises OSError."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        digest = hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=_HASH_BYTES))
    return _state(found, digest.hexdigest())


def readers() -> str:
    """A fingerprint of the code that reads and cuts: when it changes, files are read again."""
    digest = hashlib.blake2b(digest_size=10)
    for package in ("goldgen.corpus", "goldgen.text"):
        for file in sorted(files(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    for library in _LIBRARIES:
        digest.update(f"{library} {_installed(library)}\n".encode())
    return digest.hexdigest()


def _state(found: os.stat_result, digest: str) -> FileState:
    is_settled = found.st_mtime_ns < time.time_ns() - _RECENT_NS
    return FileState(found.st_size, found.st_mtime_ns if is_settled else 0, digest)


def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _document(entry: Found, raw: bytes, name: str) -> Document | SkippedFile:
    parsed = PARSERS[entry.path.suffix.lower()](raw)
    if isinstance(parsed, Unread):
        return SkippedFile(entry.relative, parsed.reason)
    text = _whole_letters(unicodedata.normalize("NFC", without_blobs(parsed.text))).strip("\n")
    if not text.strip():
        return SkippedFile(entry.relative, "holds no text besides its metadata")
    return Document(
        id=stable_id(name, entry.relative),
        path=entry.relative,
        text=text,
        title=_whole_letters(unicodedata.normalize("NFC", parsed.title)),
        metadata=parsed.metadata,
    )


def _whole_letters(text: str) -> str:
    """JSON can hold half a surrogate pair, which nothing can store."""
    return _HALF_LETTER.sub(UNKNOWN_LETTER, text)
