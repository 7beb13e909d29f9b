"""Loading chunks that a team has cut itself: a table, or what a query gives."""

from collections.abc import Sequence
from pathlib import Path

from goldgen.app.corpus_files import Loaded, inside_of
from goldgen.app.corpus_identity import CorpusIdentity
from goldgen.app.reporting import Reporter
from goldgen.app.skips import nothing_to_read
from goldgen.corpus import FileState, file_state, has_changed, load_table, readers
from goldgen.store import Store, StoredFile
from goldgen.tabular import SqlSource
from goldgen.types import Chunk, Document, SkippedFile

_BATCH = 500
"""Documents stored at once."""


def load_rows(store: Store, identity: CorpusIdentity, source: Path | SqlSource, reporter: Reporter) -> Loaded:
    """Bring the store up to date with a table or query, which is the whole of its corpus.

    A table with the size and time, or the hash, of the last load is not read again; a query is asked each
    time. Raises EmptyResultError, with the store as it was, if no row gives a chunk.
    """
    file = None if isinstance(source, SqlSource) else _file(store, identity, source)
    if file is not None and _is_known(store, file):
        store.corpus.put_files([file])
        identity.keep(store)
        return Loaded(store.corpus.skipped(), 0, 0)
    load = _RowsLoad(store, identity)
    with reporter.phase("reading rows", None) as done:
        for item in load_table(source, identity.name):
            load.take(item)
            done(1)
        if not load.found:
            raise nothing_to_read(
                source.place if isinstance(source, SqlSource) else str(source), load.skipped
            )
        load.store_batch()
    gone = [key for key in store.corpus.document_ids().values() if key not in load.found]
    store.corpus.remove_documents(gone)
    store.corpus.add_skipped(load.skipped)
    store.corpus.forget_files(list(store.corpus.files()))
    if file is not None:
        store.corpus.put_files([file])
    return Loaded(load.skipped, load.changed, len(gone))


class _RowsLoad:
    def __init__(self, store: Store, identity: CorpusIdentity) -> None:
        self._store = store
        self._identity = identity
        self._batch: list[tuple[Document, Sequence[Chunk]]] = []
        self.skipped: list[SkippedFile] = []
        self.found: set[str] = set()
        """Ids of the documents."""
        self.changed = 0

    def take(self, item: tuple[Document, tuple[Chunk, ...]] | SkippedFile) -> None:
        if isinstance(item, SkippedFile):
            self.skipped.append(item)
            return
        if not self.found:
            # Only now, so that a table named by mistake changes nothing.
            self._identity.keep(self._store)
        self.found.add(item[0].id)
        self._batch.append(item)
        if len(self._batch) == _BATCH:
            self.store_batch()

    def store_batch(self) -> None:
        # The ids of a table are unique, so that one found elsewhere in the store has moved.
        self.changed += self._store.corpus.replace_documents(self._batch, may_move=True)
        self._batch.clear()


def _file(store: Store, identity: CorpusIdentity, path: Path) -> StoredFile:
    """The table as it is now. Raises OSError."""
    inside = inside_of(identity, path)
    known = store.corpus.files().get(inside)
    state = None if known is None else FileState(known.size, known.modified_ns, known.hash)
    if state is None or has_changed(path, state):
        state = file_state(path)
    return StoredFile(inside, state.size, state.modified_ns, state.hash, readers(), "", "")


def _is_known(store: Store, file: StoredFile) -> bool:
    """Whether the store holds what the table gives."""
    known = store.corpus.files().get(file.path)
    same = known is not None and (known.hash, known.read_by) == (file.hash, file.read_by)
    return same and store.corpus.document_count() > 0
