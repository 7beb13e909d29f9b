"""Tables of hand-written questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from goldgen.errors import TableError
from goldgen.tabular import BadRow, Row, pick_column, read_rows

_QUESTION_NAMES = ("question", "query", "q", "text")
_CHUNK_NAMES = ("chunk", "chunk_id", "chunks", "chunk_ids")
_QUOTE_NAMES = ("quote", "evidence")
_DOCUMENT_NAMES = ("document", "doc", "path", "page")
_ANSWER_NAMES = ("answer",)
_BETWEEN_CHUNKS = ";"


@dataclass(frozen=True, slots=True)
class Written:
    """A question that a person wrote, and where they say that the answer stands."""

    question: str
    chunks: tuple[str, ...] = ()
    """Ids, or their beginnings; several answer only together."""
    quote: str = ""
    """From the corpus, word for word."""
    document: str = ""
    """Path of the document, or its last part."""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class WrittenRow:
    line: int
    written: Written


def read_written(file: Path) -> Iterator[WrittenRow | BadRow]:
    """Each row of a table as a question. A cell with several chunks parts them by ";", or is a JSON list.

    Raises TableError if the file cannot be read, or if no row has a column of questions.
    """
    columns: set[str] = set()
    found = False
    for row in read_rows(file):
        if isinstance(row, BadRow):
            yield row
            continue
        columns |= row.values.keys()
        column = pick_column(list(row.values), _QUESTION_NAMES)
        found = found or column is not None
        if column is None or not _text(row.values[column]):
            yield BadRow(row.line, "it has no question")
        elif isinstance(row.values[column], list | dict | bool):
            yield BadRow(row.line, "its question is no text")
        else:
            yield WrittenRow(row.line, _written(row, column))
    if columns and not found:
        named = ", ".join(sorted(columns))
        raise TableError(f"{file} has no column of questions, only {named}; name it {_QUESTION_NAMES[0]!r}")


def _written(row: Row, question: str) -> Written:
    return Written(
        question=_text(row.values[question]),
        chunks=_chunks(_cell(row.values, _CHUNK_NAMES)),
        quote=_text(_cell(row.values, _QUOTE_NAMES)),
        document=_text(_cell(row.values, _DOCUMENT_NAMES)),
        answer=_text(_cell(row.values, _ANSWER_NAMES)),
    )


def _cell(values: Mapping[str, object], names: Sequence[str]) -> object:
    column = pick_column(list(values), names)
    return None if column is None else values[column]


def _chunks(cell: object) -> tuple[str, ...]:
    if isinstance(cell, list | tuple):
        return tuple(filter(None, map(_text, cast(Sequence[object], cell))))
    return tuple(filter(None, map(str.strip, _text(cell).split(_BETWEEN_CHUNKS))))


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()
