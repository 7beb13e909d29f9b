"""Files to documents: found, decoded, converted to Markdown, and nothing lost without a reason."""

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from goldgen.corpus.decode import decode
from goldgen.corpus.markdown import parse_markdown
from goldgen.corpus.parsed import Parsed, without_blobs
from goldgen.corpus.walk import Found, walk
from goldgen.errors import CorpusError
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES
from goldgen.text import stable_id
from goldgen.types import Document, SkippedFile

MOST_BYTES = 20_000_000

_Kind = Literal["markdown", "mdx", "text", "rst", "html"]
_KINDS: Mapping[str, _Kind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "mdx",
    ".txt": "text",
    ".rst": "rst",
    ".html": "html",
    ".htm": "html",
}
_NOT_YET = {".pdf": "PDF", ".docx": "DOCX", ".doc": "DOC", ".pptx": "PPTX", ".odt": "ODT", ".epub": "EPUB"}


def load(root: Path, name: str, inside: Path | None = None) -> Iterator[Document | SkippedFile]:
    """Load a file or folder, sorted by path; what is in the corpus but not loaded says why.

    ``name`` is the corpus name: with the path relative to ``root`` it makes a document's id, so the
    same tree gives the same ids anywhere, and so does a part of it (``inside``). Raises CorpusError
    if a path does not exist, or if a single file is of a kind that is not read.
    """
    entries = walk(root, inside)
    start = inside or root
    if start.is_file() and start.suffix.lower() not in _KINDS:
        reason = _unread_kind(start)
        raise CorpusError(f"{start}: {reason}; use one of {', '.join(sorted(_KINDS))}")
    return (_load(entry, name) for entry in entries)


def _load(entry: Found, name: str) -> Document | SkippedFile:
    if entry.skip:
        return SkippedFile(entry.relative, entry.skip)
    kind = _KINDS.get(entry.path.suffix.lower())
    if kind is None:
        return SkippedFile(entry.relative, _unread_kind(entry.path))
    read = _read(entry.path)
    if isinstance(read, SkippedFile):
        return SkippedFile(entry.relative, read.reason)
    try:
        parsed = _parse(read, kind)
    except RecursionError:
        return SkippedFile(entry.relative, "nested too deeply to be read")
    text = unicodedata.normalize("NFC", without_blobs(parsed.text)).strip("\n")
    if not text.strip():
        return SkippedFile(entry.relative, "holds no text besides its metadata" if read.strip() else "empty")
    return Document(
        id=stable_id(name, entry.relative),
        path=entry.relative,
        text=text,
        title=unicodedata.normalize("NFC", parsed.title),
        metadata=parsed.metadata,
    )


def _unread_kind(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix in _NOT_YET:
        return f"{_NOT_YET[suffix]} is not supported yet"
    if suffix in TABLE_SUFFIXES:
        return "a table; to read it as chunks, name the file itself"
    return f"files of kind {suffix} are not read" if suffix else "a file without suffix is not read"


def _read(path: Path) -> str | SkippedFile:
    try:
        if path.stat().st_size > MOST_BYTES:
            return SkippedFile(str(path), f"larger than {MOST_BYTES // 1_000_000} MB; split it")
        raw = path.read_bytes()
    except OSError as error:
        return SkippedFile(str(path), f"cannot be read ({error.strerror})")
    text = decode(raw)
    return SkippedFile(str(path), "binary, or text in an unknown encoding") if text is None else text


def _parse(text: str, kind: _Kind) -> Parsed:
    if kind in ("markdown", "mdx"):
        return parse_markdown(text, mdx=kind == "mdx")
    if kind == "html":
        from goldgen.corpus.html import parse_html

        return parse_html(text)
    if kind == "rst":
        from goldgen.corpus.rst import parse_rst

        return parse_rst(text)
    return Parsed(text)
