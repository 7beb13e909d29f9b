"""A look at a corpus before questions are paid for: what it holds, and chunks among their neighbours."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from goldgen.app.corpus_identity import stored_identity
from goldgen.app.imported import refuse_imported
from goldgen.app.languages import language_of
from goldgen.app.loading import CorpusReport, update_corpus
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.skips import reasons
from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.tabular import SqlSource
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Chunk, SkippedFile

PERCENTS = (5, 25, 50, 75, 95)
_LANGUAGE_DOCUMENTS = 1_000
_LANGUAGE_CHARACTERS = 3_000
"""Of a document, from its beginning; that is several hundred words."""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class LoadOptions:
    db: Path
    source: Path | SqlSource
    name: str = ""
    """Of the corpus; it is part of all ids. Empty: that of the folder or database at the first load."""
    chunking: ChunkOptions | None = None
    """None: as at the last load."""
    selection: Selection | None = None
    """None: as at the last load."""
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of all chunks, without their context, in one unit."""

    total: int
    least: int
    percentiles: Mapping[int, int]
    """Per cent to the size that so many chunks do not exceed (nearest rank)."""
    most: int


@dataclass(frozen=True, slots=True)
class CorpusOverview:
    db: str
    name: str
    root: str
    """The folder that paths are relative to, or the database."""
    query: str
    selection: Selection
    chunking: ChunkOptions
    is_cut: bool
    """Whether goldgen cut the chunks, and did not get them from a table or query."""
    documents: int
    kinds: Mapping[str, int]
    """Suffix to number of documents."""
    chunks: int
    tokens: Sizes
    """Estimated, see ``estimated_tokens``."""
    characters: Sizes
    shortest: str
    """Id of a chunk with the fewest characters."""
    longest: str
    languages: Mapping[str, int]
    """Language to number of documents, of those that were looked at."""
    languages_of: int
    """Documents whose language was looked at: a sample of large corpora."""
    twin_texts: int
    twin_chunks: int
    """Chunks whose context and text are those of another, too; ``twin_texts`` counts each such text once."""
    same_documents: int
    """Documents whose whole text an earlier one has, too."""
    skipped: Mapping[str, int]
    """Reason to number of files or rows."""
    skipped_files: Sequence[SkippedFile]


@dataclass(frozen=True, slots=True)
class CorpusLoad:
    report: CorpusReport
    overview: CorpusOverview


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk where it stands. Offsets are characters of the document's text, as it was loaded."""

    chunk: Chunk
    path: str
    title: str
    metadata: Mapping[str, str]
    lines: tuple[int, int]
    """First and last, from 1, in the text as it was loaded."""
    chunks: int
    """Of the document."""
    tokens: int
    before: Sequence[Chunk]
    after: Sequence[Chunk]
    twins: Mapping[str, str]
    """Id to path of the chunks with the same context and text."""


def load(options: LoadOptions, reporter: Reporter | None = None) -> CorpusLoad:
    """Load a corpus, or bring it up to date, without asking any model. Raises what ``update_corpus`` does."""
    with open_store(options.db) as store:
        refuse_imported(store)
        report = update_corpus(
            store,
            options.source,
            options.name,
            options.chunking,
            reporter or Silent(),
            selection=options.selection,
            jobs=options.jobs,
        )
        return CorpusLoad(report, _overview(store))


def overview(db: Path) -> CorpusOverview:
    """What a set holds. Raises StoreError if there is none, EmptyResultError if it has no corpus."""
    with open_store(db, read_only=True) as store:
        return _overview(store)


def show(db: Path, wanted: str, neighbours: int = 1) -> ShownChunk:
    """The chunk with this id, or the only one whose id begins so, with so many on each side.

    Raises StoreError if there is no set, SettingsError if no chunk or more than one is meant.
    """
    with open_store(db, read_only=True) as store:
        found = _found(store, wanted)
        document = store.corpus.document(found.document_id)
        if document is None:
            raise SettingsError(f"the document of chunk {found.id} is gone; load the corpus again")
        of_document = store.corpus.chunks_of(document.id)
        at = next(place for place, chunk in enumerate(of_document) if chunk.id == found.id)
        paths = {key: path for path, key in store.corpus.document_ids().items()}
        first = document.text.count("\n", 0, found.start) + 1
        return ShownChunk(
            chunk=found,
            path=document.path,
            title=document.title,
            metadata=document.metadata,
            lines=(first, first + found.text.count("\n")),
            chunks=len(of_document),
            tokens=estimated_tokens(found.text),
            before=of_document[max(0, at - neighbours) : at],
            after=of_document[at + 1 : at + 1 + neighbours],
            twins={twin.id: paths[twin.document_id] for twin in store.corpus.twins_of(found)},
        )


def _found(store: Store, wanted: str) -> Chunk:
    prefix = wanted.strip()
    exact = store.corpus.chunk(prefix)
    if exact is not None:
        return exact
    found = store.corpus.chunks_beginning(prefix) if prefix else []
    if not found:
        raise SettingsError(
            f"{store.path} has no chunk whose id begins with {wanted!r}; `goldgen corpus` names some, "
            "and `goldgen why QUESTION` those of a question"
        )
    if len(found) > 1:
        named = ", ".join(chunk.id for chunk in found[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        raise SettingsError(f"{len(found)} chunks begin with {wanted!r}: {named}{more}; give more of the id")
    return found[0]


def _overview(store: Store) -> CorpusOverview:
    identity = stored_identity(store)
    paths = store.corpus.document_ids()
    if identity is None or not paths:
        raise EmptyResultError(f"{store.path} holds no corpus yet; `goldgen corpus load PATH` reads one")
    tokens, characters = list[int](), list[int]()
    shortest = longest = ("", 0)
    for batch in store.corpus.chunk_batches():
        for chunk in batch:
            size = len(chunk.text)
            tokens.append(estimated_tokens(chunk.text))
            characters.append(size)
            shortest = (chunk.id, size) if not shortest[0] or size < shortest[1] else shortest
            longest = (chunk.id, size) if size > longest[1] else longest
    languages = _languages(store, len(paths))
    twins = store.corpus.twins()
    skipped = store.corpus.skipped()
    return CorpusOverview(
        db=str(store.path),
        name=identity.name,
        root=identity.root,
        query=identity.query,
        selection=identity.selection,
        chunking=identity.chunking,
        is_cut=identity.kind == "files",
        documents=len(paths),
        kinds=dict(Counter(PurePosixPath(path).suffix.lower() or "none" for path in paths).most_common()),
        chunks=len(tokens),
        tokens=_sizes(tokens),
        characters=_sizes(characters),
        shortest=shortest[0],
        longest=longest[0],
        languages=dict(languages.most_common()),
        languages_of=languages.total(),
        twin_texts=twins.texts,
        twin_chunks=twins.chunks,
        same_documents=store.corpus.same_texts(),
        skipped=reasons(skipped),
        skipped_files=skipped,
    )


def _languages(store: Store, documents: int) -> Counter[str]:
    step = -(-documents // _LANGUAGE_DOCUMENTS)
    found: Counter[str] = Counter()
    seen = 0
    for batch in store.corpus.document_batches():
        for document in batch:
            if seen % step == 0:
                found[language_of(document.text[:_LANGUAGE_CHARACTERS])] += 1
            seen += 1
    return found


def _sizes(sizes: list[int]) -> Sizes:
    ordered = sorted(sizes) or [0]
    ranks = {percent: -(-percent * len(ordered) // 100) for percent in PERCENTS}
    percentiles = {percent: ordered[max(rank, 1) - 1] for percent, rank in ranks.items()}
    return Sizes(sum(ordered), ordered[0], percentiles, ordered[-1])
