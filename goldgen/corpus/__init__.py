"""A team's files, or the chunks it has already cut, as documents with chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldgen.corpus.boilerplate import boilerplate
from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.load import load
from goldgen.corpus.table import load_table
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES
from goldgen.types import Chunk, Document, SkippedFile

__all__ = ["ChunkOptions", "LoadedDocument", "read_corpus"]


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    document: Document
    chunks: tuple[Chunk, ...]


def read_corpus(
    path: Path, name: str, root: Path, options: ChunkOptions
) -> Iterator[LoadedDocument | SkippedFile]:
    """Read a folder, a file or a table of chunks (CSV, TSV, JSONL, Parquet) as one corpus.

    ``path`` is what to read; ``name`` and its place below ``root`` make the ids. Everything met is
    yielded once: with its chunks, or with the reason why it was left out. Footers are looked for in
    what is read, so they are known only where enough pages are read together.

    Raises CorpusError or TableError if ``path`` as a whole cannot be read.
    """
    if path.is_file() and path.suffix.lower() in TABLE_SUFFIXES:
        return _from_table(path, name)
    return _from_files(path, name, root, options)


def _from_table(path: Path, name: str) -> Iterator[LoadedDocument | SkippedFile]:
    for item in load_table(path, name):
        yield item if isinstance(item, SkippedFile) else LoadedDocument(*item)


def _from_files(
    path: Path, name: str, root: Path, options: ChunkOptions
) -> Iterator[LoadedDocument | SkippedFile]:
    items = list(load(root, name, path))
    footers = boilerplate([item for item in items if isinstance(item, Document)])
    for item in items:
        if isinstance(item, SkippedFile):
            yield item
        elif chunks := chunk(item, options, footers):
            yield LoadedDocument(item, chunks)
        else:
            yield SkippedFile(item.path, "holds no text of its own")
