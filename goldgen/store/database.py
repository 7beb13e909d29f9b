"""Opening the golden-set file: who may, for how long one waits, and what is wrong if it fails."""

import re
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from goldgen.errors import StoreError
from goldgen.store.calls import CallLedger
from goldgen.store.connection import Connection, first_line
from goldgen.store.controls import Controls
from goldgen.store.corpus import Corpus
from goldgen.store.duplicates import Duplicates
from goldgen.store.evaluations import Evaluations
from goldgen.store.imported import Imported
from goldgen.store.judgments import Judgments
from goldgen.store.logs import Logs
from goldgen.store.meta import Meta
from goldgen.store.pool import Pool
from goldgen.store.questions import Questions
from goldgen.store.runs import Runs
from goldgen.store.schema import load_migrations, migrate
from goldgen.store.selections import Selections
from goldgen.store.vectors import StoredVectors

_POLL_SECONDS = 0.1
_MAGIC = b"DUCK"  # at offset 8 of every DuckDB file
_READING: dict[str, str | bool | int | float | list[str]] = {
    # DuckDB would fetch an extension from the internet to open, say, a SQLite file.
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_WRITING = _READING | {
    # The oldest DuckDB that goldgen runs with can then open what the newest wrote.
    "storage_compatibility_version": "v1.4.0",
}


class Store:
    """An open golden set. Every writing method is one transaction; one thread at a time may use it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open = True
        self.meta = Meta(connection)
        self.corpus = Corpus(connection)
        self.questions = Questions(connection)
        self.duplicates = Duplicates(connection)
        self.judgments = Judgments(connection)
        self.pool = Pool(connection)
        self.controls = Controls(connection)
        self.calls = CallLedger(connection)
        self.vectors = StoredVectors(connection)
        self.runs = Runs(connection)
        self.evaluations = Evaluations(connection)
        self.imported = Imported(connection)
        self.selections = Selections(connection)
        self.logs = Logs(connection)

    @property
    def path(self) -> Path:
        return self._connection.path

    def close(self) -> None:
        """Commit pending calls, fold the write-ahead log into the file and let go of it."""
        if not self._open:
            return
        self._open = False
        try:
            self.calls.flush()
            self._connection.checkpoint()
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def open_store(path: Path, *, read_only: bool = False, create: bool = True, wait_seconds: float = 5) -> Store:
    """Open a golden set, and make it, with its folder, if it is not there, may be written and ``create``.

    A file of no bytes counts as not there.

    Raises StoreError, in one line and with the file untouched, if the file is missing (and not to be
    made), locked by another process for longer than ``wait_seconds``, not a golden set, damaged, or
    written by a newer goldgen or DuckDB.
    """
    _prepare(path, create=create and not read_only)
    database = _connect(path, read_only, wait_seconds, create=create and not read_only)
    connection = Connection(database, path, read_only=read_only)
    try:
        migrate(connection, load_migrations())
    except BaseException:
        connection.close()
        raise
    return Store(connection)


def _prepare(path: Path, *, create: bool) -> None:
    try:
        if path.is_dir():
            raise StoreError(
                f"golden set {path} is a folder; name a file in it, such as {path / 'set.duckdb'}"
            )
        if not create and not path.exists():
            raise StoreError(f"no golden set at {path}; make one with `goldgen synth`")
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot open golden set {path}: {error.strerror} ({error.filename}); name another file"
        ) from error


def _connect(path: Path, read_only: bool, wait_seconds: float, *, create: bool) -> duckdb.DuckDBPyConnection:
    # Absolute, because DuckDB takes names like "md:x" or ":memory:" for something else than a file.
    name = str(path.absolute())
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return duckdb.connect(name, read_only=read_only, config=_READING if read_only else _WRITING)
        except duckdb.Error as error:
            if create and not _is_locked(error) and _cleared(path):
                continue
            if not _is_locked(error) or time.monotonic() >= deadline:
                raise StoreError(_explain(error, path, wait_seconds)) from error
        time.sleep(_POLL_SECONDS)


def _is_locked(error: duckdb.Error) -> bool:
    return "lock on file" in str(error) or "used by another process" in str(error)


def _explain(error: duckdb.Error, path: Path, waited: float) -> str:
    message = str(error)
    if _is_locked(error):
        holder = re.search(r"PID (\d+)", message)
        process = f"process {holder[1]}" if holder else "another process"
        return (
            f"golden set {path} is in use by {process} (waited {waited:g} s); "
            "wait until it has finished, or end it, and run again"
        )
    if "different configuration" in message:
        return f"golden set {path} is already open in this process; close it first"
    if "storage version number" in message or "newer version of DuckDB" in message:
        return (
            f"golden set {path} was written by a newer DuckDB than {duckdb.__version__}; "
            "upgrade with `pip install -U duckdb`. The file was not changed"
        )
    if _is_empty(path):
        return f"{path} is not a golden set, for it is empty; make one with `goldgen synth`, or remove it"
    if _is_foreign(path):
        return f"{path} is not a golden set, for it is no DuckDB file; it was not changed, name another file"
    return (
        f"cannot open golden set {path}: {first_line(error)}; "
        "if it is damaged, restore a copy or make a new set in another file"
    )


def _is_empty(path: Path) -> bool:
    """Whether the file has no bytes, nor a write-ahead log that tells of a set that was there."""
    try:
        return path.stat().st_size == 0 and not path.with_name(f"{path.name}.wal").exists()
    except OSError:
        return False


def _cleared(path: Path) -> bool:
    """Removes an empty file, such as mktemp leaves, for DuckDB makes no database of one."""
    if not _is_empty(path):
        return False
    try:
        path.resolve().unlink()
    except OSError:
        return False
    return True


def _is_foreign(path: Path) -> bool:
    """Whether the file can be read and does not begin as a DuckDB file does."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] != _MAGIC
    except OSError:
        return False
