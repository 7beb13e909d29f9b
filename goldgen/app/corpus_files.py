"""Loading files: only what has changed is read, and only what that concerns is cut anew."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from goldgen.app.corpus_identity import CorpusIdentity
from goldgen.app.reporting import Reporter
from goldgen.app.skips import nothing_to_read
from goldgen.corpus import (
    NO_OWN_TEXT,
    ChunkOptions,
    FileRead,
    FileState,
    Found,
    SharedText,
    Spool,
    boilerplate,
    chunk,
    has_changed,
    in_processes,
    read_changed,
    readers,
    reason_to_skip,
    refuse_unread_kind,
    relative_name,
    walk,
)
from goldgen.store import Store, StoredFile
from goldgen.text import stable_id
from goldgen.types import Chunk, Document, SkippedFile

Item = TypeVar("Item")
_BATCH = 500
"""Documents stored at once."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the store."""

    skipped: Sequence[SkippedFile]
    changed: int
    """Documents that are new or differ, in text or in chunks."""
    removed: int


def inside_of(identity: CorpusIdentity, path: Path) -> str:
    """The part of the corpus that ``path`` is, as documents are named; empty for the whole."""
    relative = path.relative_to(identity.root).as_posix()
    return "" if relative == "." else relative_name(relative)


def load_files(store: Store, identity: CorpusIdentity, path: Path, jobs: int, reporter: Reporter) -> Loaded:
    """Bring what the store holds of ``path`` up to date, in ``jobs`` processes where that is worth it.

    A file is read if its size or time differ from those of the last load, and parsed if its hash does.
    Texts on their way to the store wait on the disk. What pages share is told of the whole corpus: when that
    or the options change, all of it is cut anew. Raises EmptyResultError, with the store as it was, if there
    is no document.
    """
    refuse_unread_kind(path)
    root = Path(identity.root)
    entries = walk(root, path, identity.selection)
    load = _FilesLoad(store, identity, inside_of(identity, path), jobs, reporter)
    with Spool[_ToCut]() as spool:
        refused = load.read(entries, spool)
        if not spool and not load.has_kept:
            raise nothing_to_read(str(path), load.skipped)
        return load.store(entries, spool, refused)


@dataclass(frozen=True, slots=True)
class _ToCut:
    document: Document
    state: FileState
    read_by: str
    """The readers that gave the text: not today's for what an earlier version has read."""


class _FilesLoad:
    def __init__(
        self, store: Store, identity: CorpusIdentity, inside: str, jobs: int, reporter: Reporter
    ) -> None:
        self._store = store
        self._identity = identity
        self._inside = inside
        self._jobs = jobs
        self._reporter = reporter
        self._read_by = readers()
        self._known = store.corpus.files()
        self._ids = store.corpus.document_ids()
        self.skipped: list[SkippedFile] = []
        self._same: dict[str, StoredFile] = {}
        """Files that give what they gave at the last load."""
        self._fresh: set[str] = set()
        """Paths of documents that were read now."""

    @property
    def has_kept(self) -> bool:
        """Whether a document of an earlier load holds."""
        return any(not file.reason for file in self._same.values())

    def store(self, entries: Sequence[Found], spool: Spool[_ToCut], refused: Sequence[StoredFile]) -> Loaded:
        # Only now, so that a folder named by mistake, or one not mounted, changes nothing.
        self._identity.keep(self._store)
        removed = self._remove_vanished({entry.relative for entry in entries})
        moved = [file for file in self._same.values() if file != self._known[file.path]]
        self._store.corpus.put_files([*moved, *refused])
        changed = self._cut(spool) if spool or removed or not self._is_cut_alike() else 0
        self._store.corpus.add_skipped(self.skipped, self._inside)
        return Loaded(self.skipped, changed, removed)

    def read(self, entries: Sequence[Found], spool: Spool[_ToCut]) -> list[StoredFile]:
        """Read what may have changed; new documents go to ``spool``. Returns the files that gave none."""
        work: list[tuple[Found, StoredFile | None]] = []
        for entry in entries:
            known = self._usable(entry)
            if reason := reason_to_skip(entry):
                self.skipped.append(SkippedFile(entry.relative, reason))
            elif known and not has_changed(entry.path, _state(known)):
                self._keep(known)
            else:
                work.append((entry, known))
        refused: list[StoredFile] = []
        read_one = partial(_read_one, name=self._identity.name)
        with self._reporter.phase("reading documents", len(entries)) as done:
            done(len(entries) - len(work))
            results = in_processes(read_one, work, self._jobs, _name_of_work)
            for (entry, known), read in zip(work, results, strict=True):
                if isinstance(read.content, Document):
                    self._fresh.add(entry.relative)
                    spool.add(_ToCut(read.content, read.state, self._read_by))
                elif isinstance(read.content, SkippedFile):
                    self.skipped.append(read.content)
                    if read.state.hash:
                        refused.append(self._file(entry.relative, read.state, "", read.content.reason))
                elif known:
                    self._keep(replace(known, size=read.state.size, modified_ns=read.state.modified_ns))
                done(1)
        return refused

    def _usable(self, entry: Found) -> StoredFile | None:
        """What is known of a file, if it still holds."""
        known = self._known.get(entry.relative)
        if known is None or known.read_by != self._read_by:
            return None
        return known if known.reason or entry.relative in self._ids else None

    def _keep(self, file: StoredFile) -> None:
        self._same[file.path] = file
        if file.reason:
            self.skipped.append(SkippedFile(file.path, file.reason))

    def _remove_vanished(self, walked: set[str]) -> int:
        """Forget what is no longer there, or gives no document any more."""
        given = self._fresh | {path for path, file in self._same.items() if not file.reason}
        gone = {path for path in self._store.corpus.document_ids(self._inside) if path not in given}
        self._store.corpus.forget_files(
            [path for path in self._store.corpus.files(self._inside) if path not in walked or path in gone]
        )
        self._store.corpus.remove_documents(self._ids[path] for path in gone)
        return len(gone)

    def _is_cut_alike(self) -> bool:
        cuts = {file.cut_by for file in self._store.corpus.files().values() if not file.reason}
        return len(cuts) == 1 and next(iter(cuts)).startswith(self._cut_with())

    def _cut_with(self) -> str:
        """What tells how texts are cut, besides what pages share."""
        return stable_id(repr(self._identity.chunking), self._read_by)

    def _cut(self, spool: Spool[_ToCut]) -> int:
        """Cut new documents, and all others too if they were cut in another way. Returns how many changed."""
        options = self._identity.chunking
        with self._reporter.phase("looking for what pages share", None):
            stored = chain.from_iterable(self._store.corpus.document_batches())
            old = (document for document in stored if document.path not in self._fresh)
            shared = boilerplate(chain(old, (item.document for item in spool)))
        cut_by = f"{self._cut_with()}.{stable_id(*shared.parts())}"
        files = self._store.corpus.files()
        stale = {path: file for path, file in files.items() if not file.reason and file.cut_by != cut_by}
        for path in self._fresh:
            stale.pop(path, None)
        to_cut = chain(spool, self._stored(stale))
        cut = in_processes(
            partial(_cut_one, options=options, shared=shared), to_cut, self._jobs, _name_of_cut
        )
        changed = 0
        with self._reporter.phase("cutting chunks", len(spool) + len(stale)) as done:
            for batch in _batched(cut):
                changed += self._store_batch(batch, cut_by)
                done(len(batch))
        return changed

    def _stored(self, stale: Mapping[str, StoredFile]) -> Iterator[_ToCut]:
        if stale:
            for batch in self._store.corpus.document_batches():
                for document in batch:
                    if document.path in stale:
                        file = stale[document.path]
                        yield _ToCut(document, _state(file), file.read_by)

    def _store_batch(self, batch: Sequence[tuple[_ToCut, tuple[Chunk, ...]]], cut_by: str) -> int:
        empty = [item.document for item, chunks in batch if not chunks]
        self.skipped += [SkippedFile(document.path, NO_OWN_TEXT) for document in empty]
        if empty:
            # Not remembered, so that they are read again: others may no longer hold their text.
            self._store.corpus.forget_files([document.path for document in empty])
            self._store.corpus.remove_documents(document.id for document in empty)
        full = [(item, chunks) for item, chunks in batch if chunks]
        changed = self._store.corpus.replace_documents((item.document, chunks) for item, chunks in full)
        self._store.corpus.put_files(
            [
                replace(self._file(item.document.path, item.state, cut_by, ""), read_by=item.read_by)
                for item, _ in full
            ]
        )
        return changed

    def _file(self, path: str, state: FileState, cut_by: str, reason: str) -> StoredFile:
        return StoredFile(path, state.size, state.modified_ns, state.hash, self._read_by, cut_by, reason)


def _read_one(work: tuple[Found, StoredFile | None], name: str) -> FileRead:
    entry, known = work
    return read_changed(entry, known.hash if known else "", name)


def _name_of_work(work: tuple[Found, StoredFile | None]) -> str:
    return work[0].relative


def _cut_one(item: _ToCut, options: ChunkOptions, shared: SharedText) -> tuple[_ToCut, tuple[Chunk, ...]]:
    return item, chunk(item.document, options, shared)


def _name_of_cut(item: _ToCut) -> str:
    return item.document.path


def _state(file: StoredFile) -> FileState:
    return FileState(file.size, file.modified_ns, file.hash)


def _batched(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch
