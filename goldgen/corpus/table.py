"""Chunks that a team has already cut: a table (CSV, JSONL, Parquet) or a query that gives ids and texts."""

import json
import sqlite3
import unicodedata
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import cast
from uuid import UUID

from goldgen.corpus.spool import no_room
from goldgen.errors import CorpusError
from goldgen.tabular import BadRow, Row, SqlSource, pick_column, read_query, read_rows
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

    line: int
    id: str
    text: str
    document: str
    title: str
    context: str
    metadata: str
    """JSON of its further columns."""


def load_table(
    source: Path | SqlSource, name: str
) -> Iterator[tuple[Document, tuple[Chunk, ...]] | SkippedFile]:
    """Read a table of chunks, whose ids are kept because the team's own retriever returns them.

    Columns are found by name: id (or _id, chunk_id), text (or content, chunk, page_content, body), and
    if there are any document_id (doc_id, source), title, context; those of a ``metadata`` object count
    too. Chunks of one document make one Document with their texts joined by a blank line; without a
    document column each chunk is a document. A title serves as context where there is no other. Further
    columns are the document's metadata where all of its rows agree; lists, objects and bytes are left out.

    Bad rows, rows without id or text, and second rows of an id come first, as SkippedFile with their
    line. Rows wait on the disk for those of their document, so a table may be larger than the memory.
    Raises CorpusError without an id or text column, TableError if the table cannot be read.
    """
    place = source.name if isinstance(source, Path) else source.kind
    rows = read_rows(source) if isinstance(source, Path) else read_query(source)
    named = str(source) if isinstance(source, Path) else source.place
    with closing(_Entries()) as entries:
        for row in _with_known_columns(named, rows):
            entry = row.reason if isinstance(row, BadRow) else _entry(row)
            if isinstance(entry, _Entry) and (first := entries.add(entry)) is not None:
                entry = f"its id stands on an earlier row: {entry.id!r} on {first}"
            if isinstance(entry, str):
                yield SkippedFile(f"{place}:{row.line}", entry)
        for document, group in entries.by_document():
            yield _assembled(name, document, group)


class _Entries:
    """Entries in a database that SQLite keeps in memory while it is small, and else in a temporary file."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.execute(
            "create table entries "
            "(line integer, id text primary key, text, document, title, context, metadata)"
        )

    def add(self, entry: _Entry) -> int | None:
        """The line on which the id stands already; None if it is new, and now kept."""
        with _room():
            added = self._database.execute(
                "insert or ignore into entries values (?, ?, ?, ?, ?, ?, ?)", astuple(entry)
            )
        if added.rowcount:
            return None
        return self._database.execute("select line from entries where id = ?", [entry.id]).fetchone()[0]

    def by_document(self) -> Iterator[tuple[str, list[_Entry]]]:
        """Documents in the order of their first rows, each with its entries by line."""
        with _room():
            self._database.execute("create index by_document on entries (document)")
            documents = self._database.execute(
                "select document from entries group by document order by min(rowid)"
            )
        for (document,) in documents:
            rows = self._database.execute(
                "select * from entries where document = ? order by rowid", [document]
            )
            yield document, [_Entry(*row) for row in rows]

    def close(self) -> None:
        self._database.close()


@contextmanager
def _room() -> Generator[None]:
    """Raises CorpusError where SQLite cannot write its temporary file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise no_room(str(error)) from error


def _with_known_columns(named: str, rows: Iterable[Row | BadRow]) -> Iterator[Row | BadRow]:
    """The rows, of which the first good one must have an id and a text column."""
    known = False
    for row in rows:
        if isinstance(row, Row) and not known:
            _require_columns(named, list(_with_metadata(row.values)))
            known = True
        yield row


def _require_columns(named: str, columns: list[str]) -> None:
    for kind, wanted in (("id", ID), ("text", TEXT)):
        if pick_column(columns, wanted) is None:
            raise CorpusError(
                f"{named}: has no {kind} column among {', '.join(columns)}; "
                f"name it one of {', '.join(wanted)}"
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
    used = {pick_column(list(values), wanted) for wanted in (ID, TEXT, DOCUMENT, TITLE, CONTEXT)}
    further = {column: _fact(value) for column, value in values.items() if column not in used}
    return _Entry(
        line=row.line,
        id=chunk_id,
        text=text,
        document=unicodedata.normalize("NFC", _cell(values, DOCUMENT) or chunk_id),
        title=title,
        context=_normal(_cell(values, CONTEXT)).strip() or title,
        metadata=json.dumps({column: fact for column, fact in further.items() if fact}),
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
    return str(value) if isinstance(value, str | int | UUID | Decimal) and not isinstance(value, bool) else ""


def _fact(value: object) -> str:
    """A value as metadata; empty if it is none."""
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return _normal(str(value)).strip() if isinstance(value, str | int | float | UUID | Decimal) else ""


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _assembled(name: str, document: str, group: list[_Entry]) -> tuple[Document, tuple[Chunk, ...]]:
    document_id = stable_id(name, document)
    chunks: list[Chunk] = []
    start = 0
    for position, entry in enumerate(group):
        end = start + len(entry.text)
        chunks.append(Chunk(entry.id, document_id, entry.text, start, end, entry.context, position))
        start = end + len(_BETWEEN)
    text = _BETWEEN.join(entry.text for entry in group)
    return Document(document_id, document, text, group[0].title, _agreed(group)), tuple(chunks)


def _agreed(group: list[_Entry]) -> dict[str, str]:
    """What is said of a document in every one of its rows."""
    first, *others = (cast("dict[str, str]", json.loads(entry.metadata)) for entry in group)
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
