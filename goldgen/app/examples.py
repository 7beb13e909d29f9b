"""Queries that real users typed, shown to a generator for their length and register."""

from pathlib import Path
from typing import Literal

from goldgen.errors import SettingsError, TableError
from goldgen.logs import LogColumns, LogSource, read_log, scrub
from goldgen.store import Store
from goldgen.tabular import BadRow

Source = Path | Literal["logs"] | tuple[str, ...] | None
"""A file with a query a line or row, the log queries of the set, or the queries themselves."""
_MOST = 2000


def example_queries(store: Store, source: Source) -> tuple[str, ...]:
    """Up to 2,000 of them, each once, without those that hold personal data or secrets.

    Raises SettingsError or TableError if there is none.
    """
    if source is None or isinstance(source, tuple):
        return source or ()
    if source == "logs":
        found = [question.text for question in store.questions.all("log")]
        if not found:
            raise SettingsError("--examples logs: the set has no log queries yet; run goldgen logs add FILE")
    else:
        found = _read(source)
    return tuple(dict.fromkeys(" ".join(text.split()) for text in found[:_MOST] if text.strip()))


def _read(file: Path) -> list[str]:
    rows = read_log(LogSource(file).rows(), LogColumns(), str(file))
    queries = [row.query for row in rows if not isinstance(row, BadRow)]
    if not queries:
        raise TableError(f"{file} has no query to take as an example; write one a line")
    found = [query for query in queries if not scrub(query).counts]
    if not found:
        raise TableError(f"every query of {file} holds personal data, so none can be shown to a generator")
    return found
