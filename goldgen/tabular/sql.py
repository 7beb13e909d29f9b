"""Rows of a query: to a DuckDB or SQLite file, or to PostgreSQL. Nothing is written to any of them."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from goldgen.errors import TableError
from goldgen.tabular.rows import BadRow, Row, checked, decoded

Kind = Literal["duckdb", "sqlite", "postgresql"]
_KINDS: Mapping[str, Kind] = {
    "duckdb": "duckdb",
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
}
_BATCH = 1000
"""Rows fetched at once."""
_SECONDS_TO_CONNECT = 10


@dataclass(frozen=True, slots=True)
class SqlSource:
    """A database and the query that gives its rows. Neither text nor repr shows a password."""

    kind: Kind
    address: str = field(repr=False)
    """Path of the file, or what libpq takes: a URL, or words like ``host=db dbname=wiki``."""
    query: str

    @classmethod
    def parse(cls, source: str, query: str) -> "SqlSource":
        """From ``duckdb:FILE``, ``sqlite:FILE`` or ``postgresql:…``. Raises TableError for anything else."""
        scheme, colon, address = source.partition(":")
        kind = _KINDS.get(scheme.lower())
        if kind is None or not colon or not address:
            # What was given is not repeated: it may be an address with a password.
            raise TableError(
                "a database is named duckdb:FILE, sqlite:FILE or postgresql://USER@HOST/NAME; "
                "this one begins otherwise"
            )
        if not query.strip():
            raise TableError(
                f"no query to {scheme}; give one like --query 'select id, text, document_id from chunks'"
            )
        if kind == "postgresql" and address.startswith("//"):
            address = f"postgresql:{address}"
        return cls(kind, address, query.strip().rstrip(";"))

    @property
    def name(self) -> str:
        """Of the file, without its suffix, or of the database."""
        if self.kind == "postgresql":
            return _postgres_parts(self.address).get("dbname") or "postgresql"
        return Path(self.address).stem

    @property
    def place(self) -> str:
        """Where the rows come from, without a password."""
        if self.kind != "postgresql":
            return f"{self.kind}:{Path(self.address).expanduser().resolve()}"
        parts = {key: quote(value, safe="") for key, value in _postgres_parts(self.address).items()}
        host = f"{parts['user']}@{parts.get('host', '')}" if "user" in parts else parts.get("host", "")
        port = f":{parts['port']}" if "port" in parts else ""
        return f"postgresql://{host}{port}/{parts.get('dbname', '')}"


def read_query(source: SqlSource) -> Iterator[Row | BadRow]:
    """Stream the rows that a query gives, numbered from 1; of two columns with one name the first counts.

    Raises TableError if the database cannot be opened or refuses the query, without showing a password.
    """
    return _READERS[source.kind](source)


def _duckdb(source: SqlSource) -> Iterator[Row | BadRow]:
    import duckdb

    path = _existing(source)
    # DuckDB would fetch an extension from the internet to open, say, a SQLite file.
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(str(path), read_only=True, config=config) as connection:
            result = connection.execute(source.query)
            names = [str(column[0]) for column in result.description]
            yield from _rows(names, _batches(lambda: result.fetchmany(_BATCH)))
    except duckdb.Error as error:
        raise _refused(source, error) from error


def _sqlite(source: SqlSource) -> Iterator[Row | BadRow]:
    path = _existing(source)
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = decoded
            result = connection.execute(source.query)
            names = [str(column[0]) for column in result.description or ()]
            yield from _rows(names, result)
    except sqlite3.Error as error:
        raise _refused(source, error) from error


def _postgres(source: SqlSource) -> Iterator[Row | BadRow]:
    try:
        import psycopg
    except ImportError as error:
        raise TableError(_NO_PSYCOPG) from error
    parts = _postgres_parts(source.address)
    password = parts.get("password")
    patience = int(parts.get("connect_timeout", _SECONDS_TO_CONNECT))
    try:
        with psycopg.connect(source.address, connect_timeout=patience) as connection:
            connection.read_only = True
            # A cursor with a name lives on the server, so that rows are fetched as they are needed.
            with connection.cursor("goldgen") as cursor:
                cursor.itersize = _BATCH
                cursor.execute(source.query.encode())
                names = [column.name for column in cursor.description or ()]
                yield from _rows(names, cursor)
    except psycopg.Error as error:
        raise _refused(source, error, password) from None


_READERS: Mapping[Kind, Callable[[SqlSource], Iterator[Row | BadRow]]] = {
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "postgresql": _postgres,
}
_NO_PSYCOPG = "reading from PostgreSQL needs psycopg; install it with `pip install 'goldgen[postgres]'`"


def _rows(names: list[str], rows: Iterable[Iterable[object]]) -> Iterator[Row | BadRow]:
    for number, row in enumerate(rows, start=1):
        values: dict[str, object] = {}
        for column, value in zip(names, row, strict=True):
            values.setdefault(column, value)
        yield checked(number, values)


def _batches(fetch: Callable[[], list[tuple[object, ...]]]) -> Iterator[tuple[object, ...]]:
    while batch := fetch():
        yield from batch


def _existing(source: SqlSource) -> Path:
    path = Path(source.address).expanduser().resolve()
    if not path.is_file():
        raise TableError(f"{source.kind}:{path}: there is no such file; check the path")
    return path


def _postgres_parts(address: str) -> dict[str, str]:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise TableError(_NO_PSYCOPG) from error
    try:
        return {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    except ProgrammingError:
        # The library's message repeats a part of the address, which may be the password.
        raise TableError(
            "the PostgreSQL address cannot be read; write it as postgresql://USER@HOST:PORT/NAME, "
            "with the password in PGPASSWORD or ~/.pgpass"
        ) from None


def _refused(source: SqlSource, error: Exception, password: str | None = None) -> TableError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = lines[0].rstrip(".:;") if lines else type(error).__name__
    if password:
        cause = cause.replace(password, "***")
    return TableError(f"{source.place}: {cause}; check the address and the query")
