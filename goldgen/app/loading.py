"""Loading a corpus into the store, so that its ids are the same wherever it lies."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.corpus_files import Loaded, inside_of, load_files
from goldgen.app.corpus_identity import CorpusIdentity, identity_of, stored_identity
from goldgen.app.corpus_tables import load_rows
from goldgen.app.reporting import Reporter
from goldgen.app.skips import nothing_to_read, reasons
from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import CorpusError, EmptyResultError
from goldgen.store import Store
from goldgen.tabular import SqlSource
from goldgen.types import Chunk


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What loading found. Loaded and skipped together are all that was walked."""

    name: str
    documents: int
    chunks: int
    skipped: Mapping[str, int]
    """Reason to number of files or rows."""
    removed: int
    """Documents of an earlier load that are no longer there."""
    changed: int = 0
    """Documents that are new, or differ from the last load in text or chunks."""
    inside: str = ""
    """The part that was loaded, relative to the root; empty: the whole."""


def load_corpus(
    store: Store,
    source: Path | SqlSource,
    name: str,
    chunking: ChunkOptions | None,
    reporter: Reporter,
    *,
    selection: Selection | None = None,
    jobs: int = 1,
) -> tuple[tuple[Chunk, ...], CorpusReport]:
    """``update_corpus``, and the chunks that the store now holds of what was read."""
    report = update_corpus(store, source, name, chunking, reporter, selection=selection, jobs=jobs)
    return tuple(store.corpus.chunks(report.inside)), report


def update_corpus(
    store: Store,
    source: Path | SqlSource,
    name: str,
    chunking: ChunkOptions | None,
    reporter: Reporter,
    *,
    selection: Selection | None = None,
    jobs: int = 1,
) -> CorpusReport:
    """Read ``source`` and keep it in the store; what has not changed since the last load is not read again.

    The first load gives the corpus its name (that of the folder or database if ``name`` is empty) and its
    root; later ones may name the root or something in it. ``chunking`` and ``selection`` hold for later
    loads, too: None means as before. More ``jobs`` than one are processes, see ``in_processes``.
    Raises CorpusError for another corpus, TableError for a table or database that cannot be read,
    EmptyResultError if there is nothing to read.
    """
    if isinstance(source, Path):
        source = source.expanduser()
    try:
        return _update(store, source, name, chunking, reporter, selection, jobs)
    except OSError as error:
        where = error.filename or source
        raise CorpusError(
            f"cannot read {where}: {error.strerror}; check its rights or name another"
        ) from error


def held_corpus(store: Store) -> CorpusReport:
    """What the store holds of an earlier load. Raises EmptyResultError if that is nothing."""
    identity = stored_identity(store)
    if identity is None or not store.corpus.document_count():
        raise EmptyResultError(f"{store.path} holds no corpus yet; name the documents to read")
    return _report(store, identity, "", Loaded(store.corpus.skipped(), 0, 0))


def _update(
    store: Store,
    source: Path | SqlSource,
    name: str,
    chunking: ChunkOptions | None,
    reporter: Reporter,
    selection: Selection | None,
    jobs: int,
) -> CorpusReport:
    if isinstance(source, Path):
        if not source.exists():
            raise CorpusError(f"no such file or folder: {source}; name the documents to read")
        if not source.is_dir() and not source.is_file():
            raise CorpusError(f"{source} is neither a file nor a folder; name the documents to read")
        source = source.resolve()
    identity = identity_of(store, source, name, chunking, selection)
    if isinstance(source, Path) and identity.kind == "files":
        loaded = load_files(store, identity, source, jobs, reporter)
        report = _report(store, identity, inside_of(identity, source), loaded)
        if not report.documents:  # pages that are nothing but what they share
            raise nothing_to_read(str(source), loaded.skipped)
        return report
    return _report(store, identity, "", load_rows(store, identity, source, reporter))


def _report(store: Store, identity: CorpusIdentity, inside: str, loaded: Loaded) -> CorpusReport:
    return CorpusReport(
        name=identity.name,
        documents=len(store.corpus.document_ids(inside)),
        chunks=store.corpus.chunk_count(inside),
        skipped=reasons(loaded.skipped),
        removed=loaded.removed,
        changed=loaded.changed,
        inside=inside,
    )
