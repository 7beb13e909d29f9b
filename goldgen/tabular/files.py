"""Files of rows: CSV, TSV, JSONL and Parquet, in which a bad row is data and not the end.

A line is decoded as UTF-8, else as cp1252; a byte-order mark decides for the whole file.
"""

import codecs
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import BinaryIO, Literal

from goldgen.errors import TableError
from goldgen.tabular.rows import BadRow, Row, checked, decoded

Format = Literal["csv", "tsv", "jsonl"]
"""What can be read from a stream; Parquet needs a file."""

LONGEST_FIELD = 100_000
"""Characters of a CSV cell. Longer cells are pasted documents or a quotation mark gone astray."""
LONGEST_OPEN_QUOTE = 1_000_000
"""Characters after which a quotation mark that was not closed is taken for a stray one."""

_FORMATS: Mapping[str, Format] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
SUFFIXES = frozenset({*_FORMATS, ".parquet"})


def read_rows(path: Path) -> Iterator[Row | BadRow]:
    """Stream the rows of a table, whose format is told by its suffix.

    Raises TableError if the format is unknown or the file cannot be read at all.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(sorted(SUFFIXES))
        raise TableError(f"{path}: {suffix or 'a file without suffix'} is not a table; use one of {known}")
    if not path.is_file():
        raise TableError(f"{path}: there is no such file; check the path")
    if suffix == ".parquet":
        return _parquet(path)
    return _file_rows(path, _FORMATS[suffix])


def read_rows_from(stream: BinaryIO, table_format: Format, name: str = "-") -> Iterator[Row | BadRow]:
    """Stream the rows of an open binary stream, such as standard input; ``name`` is for messages.

    Raises TableError if the header of a CSV cannot be read.
    """
    lines = numbered_lines(stream)
    if table_format == "jsonl":
        return _json_lines(lines)
    return _csv(lines, name, tab=table_format == "tsv")


def _file_rows(path: Path, table_format: Format) -> Iterator[Row | BadRow]:
    try:
        with path.open("rb") as stream:
            yield from read_rows_from(stream, table_format, str(path))
    except (OSError, UnicodeError) as error:
        raise TableError(f"{path}: cannot be read ({error}); check its rights and its encoding") from error


# Lines


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Decoded lines with their line ends, numbered from 1."""
    first = stream.readline()
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # The line end is two bytes wide here, so what was read of it is put in front again.
        wide = io.TextIOWrapper(io.BytesIO(first + stream.read()), "utf-16", newline="")
        yield from enumerate(wide, start=1)
        return
    first = first.removeprefix(codecs.BOM_UTF8)
    if first:
        yield 1, decoded(first)
    for number, raw in enumerate(stream, start=2):
        yield number, decoded(raw)


# JSON lines


def _json_lines(lines: Iterator[tuple[int, str]]) -> Iterator[Row | BadRow]:
    # NaN and Infinity are no JSON; as text they would read "nan", so they count as missing.
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    for number, line in lines:
        text, at = line.strip(), 0
        while at < len(text):
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                yield BadRow(number, f"not JSON: {getattr(error, 'msg', 'nested too deep')}")
                break
            yield _json_row(number, value)
            while at < len(text) and text[at] in " \t,":
                at += 1


def _json_row(number: int, value: object) -> Row | BadRow:
    if not isinstance(value, dict):
        return BadRow(number, f"not an object but {type(value).__name__}")
    values: dict[str, object] = {str(key): cell for key, cell in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- JSON keys are strings
    return checked(number, values)


# CSV


def _csv(lines: Iterator[tuple[int, str]], name: str, *, tab: bool) -> Iterator[Row | BadRow]:
    records = _Records(lines, tab=tab)
    header: list[str] | None = None
    for number, cells in records:
        if header is None:
            if cells is None or any("\x00" in cell for cell in cells):
                raise TableError(f"{name}: the header cannot be read; save the table as CSV in UTF-8")
            header = [cell.strip() for cell in cells]
        elif cells is None:
            yield BadRow(number, "a quotation mark is never closed")
        else:
            yield _csv_row(number, header, cells)


def _csv_row(number: int, header: Sequence[str], cells: Sequence[str]) -> Row | BadRow:
    if any(len(cell) > LONGEST_FIELD for cell in cells):
        return BadRow(number, f"a field is longer than {LONGEST_FIELD:,} characters")
    if any(cell.strip() for cell in cells[len(header) :]):
        return BadRow(number, f"{len(cells)} cells under a header of {len(header)}")
    values: dict[str, object] = {}
    for column, cell in zip(header, cells, strict=False):  # what a short row lacks is missing
        values.setdefault(column, cell)
    return checked(number, values)


class _Records:
    """Logical lines: number of the first physical line, and cells (None: a quote is never closed).

    The csv module is not used, since its limit of a field is global to the process and it loses its
    place after an error.
    """

    def __init__(self, lines: Iterator[tuple[int, str]], *, tab: bool) -> None:
        self._lines = lines
        self._again: list[tuple[int, str]] = []
        """Lines that a stray quotation mark had swallowed, last first."""
        self._delimiter = "\t" if tab else ""
        # In TSV a cell cannot hold a line break, and a query may well begin with a quotation mark.
        self._across_lines = not tab

    def __iter__(self) -> Iterator[tuple[int, list[str] | None]]:
        while (first := self._next()) is not None:
            number, line = first
            if not line.strip():
                continue
            self._delimiter = self._delimiter or _sniffed(line)
            yield number, self._cells(line)

    def _next(self) -> tuple[int, str] | None:
        return self._again.pop() if self._again else next(self._lines, None)

    def _cells(self, line: str) -> list[str] | None:
        cells = _split(line, self._delimiter)
        if cells is not None:
            return cells
        if not self._across_lines:
            return line.rstrip("\r\n").split(self._delimiter)
        parts, length, swallowed = [line], len(line), list[tuple[int, str]]()
        while length < LONGEST_OPEN_QUOTE and (following := self._next()) is not None:
            swallowed.append(following)
            parts.append(following[1])
            length += len(following[1])
            if '"' in following[1] and (cells := _split("".join(parts), self._delimiter)) is not None:
                return cells
        self._again.extend(reversed(swallowed))
        return None


def _sniffed(line: str) -> str:
    """The delimiter that stands most often in the header, outside quotation marks."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(",;\t|", key=bare.count)


def _split(record: str, delimiter: str) -> list[str] | None:
    """The cells of a record, or None if a quotation mark in it is still open."""
    record = record.rstrip("\r\n")
    if '"' not in record:
        return record.split(delimiter)
    cell = re.compile(rf'"([^"]*+(?:""[^"]*+)*+)"([^{delimiter}]*)|(?!")([^{delimiter}]*)')
    cells: list[str] = []
    at = 0
    while match := cell.match(record, at):
        quoted, rest, plain = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"') + rest)
        if match.end() == len(record):
            return cells
        at = match.end() + 1
    return None


# Parquet


def _parquet(path: Path) -> Iterator[Row | BadRow]:
    import duckdb

    literal = re.sub(r"([*?\[])", r"[\1]", str(path))  # a file's name is not a pattern of names
    # Without a folder for them, DuckDB writes no temporary files: what it reads may be personal.
    with duckdb.connect(":memory:", config={"temp_directory": ""}) as connection:
        try:
            result = connection.execute("select * from read_parquet(?)", [literal])
            columns = [str(column[0]) for column in result.description]
            numbers = count(1)
            while rows := result.fetchmany(1000):
                for row in rows:
                    yield checked(next(numbers), dict(zip(columns, row, strict=True)))
        except duckdb.Error as error:
            cause = str(error).splitlines()[0]
            raise TableError(f"{path}: not readable as Parquet ({cause}); write the table again") from error
