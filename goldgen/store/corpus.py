"""Documents, their chunks, and the files that were walked but not loaded."""

import json
from collections.abc import Iterable, Sequence

from goldgen.errors import StoreError
from goldgen.store.connection import Connection
from goldgen.types import Chunk, Document, SkippedFile

_DOCUMENT_COLUMNS = ("id", "path", "text", "title", "metadata_json")
_Changes = list[tuple[Document, list[Chunk]]]


class Corpus:
    """The loaded corpus. Documents come back by path, chunks by path and position."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def replace_document(self, document: Document, chunks: Sequence[Chunk]) -> bool:
        """Store one document with its chunks; see ``replace_documents``. True if anything changed."""
        return self.replace_documents([(document, chunks)]) == 1

    def replace_documents(self, batch: Iterable[tuple[Document, Sequence[Chunk]]]) -> int:
        """Store documents with all of their chunks, in one transaction.

        A document that is stored with the same content is left alone; of a changed one the old chunks
        go. Returns how many were new or changed. Raises StoreError if two chunks share an id.
        """
        incoming = {document.id: (document, _in_order(chunks)) for document, chunks in batch}
        stored = self._stored(list(incoming))
        changed = [value for key, value in incoming.items() if stored.get(key) != value]
        if not changed:
            return 0
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

    def add_skipped(self, files: Sequence[SkippedFile]) -> None:
        """Record what this load skipped, in place of what the last one did."""
        with self._connection.transaction():
            self._connection.rows("delete from skipped_files")
            self._connection.save("skipped_files", list({file.path: file for file in files}.values()))

    def skipped(self) -> list[SkippedFile]:
        return self._connection.load(SkippedFile, "skipped_files", "order by path")

    def documents(self) -> list[Document]:
        return self._documents("order by path, id")

    def document(self, document_id: str) -> Document | None:
        return next(iter(self._documents("where id = ?", [document_id])), None)

    def chunks(self) -> list[Chunk]:
        """Every chunk, by the document's path and the chunk's position in it."""
        paths = "join (select id as document_id, path from documents) as paths using (document_id)"
        return self._connection.load(Chunk, "chunks", f"{paths} order by path, document_id, position, id")

    def chunk(self, chunk_id: str) -> Chunk | None:
        return next(iter(self._connection.load(Chunk, "chunks", "where id = ?", [chunk_id])), None)

    def document_count(self) -> int:
        return self._connection.rows("select count(*) from documents")[0][0]

    def chunk_count(self) -> int:
        return self._connection.rows("select count(*) from chunks")[0][0]

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
