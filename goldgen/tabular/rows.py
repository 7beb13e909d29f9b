"""What every table gives: rows by column name, and rows that could not be read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A NUL ends strings in C libraries, and half a surrogate pair cannot be written as UTF-8.
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row by column name. ``line`` counts from 1; in Parquet and a query it is the row's number."""

    line: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read, the line on which it starts, and why."""

    line: int
    reason: str


def pick_column(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The column whose name, whatever its case, stands first in ``wanted``; None if there is none."""
    by_name = {column.strip().lower(): column for column in reversed(columns)}
    return next((by_name[name.lower()] for name in wanted if name.lower() in by_name), None)


def checked(number: int, values: Mapping[str, object]) -> Row | BadRow:
    """The row, unless a text in it cannot be used."""
    for column, value in values.items():
        if isinstance(value, str) and _UNUSABLE.search(value):
            return BadRow(number, f"column {column!r} holds a NUL or half a character")
    return Row(number, values)


def decoded(raw: bytes) -> str:
    """UTF-8, else cp1252."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")
