"""Files that other tools read, each written whole or not at all."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from goldgen.errors import SettingsError

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets run a cell that begins so (OWASP, CSV injection)."""


def write_json(path: Path, value: object) -> None:
    """One JSON value. Raises SettingsError if the file cannot be written."""
    _written(path, lambda file: file.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n"))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """One JSON object a line. Raises SettingsError if the file cannot be written."""
    _written(path, lambda file: file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table with a header as RFC 4180 has it, its cells made safe for spreadsheets.

    Raises SettingsError if the file cannot be written.
    """
    _write_table(path, columns, ([safe_cell(value) for value in row] for row in rows), ",", "\r\n")


def write_tsv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table for programs, its cells as they are. Raises SettingsError if the file cannot be written."""
    _write_table(path, columns, rows, "\t", "\n")


def write_lines(path: Path, rows: Iterable[Sequence[object]], separator: str) -> None:
    """Fields between separators, as TREC has them; white space within a field becomes one space.

    Raises SettingsError if the file cannot be written.
    """
    lines = (separator.join(" ".join(str(field).split()) for field in row) + "\n" for row in rows)
    _written(path, lambda file: file.writelines(lines))


def safe_cell(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets an apostrophe in front; a number stays one."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _write_table(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str, line_end: str
) -> None:
    def write(file: TextIO) -> None:
        table = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
        table.writerow(columns)
        table.writerows(rows)

    _written(path, write)


def _written(path: Path, write: Callable[[TextIO], object]) -> None:
    """The file beside its place first, so that a full disk or Ctrl-C leaves no half of one."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("w", encoding="utf-8", newline="") as file:
                write(file)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            f"cannot write {path}: {error.strerror or error}; name a place that can be written"
        ) from error
