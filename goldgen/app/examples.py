"""Queries that real users typed, shown to a generator for their length and register."""

from pathlib import Path
from typing import Literal

from goldgen.errors import SettingsError, TableError
from goldgen.logs import LogColumns, read_log, scrub
from goldgen.store import Store
from goldgen.tabular import BadRow, read_rows

Source = Path | Literal["logs"] | None
"""A file with a query a line or row, or the log queries of the set."""
_MOST = 2000


def example_queries(store: Store, source: Source) -> tuple[str, ...]:
    """Up to 2,000 of them, each once, without those that hold personal data or secrets.

    Raises SettingsError or TableError if there is none.
    """
    if source is None:
        return ()
    if source == "logs":
        found = [question.text for question in store.questions.all("log")]
        if not found:
            raise SettingsError("--examples logs: the set has no log queries yet; run goldgen logs add FILE")
    else:
        found = _read(source)
    return tuple(dict.fromkeys(" ".join(text.split()) for text in found[:_MOST] if text.strip()))


def _read(file: Path) -> list[str]:
    try:
        rows = [
            row for row in read_log(read_rows(file), LogColumns(), str(file)) if not isinstance(row, BadRow)
        ]
    except OSError as error:
        raise TableError(f"cannot read {file}: {error.strerror}; check its rights or name another") from error
    queries = [row.query for row in rows if not isinstance(row, BadRow)]
    if not queries:
        raise TableError(f"{file} has no query to take as an example; write one a line")
    found = [query for query in queries if not scrub(query).counts]
    if not found:
        raise TableError(f"every query of {file} holds personal data, so none can be shown to a generator")
    return found
