"""Chunks that a team has already cut: a CSV, JSONL or Parquet table with ids and texts."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from goldgen.errors import CorpusError
from goldgen.tabular import BadRow, Row, pick_column, read_rows
from goldgen.text import stable_id
from goldgen.types import Chunk, Document, SkippedFile

ID = ("id", "_id", "chunk_id")
TEXT = ("text", "content", "chunk", "page_content", "body")
DOCUMENT = ("document_id", "doc_id", "source")
TITLE = ("title",)
CONTEXT = ("context",)

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row as it is understood."""

    id: str
    text: str
    document: str
    title: str
    context: str


@dataclass(slots=True)
class _Group:
    """The rows of one document, in their order in the table."""

    title: str
    entries: list[_Entry] = field(default_factory=list[_Entry])


def load_table(path: Path, name: str) -> Iterator[tuple[Document, tuple[Chunk, ...]] | SkippedFile]:
    """Read a table of chunks, whose ids are kept because the team's own retriever returns them.

    Columns are found by name: id (or _id, chunk_id), text (or content, chunk, page_content, body), and
    if there are any document_id (doc_id, source), title, context; those of a ``metadata`` object count
    too. Chunks of one document make one Document with their texts joined by a blank line; without a
    document column each chunk is a document. A title serves as context where there is no other.

    Bad rows, rows without id or text, and second rows of an id come first, as SkippedFile with their
    line. Raises CorpusError without an id or text column, TableError if the table cannot be read.
    """
    groups: dict[str, _Group] = {}
    lines: dict[str, int] = {}
    columns_are_known = False
    for row in read_rows(path):
        if isinstance(row, Row) and not columns_are_known:
            _require_columns(path, row)
            columns_are_known = True
        entry = row.reason if isinstance(row, BadRow) else _entry(row)
        if not isinstance(entry, str) and entry.id in lines:
            entry = f"id {entry.id!r} stands already on line {lines[entry.id]}"
        if isinstance(entry, str):
            yield SkippedFile(f"{path.name}:{row.line}", entry)
            continue
        lines[entry.id] = row.line
        groups.setdefault(entry.document, _Group(entry.title)).entries.append(entry)
    for document, group in groups.items():
        yield _assembled(name, document, group)


def _require_columns(path: Path, row: Row) -> None:
    columns = list(_with_metadata(row.values))
    for kind, wanted in (("id", ID), ("text", TEXT)):
        if pick_column(columns, wanted) is None:
            raise CorpusError(
                f"{path}: has no {kind} column among {', '.join(columns)}; name it one of {', '.join(wanted)}"
            )


def _entry(row: Row) -> _Entry | str:
    """The row's entry, or why there is none."""
    values = _with_metadata(row.values)
    chunk_id = _cell(values, ID)
    text = _normal(_cell(values, TEXT))
    if not chunk_id:
        return "has no id"
    if not text.strip():
        return "has no text"
    title = _normal(_cell(values, TITLE)).strip()
    return _Entry(
        id=chunk_id,
        text=text,
        document=_cell(values, DOCUMENT) or chunk_id,
        title=title,
        context=_normal(_cell(values, CONTEXT)).strip() or title,
    )


def _with_metadata(values: Mapping[str, object]) -> Mapping[str, object]:
    """The row with the keys of its ``metadata`` object, as LangChain and others write it."""
    metadata = values.get("metadata")
    if not isinstance(metadata, dict):
        return values
    return {**cast("dict[str, object]", metadata), **values}


def _cell(values: Mapping[str, object], wanted: tuple[str, ...]) -> str:
    column = pick_column(list(values), wanted)
    value = None if column is None else values[column]
    if value is None or isinstance(value, bool | float | list | dict):
        return ""
    return str(value)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _assembled(name: str, document: str, group: _Group) -> tuple[Document, tuple[Chunk, ...]]:
    document_id = stable_id(name, unicodedata.normalize("NFC", document))
    chunks: list[Chunk] = []
    start = 0
    for position, entry in enumerate(group.entries):
        end = start + len(entry.text)
        chunks.append(Chunk(entry.id, document_id, entry.text, start, end, entry.context, position))
        start = end + len(_BETWEEN)
    text = _BETWEEN.join(entry.text for entry in group.entries)
    return Document(document_id, document, text, group.title), tuple(chunks)
