"""Importing a set that was made elsewhere: its documents, its questions and its labels as they came."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite
from pathlib import Path
from typing import Generic, TypeVar

from goldgen.app.imported import ImportedSet, imported_set
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.exchange import (
    CollectionDocument,
    CollectionFiles,
    CollectionQuery,
    Qrel,
    beir_files,
    read_documents,
    read_qrels,
    read_queries,
)
from goldgen.store import Store, open_store
from goldgen.tabular import BadRow
from goldgen.text import stable_id
from goldgen.types import GOLD, Chunk, Document, Question

UNKNOWN_QUERY = "it names a query that is not there"
UNKNOWN_DOCUMENT = "it names a document that is not there"
STYLE = "imported"
_BATCH = 1000
"""Rows between two signs of progress."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """A folder as BEIR has it, or files, or both: a file that is named comes before the folder's."""

    db: Path
    folder: Path | None = None
    corpus: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None
    split: str = ""
    """Which of the folder's qrels; by default the only ones, or those named test."""
    gold_from: float | None = None
    """The grade from which a document is gold; None: see ``default_gold_from``."""
    name: str = ""
    """Of the set; by default the folder's, or that of the file of qrels."""


@dataclass(frozen=True, slots=True)
class FileRows:
    """What became of the rows of a file: ``kept`` and the ``rejected`` are all of them."""

    file: str
    kept: int
    rejected: Mapping[str, int]
    """Reason to number of rows."""
    rejected_lines: tuple[str, ...]
    """``line: reason`` of each."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported. Questions = ``golden`` + ``without_gold`` + ``unjudged``."""

    name: str
    documents: FileRows
    questions: FileRows
    labels: FileRows
    grades: Mapping[str, int]
    """Grade to number of labels, ascending."""
    gold_from: float
    golden: int
    without_gold: int
    """Questions with labels of which none reaches ``gold_from``."""
    unjudged: int
    """Questions without a label."""
    replaced: bool
    """An earlier import of the same collection."""
    next_step: str


def default_gold_from(grades: Iterable[float]) -> int:
    """The grade that counts as gold unless it is said otherwise: the highest, from 1 to 3.

    So 1 where the labels are binary, 2 on a scale to 2, and 3 on one to 3 or above.
    """
    return floor(max(1.0, min(GOLD, max(grades))))


def import_collection(options: ImportOptions, reporter: Reporter | None = None) -> ImportReport:
    """Read a collection and keep it as a set of its own, in place of an earlier import of the same.

    A row that cannot be used is counted, with its line and why; so are labels of queries or documents that
    are not there, which no retriever could find. Nothing is stored before all is read.
    Raises TableError if a file is missing or cannot be read, EmptyResultError if one gives nothing or no
    grade is gold, and SettingsError for a file with another set or a grade that cannot be gold's.
    """
    reporter = reporter or Silent()
    if options.gold_from is not None and not (isfinite(options.gold_from) and options.gold_from > 0):
        raise SettingsError(f"gold cannot begin at grade {options.gold_from:g}; name one above 0, such as 1")
    files, name = _place(options)
    documents = _read(files.corpus, read_documents(files.corpus), "document", reporter)
    queries = _read(files.queries, read_queries(files.queries), "query", reporter)
    labels = _read(files.qrels, _known(read_qrels(files.qrels), queries, documents), "label", reporter)
    given = [label.grade for label in labels.kept]
    gold_from = options.gold_from or default_gold_from(given)
    if max(given) < gold_from:
        raise EmptyResultError(
            f"no label in {files.qrels} is gold: its grades go from {min(given):g} to {max(given):g}; "
            "say by --gold-from at which gold begins"
        )
    grades: dict[str, dict[str, float]] = {}
    for label in labels.kept:
        grades.setdefault(label.query_id, {})[label.document_id] = label.grade
    kept = ImportedSet(name, str(files.qrels.resolve()), gold_from, len(given), _left_out(labels.bad))
    with (
        reporter.phase("storing the collection", None),
        open_store(options.db) as store,
    ):
        replaced = _require_free(store, kept)
        corpus = json.dumps({"name": name, "root": str(files.corpus.resolve().parent)})
        store.imported.replace(
            [_document(name, document) for document in documents.kept],
            [_question(name, query, grades.get(query.id, {}), gold_from) for query in queries.kept],
            grades,
            {"corpus": corpus, **kept.facts},
        )
    golden = sum(max(of_query.values()) >= gold_from for of_query in grades.values())
    return ImportReport(
        name=name,
        documents=documents.counted(),
        questions=queries.counted(),
        labels=labels.counted(),
        grades=dict(Counter(f"{grade:g}" for grade in sorted(given))),
        gold_from=gold_from,
        golden=golden,
        without_gold=len(grades) - golden,
        unjudged=len(queries.kept) - len(grades),
        replaced=replaced,
        next_step=f"goldgen eval: measure retrievers; one of your own returns the ids of {files.corpus.name}",
    )


@dataclass(frozen=True, slots=True)
class _Rows(Generic[Item]):
    """The rows of a file, those that could be used and the others."""

    file: Path
    kept: tuple[Item, ...]
    bad: tuple[BadRow, ...]

    def counted(self) -> FileRows:
        reasons = dict(Counter(row.reason for row in self.bad).most_common())
        lines = tuple(f"{row.line}: {row.reason}" for row in self.bad)
        return FileRows(self.file.name, len(self.kept), reasons, lines)


def _read(file: Path, rows: Iterable[Item | BadRow], what: str, reporter: Reporter) -> _Rows[Item]:
    kept, bad = list[Item](), list[BadRow]()
    with reporter.phase(f"reading {file.name}", None) as done:
        for number, row in enumerate(rows, start=1):
            if isinstance(row, BadRow):
                bad.append(row)
            else:
                kept.append(row)
            if number % _BATCH == 0:
                done(_BATCH)
    if not kept:
        first = f": line {bad[0].line}: {bad[0].reason}" if bad else ""
        rejected = f"its {len(bad):,} rows were rejected{first}" if bad else "it has no rows"
        raise EmptyResultError(f"no {what} in {file}: {rejected}")
    return _Rows(file, tuple(kept), tuple(bad))


def _known(
    labels: Iterable[Qrel | BadRow], queries: _Rows[CollectionQuery], documents: _Rows[CollectionDocument]
) -> Iterator[Qrel | BadRow]:
    query_ids = {query.id for query in queries.kept}
    document_ids = {document.id for document in documents.kept}
    for label in labels:
        if isinstance(label, BadRow):
            yield label
        elif label.query_id not in query_ids:
            yield BadRow(label.line, UNKNOWN_QUERY)
        elif label.document_id not in document_ids:
            yield BadRow(label.line, UNKNOWN_DOCUMENT)
        else:
            yield label


def _left_out(bad: Sequence[BadRow]) -> int:
    return sum(row.reason in (UNKNOWN_QUERY, UNKNOWN_DOCUMENT) for row in bad)


def _place(options: ImportOptions) -> tuple[CollectionFiles, str]:
    """The files to read, and the name of the set. Raises SettingsError if a file is not told, or twice."""
    if options.split and (options.folder is None or options.qrels is not None):
        raise SettingsError("--split chooses among the qrels of a BEIR folder; leave it out, or --qrels")
    if options.folder is None:
        if options.corpus is None or options.queries is None or options.qrels is None:
            raise SettingsError("name a BEIR folder, or --corpus, --queries and --qrels, all three")
        files = CollectionFiles(options.corpus, options.queries, options.qrels)
        return files, options.name or files.qrels.name.removesuffix(".gz")
    files = beir_files(
        options.folder, options.split, corpus=options.corpus, queries=options.queries, qrels=options.qrels
    )
    return files, options.name or options.folder.resolve().name


def _document(name: str, document: CollectionDocument) -> tuple[Document, Chunk]:
    """One row as a document of one chunk, which keeps the row's id."""
    document_id = stable_id(name, document.id)
    return (
        Document(document_id, document.id, document.text, document.title),
        Chunk(document.id, document_id, document.text, 0, len(document.text), document.title),
    )


def _question(name: str, query: CollectionQuery, grades: Mapping[str, float], gold_from: float) -> Question:
    """A query as a question of the document that it names or, without one, of the only one that answers it.

    Questions of one document are not independent. One with several golds, as in a pooled collection, stands
    alone.
    """
    golds = [document for document, grade in grades.items() if grade >= gold_from]
    document = query.document or (golds[0] if len(golds) == 1 else None)
    document_id = stable_id(name, document) if document else None
    return Question(query.id, query.text, "manual", STYLE, document_id=document_id)


def _require_free(store: Store, wanted: ImportedSet) -> bool:
    """Whether the store holds the same collection already. Raises SettingsError if it holds anything else."""
    held = imported_set(store)
    if held is None:
        if store.corpus.document_count() or store.questions.all():
            raise SettingsError(f"{store.path} holds a set already; give --db another file for {wanted.name}")
        return False
    source, before = Path(wanted.source), Path(held.source)
    moved = (held.name, before.name) == (wanted.name, source.name) and not before.exists()
    if source == before or moved:
        return True
    raise SettingsError(
        f"{store.path} holds the collection {held.name} with the labels of {before}; "
        f"give --db another file for those of {source}"
    )
