"""The open DuckDB file: reads, bulk writes, transactions, and errors that name the file.

Rows go in by ``insert … select unnest(?)``, one list a column, 60 times faster than executemany.
A connection serves one thread.
"""

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import duckdb

from goldgen.errors import StoreError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Item = TypeVar("Item", bound="DataclassInstance")


class Connection:
    """What the tables of a golden set read and write through."""

    def __init__(self, database: duckdb.DuckDBPyConnection, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._database = database

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and fetch all of its rows. Raises StoreError if the file fails."""
        with self._named_errors():
            return self._database.execute(sql, list(parameters)).fetchall()

    def run_script(self, sql: str) -> None:
        """Run several statements without parameters."""
        with self._named_errors():
            self._database.execute(sql)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All of the block or, after any exception, nothing of it."""
        if self.read_only:
            raise StoreError(f"golden set {self.path} is open for reading only; open it for writing")
        try:
            # Inside, for Ctrl-C may come when it has begun.
            self.rows("begin transaction")
            yield
            self.rows("commit")
        except BaseException:
            # After a fatal error there is no transaction left, and the first error is the one to show.
            with suppress(duckdb.Error):
                self._database.execute("rollback")
            raise

    def load(
        self, kind: type[Item], table: str, tail: str = "", parameters: Sequence[object] = ()
    ) -> list[Item]:
        """Values of a dataclass from a table with a column for each field; ``tail`` follows FROM."""
        build: Callable[..., Item] = kind
        sql = f"select {quoted(columns(kind))} from {table} {tail}"
        return [build(*map(_frozen, row)) for row in self.rows(sql, parameters)]

    def save(self, table: str, items: Sequence[Item]) -> None:
        """Insert values of one dataclass; a row with the same primary key is replaced."""
        if items:
            self.save_rows(table, columns(type(items[0])), [values(item) for item in items])

    def save_rows(
        self, table: str, names: Sequence[str], rows: Sequence[Sequence[object]], *, new: bool = False
    ) -> None:
        """Insert rows; a row with the same primary key is replaced. Keys must differ within ``rows``.

        ``new``: no such row is there, so none has to be looked for, which takes half of the time.
        """
        if not rows:
            return
        lists = [[_storable(value) for value in column] for column in zip(*rows, strict=True)]
        unnested = ", ".join("unnest(?)" for _ in names)
        verb = "insert" if new else "insert or replace"
        self.rows(f"{verb} into {table} ({quoted(names)}) select {unnested}", lists)

    def delete(self, table: str, column: str, keys: Sequence[str]) -> None:
        """Delete the rows whose ``column`` is among ``keys``."""
        if keys:
            self.rows(f'delete from {table} where "{column}" in (select unnest(?))', [list(keys)])

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, so that a copy of the one file is complete."""
        if not self.read_only:
            self.rows("checkpoint")

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _named_errors(self) -> Generator[None]:
        """Turn what can befall a file (full disk, damage, a broken constraint) into one line.

        A ProgrammingError is a bug in this room and stays a traceback.
        """
        try:
            yield
        except duckdb.ProgrammingError:
            raise
        except RuntimeError as error:
            # How DuckDB passes on a Ctrl-C that comes while it works.
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from error
            raise
        except duckdb.Error as error:
            raise StoreError(
                f"golden set {self.path} cannot be used: {first_line(error)}; "
                "what was committed before is kept, so remove the cause and run again"
            ) from error


def columns(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """The field names of a dataclass: the columns of its table."""
    return tuple(field.name for field in fields(kind))


def values(item: "DataclassInstance") -> tuple[object, ...]:
    """The field values of a dataclass in order; unlike ``astuple`` it copies nothing."""
    return tuple(getattr(item, field.name) for field in fields(item))


def quoted(names: Sequence[str]) -> str:
    """Column names for SQL; ``end`` is a reserved word."""
    return ", ".join(f'"{name}"' for name in names)


def first_line(error: duckdb.Error) -> str:
    """What DuckDB says, without its class of error and the advice that it adds in further lines."""
    line = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(r"^[A-Za-z ]+ Error: ", "", line)


def _storable(value: object) -> object:
    if isinstance(value, tuple):
        return [_storable(item) for item in cast(tuple[object, ...], value)]
    # A lone surrogate has no UTF-8 form; one in a model's reply must not cost the other rows.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _frozen(value: object) -> object:
    """DuckDB's lists as the tuples that frozen values hold."""
    return tuple(cast(list[object], value)) if isinstance(value, list) else value
