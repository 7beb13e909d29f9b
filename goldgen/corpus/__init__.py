"""A team's files, or the chunks it has already cut, as documents with chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldgen.corpus.boilerplate import SharedText, boilerplate
from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.load import (
    FileRead,
    FileState,
    file_state,
    has_changed,
    load,
    read_changed,
    readers,
    reason_to_skip,
    refuse_unread_kind,
)
from goldgen.corpus.processes import in_processes
from goldgen.corpus.selection import Selection
from goldgen.corpus.spool import Spool
from goldgen.corpus.table import load_table
from goldgen.corpus.walk import Found, relative_name, walk
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES
from goldgen.types import Chunk, Document, SkippedFile

__all__ = [
    "NO_OWN_TEXT",
    "ChunkOptions",
    "FileRead",
    "FileState",
    "Found",
    "LoadedDocument",
    "Selection",
    "SharedText",
    "Spool",
    "boilerplate",
    "chunk",
    "file_state",
    "has_changed",
    "in_processes",
    "load_table",
    "read_changed",
    "read_corpus",
    "readers",
    "reason_to_skip",
    "refuse_unread_kind",
    "relative_name",
    "walk",
]

NO_OWN_TEXT = "holds no text of its own"
"""Why a document without chunks is left out: it is nothing but what others hold."""


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    document: Document
    chunks: tuple[Chunk, ...]


def read_corpus(
    path: Path, name: str, root: Path, options: ChunkOptions, selection: Selection | None = None
) -> Iterator[LoadedDocument | SkippedFile]:
    """Read a folder, a file or a table of chunks (CSV, TSV, JSONL, Parquet) as one corpus, without a store.

    ``path`` is what to read; ``name`` and its place below ``root`` make the ids. Everything met is
    yielded once: with its chunks, or with the reason why it was left out. What pages share is told of
    what is read, so it is known only where enough of them are read together.

    Raises CorpusError or TableError if ``path`` as a whole cannot be read.
    """
    if path.is_file() and path.suffix.lower() in TABLE_SUFFIXES:
        return _from_table(path, name)
    return _from_files(path, name, root, options, selection)


def _from_table(path: Path, name: str) -> Iterator[LoadedDocument | SkippedFile]:
    for item in load_table(path, name):
        yield item if isinstance(item, SkippedFile) else LoadedDocument(*item)


def _from_files(
    path: Path, name: str, root: Path, options: ChunkOptions, selection: Selection | None
) -> Iterator[LoadedDocument | SkippedFile]:
    items = list(load(root, name, path, selection))
    shared = boilerplate([item for item in items if isinstance(item, Document)])
    for item in items:
        if isinstance(item, SkippedFile):
            yield item
        elif chunks := chunk(item, options, shared):
            yield LoadedDocument(item, chunks)
        else:
            yield SkippedFile(item.path, NO_OWN_TEXT)
