"""Collections made elsewhere: a folder as BEIR has it, or TREC's qrels with texts in JSONL.

What a row says is kept as it stands: ids, texts, and grades whatever their scale.
"""

import gzip
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import BinaryIO, cast

from goldgen.errors import TableError
from goldgen.exchange.lines import Opened, encoding, fields_of_lines
from goldgen.tabular import BadRow, Row, pick_column, read_rows_from

DOCUMENT_ID = ("_id", "id", "doc_id", "docid", "docno")
DOCUMENT_TEXT = ("text", "contents", "content", "body")
QUERY_ID = ("_id", "id", "query_id", "qid")
QUERY_TEXT = ("text", "query", "question")
QUERY_DOCUMENT = ("document_id", "doc_id", "document")
"""The document that a question was written from, in its row or in its ``metadata``."""
QREL_COLUMNS = (
    ("query-id", "query_id", "qid", "question_id"),
    ("corpus-id", "corpus_id", "doc_id", "docid", "document_id", "chunk_id"),
    ("score", "grade", "relevance", "label"),
)
_TREC = "qid iter docid grade"
_GZIP = b"\x1f\x8b"
_LONGEST_HEADER = 4096


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """Where a collection lies. Each file may be packed by gzip."""

    corpus: Path
    queries: Path
    qrels: Path


@dataclass(frozen=True, slots=True)
class CollectionDocument:
    """One row of a corpus: the unit that is searched for."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class CollectionQuery:
    id: str
    text: str
    document: str = ""
    """The document that it was written from, where its row names one."""


@dataclass(frozen=True, slots=True)
class Qrel:
    """A grade that somebody gave a document for a query."""

    line: int
    query_id: str
    document_id: str
    grade: float
    """Finite; negative and fractional grades are kept."""


def beir_files(
    folder: Path,
    split: str = "",
    *,
    corpus: Path | None = None,
    queries: Path | None = None,
    qrels: Path | None = None,
) -> CollectionFiles:
    """The files of a BEIR folder: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, unless others are named.

    Without ``split`` the only file of qrels, or that of the split test. Raises TableError if one is missing.
    """
    return CollectionFiles(
        corpus or _named(folder, "corpus.jsonl"),
        queries or _named(folder, "queries.jsonl"),
        qrels or _of_split(folder, split),
    )


def read_documents(path: Path) -> Iterator[CollectionDocument | BadRow]:
    """The rows of a corpus in JSONL. A row without a text has its title for one.

    Raises TableError if the file cannot be read.
    """
    for item in _texts(path, DOCUMENT_ID):
        if isinstance(item, BadRow):
            yield item
            continue
        row, key = item
        text, title = _text(row.values, DOCUMENT_TEXT), _text(row.values, ("title",)).strip()
        if text.strip():
            yield CollectionDocument(key, text, title)
        elif title:
            yield CollectionDocument(key, title)
        else:
            yield BadRow(row.line, "it has no text")


def read_queries(path: Path) -> Iterator[CollectionQuery | BadRow]:
    """The rows of queries in JSONL. Raises TableError if the file cannot be read."""
    for item in _texts(path, QUERY_ID):
        if isinstance(item, BadRow):
            yield item
            continue
        row, key = item
        text = _text(row.values, QUERY_TEXT)
        if not text.strip():
            yield BadRow(row.line, "it has no text")
            continue
        metadata = row.values.get("metadata")
        named = cast(Mapping[str, object], metadata if isinstance(metadata, dict) else {})
        yield CollectionQuery(key, text, _name(row.values, QUERY_DOCUMENT) or _name(named, QUERY_DOCUMENT))


def read_qrels(path: Path) -> Iterator[Qrel | BadRow]:
    """The grades of a file: by the header that BEIR writes, or else TREC's ``qid iter docid grade``.

    A second grade of one pair is a bad row. Raises TableError if the file cannot be read.
    """
    seen = set[tuple[str, str]]()
    with _opened(path) as stream:
        start = stream.peek(_LONGEST_HEADER).decode(encoding(stream), "replace")
        header = start.strip().partition("\n")[0]
        names = header.strip().split("\t")
        is_table = all(pick_column(names, wanted) for wanted in QREL_COLUMNS)
        for item in _table_qrels(stream, path) if is_table else _trec_qrels(stream):
            if isinstance(item, Qrel) and (item.query_id, item.document_id) in seen:
                yield BadRow(item.line, "a grade of this query and document stands further up")
                continue
            if isinstance(item, Qrel):
                seen.add((item.query_id, item.document_id))
            yield item


def _named(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise TableError(
        f"{folder}: has no {name}; name a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, "
        "or give --corpus, --queries and --qrels"
    )


def _of_split(folder: Path, split: str) -> Path:
    found = {
        path.name.removesuffix(".gz").removesuffix(".tsv"): path
        for pattern in ("*.tsv.gz", "*.tsv")
        for path in sorted((folder / "qrels").glob(pattern))
    }
    wanted = split or (next(iter(found)) if len(found) == 1 else "test")
    if wanted not in found:
        there = f"only {', '.join(sorted(found))}; name one by --split" if found else "no *.tsv"
        raise TableError(f"{folder / 'qrels'}: has no {wanted}.tsv, {there}")
    return found[wanted]


@contextmanager
def _opened(path: Path) -> Generator[Opened]:
    try:
        with path.open("rb") as file:
            if file.peek(len(_GZIP)).startswith(_GZIP):
                with gzip.open(file) as unpacked:
                    yield unpacked
            else:
                yield file
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise TableError(f"{path}: cannot be read ({why}); check the path and the file") from error


def _texts(path: Path, ids: Sequence[str]) -> Iterator[tuple[Row, str] | BadRow]:
    """Rows with their ids, each id once."""
    seen = set[str]()
    with _opened(path) as stream:
        for row in read_rows_from(cast(BinaryIO, stream), "jsonl", str(path)):
            if isinstance(row, BadRow):
                yield row
            elif not (key := _name(row.values, ids)):
                yield BadRow(row.line, f"it has no id ({', '.join(ids)})")
            elif key in seen:
                yield BadRow(row.line, "its id stands further up")
            else:
                seen.add(key)
                yield row, key


def _table_qrels(stream: Opened, path: Path) -> Iterator[Qrel | BadRow]:
    for row in read_rows_from(cast(BinaryIO, stream), "tsv", str(path)):
        yield (
            row if isinstance(row, BadRow) else _qrel(row.line, *(_name(row.values, c) for c in QREL_COLUMNS))
        )


def _trec_qrels(stream: Opened) -> Iterator[Qrel | BadRow]:
    for line in fields_of_lines(stream, _TREC):
        if isinstance(line, BadRow):
            yield line
        else:
            number, (query_id, _, document_id, grade) = line
            yield _qrel(number, query_id, document_id, grade)


def _qrel(line: int, query_id: str, document_id: str, grade: str) -> Qrel | BadRow:
    if not query_id or not document_id:
        return BadRow(line, "it names no query" if not query_id else "it names no document")
    try:
        number = float(grade)
    except ValueError:
        return BadRow(line, f"the grade is no number: {grade[:40]!r}")
    if not isfinite(number):
        return BadRow(line, f"the grade is not finite: {grade[:40]!r}")
    return Qrel(line, query_id, document_id, number)


def _text(values: Mapping[str, object], wanted: Sequence[str]) -> str:
    column = pick_column(list(values), wanted)
    value = None if column is None else values[column]
    return value if isinstance(value, str) else ""


def _name(values: Mapping[str, object], wanted: Sequence[str]) -> str:
    """An id, which some files have as a number; empty if there is none."""
    column = pick_column(list(values), wanted)
    value = None if column is None else values[column]
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value).strip() if is_name else ""
