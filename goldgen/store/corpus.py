"""Documents, their chunks, and the files that were walked but not loaded."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from goldgen.errors import StoreError
from goldgen.store.connection import Connection
from goldgen.types import Chunk, Document, SkippedFile

_DOCUMENT_COLUMNS = ("id", "path", "text", "title", "metadata_json")
_Changes = list[tuple[Document, list[Chunk]]]
_INSIDE = "(? in ('', path) or starts_with(path, ? || '/'))"
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as it was when its document was stored. Texts are empty where they say nothing."""

    path: str
    size: int
    modified_ns: int
    hash: str
    read_by: str
    """Fingerprint of what made the document."""
    cut_by: str
    """Fingerprint of what made its chunks."""
    reason: str
    """Why it gave no document."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Chunks with the same context and text, which answer alike."""

    texts: int
    chunks: int


class Corpus:
    """The loaded corpus. Documents come back by path, chunks by path and position."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def replace_document(self, document: Document, chunks: Sequence[Chunk]) -> bool:
        """Store one document with its chunks; see ``replace_documents``. True if anything changed."""
        return self.replace_documents([(document, chunks)]) == 1

    def replace_documents(
        self, batch: Iterable[tuple[Document, Sequence[Chunk]]], *, may_move: bool = False
    ) -> int:
        """Store documents with all of their chunks, in one transaction.

        A document that is stored with the same content is left alone; of a changed one the old chunks
        go. ``may_move``: a chunk that is stored with a document outside of the batch goes over to the new
        one. Returns how many were new or changed. Raises StoreError if two chunks share an id.
        """
        incoming = {document.id: (document, _in_order(chunks)) for document, chunks in batch}
        stored = self._stored(list(incoming))
        changed = [value for key, value in incoming.items() if stored.get(key) != value]
        if not changed:
            return 0
        if not may_move:
            self._refuse_shared_ids(changed)
        with self._connection.transaction():
            self._connection.delete("chunks", "document_id", [document.id for document, _ in changed])
            self._connection.save_rows(
                "documents", _DOCUMENT_COLUMNS, [_row(document) for document, _ in changed]
            )
            self._connection.save("chunks", [chunk for _, chunks in changed for chunk in chunks])
        return len(changed)

    def remove_documents(self, document_ids: Iterable[str]) -> None:
        """Forget documents and their chunks; questions and judgments about them stay."""
        keys = list(document_ids)
        with self._connection.transaction():
            self._connection.delete("chunks", "document_id", keys)
            self._connection.delete("documents", "id", keys)

    def add_skipped(self, files: Sequence[SkippedFile], inside: str = "") -> None:
        """Record what this load of ``inside`` skipped, in place of what the last one did."""
        with self._connection.transaction():
            self._connection.rows(f"delete from skipped_files where {_INSIDE}", [inside, inside])
            self._connection.save("skipped_files", list({file.path: file for file in files}.values()))

    def skipped(self, inside: str = "") -> list[SkippedFile]:
        return self._connection.load(
            SkippedFile, "skipped_files", f"where {_INSIDE} order by path", [inside, inside]
        )

    def files(self, inside: str = "") -> dict[str, StoredFile]:
        """What was read, by path: of the folder or file ``inside``, by default of the whole corpus."""
        found = self._connection.load(StoredFile, "files", f"where {_INSIDE}", [inside, inside])
        return {file.path: file for file in found}

    def put_files(self, files: Sequence[StoredFile]) -> None:
        with self._connection.transaction():
            self._connection.save("files", files)

    def forget_files(self, paths: Sequence[str]) -> None:
        with self._connection.transaction():
            self._connection.delete("files", "path", paths)

    def documents(self) -> list[Document]:
        return self._documents("order by path, id")

    def document_batches(self) -> Iterator[list[Document]]:
        """All documents, some at a time, in no order. Documents may be replaced meanwhile."""
        for span in self._row_spans("documents"):
            yield self._documents("where rowid between ? and ?", span)

    def document_ids(self, inside: str = "") -> dict[str, str]:
        """Path to id."""
        return dict(
            self._connection.rows(f"select path, id from documents where {_INSIDE}", [inside, inside])
        )

    def document(self, document_id: str) -> Document | None:
        return next(iter(self._documents("where id = ?", [document_id])), None)

    def chunks(self, inside: str = "") -> list[Chunk]:
        """Every chunk, by the document's path and the chunk's position in it."""
        paths = (
            f"join (select id as document_id, path from documents where {_INSIDE}) as paths "
            "using (document_id)"
        )
        tail = f"{paths} order by path, document_id, position, id"
        return self._connection.load(Chunk, "chunks", tail, [inside, inside])

    def chunk_batches(self) -> Iterator[list[Chunk]]:
        """All chunks, some at a time, in no order."""
        for span in self._row_spans("chunks"):
            yield self._connection.load(Chunk, "chunks", "where rowid between ? and ?", span)

    def chunks_of(self, document_id: str) -> list[Chunk]:
        return self._connection.load(
            Chunk, "chunks", "where document_id = ? order by position, id", [document_id]
        )

    def chunks_beginning(self, prefix: str) -> list[Chunk]:
        """Chunks whose id begins so, by id."""
        return self._connection.load(Chunk, "chunks", "where starts_with(id, ?) order by id", [prefix])

    def twins(self) -> Twins:
        (found,) = self._connection.rows(
            "select count(*), coalesce(sum(copies), 0) from "
            "(select count(*) as copies from chunks group by context, text having copies > 1)"
        )
        return Twins(*map(int, found))

    def twins_of(self, chunk: Chunk) -> list[Chunk]:
        """Other chunks with the same context and text."""
        return self._connection.load(
            Chunk,
            "chunks",
            "where context = ? and text = ? and id <> ? order by id",
            [chunk.context, chunk.text, chunk.id],
        )

    def chunk(self, chunk_id: str) -> Chunk | None:
        return next(iter(self._connection.load(Chunk, "chunks", "where id = ?", [chunk_id])), None)

    def document_count(self) -> int:
        return self._connection.rows("select count(*) from documents")[0][0]

    def same_texts(self) -> int:
        """Documents whose whole text another one has, too, but for the first of each."""
        return self._connection.rows("select count(*) - count(distinct hash(text)) from documents")[0][0]

    def chunk_count(self, inside: str = "") -> int:
        """All chunks, or those of the documents ``inside``."""
        documents = f"select id from documents where {_INSIDE}"
        counted = f"select count(*) from chunks where document_id in ({documents})"
        return self._connection.rows(counted, [inside, inside])[0][0]

    def _row_spans(self, table: str) -> Iterator[tuple[int, int]]:
        """First and last row of each batch. Rows that are added meanwhile come after the last."""
        last: int | None = self._connection.rows(f"select max(rowid) from {table}")[0][0]
        if last is not None:
            for first in range(0, last + 1, _BATCH):
                yield first, min(first + _BATCH - 1, last)

    def _documents(self, tail: str, parameters: Sequence[object] = ()) -> list[Document]:
        rows = self._connection.rows(
            f"select {', '.join(_DOCUMENT_COLUMNS)} from documents {tail}", parameters
        )
        return [
            Document(id=key, path=path, text=text, title=title, metadata=json.loads(metadata))
            for key, path, text, title, metadata in rows
        ]

    def _stored(self, document_ids: list[str]) -> dict[str, tuple[Document, list[Chunk]]]:
        among = "in (select unnest(?))"
        documents = self._documents(f"where id {among}", [document_ids])
        stored: dict[str, tuple[Document, list[Chunk]]] = {
            document.id: (document, []) for document in documents
        }
        where = f"where document_id {among} order by position, id"
        for chunk in self._connection.load(Chunk, "chunks", where, [document_ids]):
            stored[chunk.document_id][1].append(chunk)
        return stored

    def _refuse_shared_ids(self, changed: _Changes) -> None:
        kept_elsewhere = self._connection.rows(
            "select id, document_id from chunks "
            "where id in (select unnest(?)) and document_id not in (select unnest(?))",
            [
                [chunk.id for _, chunks in changed for chunk in chunks],
                [document.id for document, _ in changed],
            ],
        )
        owners: dict[str, str] = dict(kept_elsewhere)
        for document, chunks in changed:
            for chunk in chunks:
                if chunk.id in owners:
                    raise StoreError(
                        f"two chunks have the id {chunk.id!r}, one in document {owners[chunk.id]!r} and one "
                        f"in {document.id!r}; give every chunk its own id and load again"
                    )
                owners[chunk.id] = document.id


def _in_order(chunks: Sequence[Chunk]) -> list[Chunk]:
    return sorted(chunks, key=lambda chunk: (chunk.position, chunk.id))


def _row(document: Document) -> tuple[str, ...]:
    metadata = json.dumps(dict(document.metadata))
    return document.id, document.path, document.text, document.title, metadata
