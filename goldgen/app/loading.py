"""Loading a corpus into the store, so that its ids are the same wherever it lies."""

import json
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.reporting import Reporter
from goldgen.corpus import ChunkOptions, LoadedDocument, read_corpus
from goldgen.errors import CorpusError, EmptyResultError
from goldgen.store import Store
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES
from goldgen.types import Chunk, SkippedFile

_CORPUS_KEY = "corpus"


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What loading found. Loaded and skipped together are all that was walked."""

    name: str
    documents: int
    chunks: int
    skipped: Mapping[str, int]
    """Reason to number of files."""
    removed: int
    """Documents of an earlier load that are no longer there."""


def load_corpus(
    store: Store, path: Path, name: str, options: ChunkOptions, reporter: Reporter
) -> tuple[tuple[Chunk, ...], CorpusReport]:
    """Read ``path``, keep it in the store, and return the chunks that it holds now.

    The first load gives the corpus its name (that of the folder if ``name`` is empty) and its root; later
    ones may name the root or something in it.
    Raises CorpusError for another path, EmptyResultError if there is nothing to read.
    """
    path = path.expanduser()
    try:
        return _load(store, path, name, options, reporter)
    except OSError as error:
        where = error.filename or path
        raise CorpusError(
            f"cannot read {where}: {error.strerror}; check its rights or name another"
        ) from error


def _load(
    store: Store, path: Path, given_name: str, options: ChunkOptions, reporter: Reporter
) -> tuple[tuple[Chunk, ...], CorpusReport]:
    if not path.exists():
        raise CorpusError(f"no such file or folder: {path}; name the documents to read")
    if not path.is_dir() and not path.is_file():
        raise CorpusError(f"{path} is neither a file nor a folder; name the documents to read")
    path = path.resolve()
    name, root = _identity(store, path, given_name)
    loaded: list[LoadedDocument] = []
    skipped: list[SkippedFile] = []
    with reporter.phase("reading documents", None) as done:
        for item in read_corpus(path, name, root, options):
            if isinstance(item, SkippedFile):
                skipped.append(item)
            else:
                loaded.append(item)
            done(1)
        reasons = Counter(item.reason for item in skipped)
        if not loaded:
            counted = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common())
            raise EmptyResultError(f"nothing to read in {path}: {counted or 'it is empty'}")
        # Only now, so that a folder named by mistake, or one not mounted, changes nothing.
        store.meta.set(_CORPUS_KEY, json.dumps({"name": name, "root": str(root)}))
        removed = _remove_vanished(store, path, root, {item.document.id for item in loaded})
        store.corpus.replace_documents((item.document, item.chunks) for item in loaded)
        store.corpus.add_skipped(skipped)
    chunks = tuple(chunk for item in loaded for chunk in item.chunks)
    return chunks, CorpusReport(name, len(loaded), len(chunks), dict(reasons), removed)


def _identity(store: Store, path: Path, given_name: str) -> tuple[str, Path]:
    """The corpus's name and its root on this machine."""
    stored = store.meta.get(_CORPUS_KEY)
    root = path if path.is_dir() else path.parent
    if stored is None:
        return unicodedata.normalize("NFC", given_name or root.name or "corpus"), root
    known = json.loads(stored)
    name, known_root = str(known["name"]), Path(known["root"])
    if given_name and given_name != name:
        raise CorpusError(
            f"{store.path} holds the corpus {name!r}; give --db another file for {given_name!r}"
        )
    if path.is_relative_to(known_root):
        return name, known_root
    same_name = given_name == name or unicodedata.normalize("NFC", root.name) == name
    moved = not known_root.exists() and same_name
    if moved:
        return name, root
    raise CorpusError(
        f"{store.path} holds the corpus {name!r} from {known_root}, and {path} is not in it; "
        "give --db another file for another corpus"
    )


def _remove_vanished(store: Store, path: Path, root: Path, present: set[str]) -> int:
    """Only a load of the whole can tell that a document has gone: of the root, or of a table of chunks."""
    if path != root and path.suffix.lower() not in TABLE_SUFFIXES:
        return 0
    gone = [document.id for document in store.corpus.documents() if document.id not in present]
    store.corpus.remove_documents(gone)
    return len(gone)
