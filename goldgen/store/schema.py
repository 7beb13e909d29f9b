"""The version of a golden-set file, and the numbered SQL files that bring an older one up to date."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from importlib.resources.abc import Traversable

from goldgen.errors import StoreError
from goldgen.store.connection import Connection

_VERSION_TABLE = "goldgen_schema"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version ``version - 1`` to ``version``."""

    version: int
    sql: str


def load_migrations(folder: Traversable | None = None) -> tuple[Migration, ...]:
    """The files ``NNNN_name.sql`` of a folder by number; by default goldgen's own."""
    source = folder or files("goldgen.store").joinpath("migrations")
    found = [
        Migration(int(match[1]), file.read_text(encoding="utf-8"))
        for file in source.iterdir()
        if (match := re.fullmatch(r"(\d{4})_\w+\.sql", file.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.version))


def schema_version(connection: Connection) -> int:
    """0 for an empty database. Raises StoreError for a database that somebody else made."""
    tables = {
        name for (name,) in connection.rows("select table_name from duckdb_tables() where not internal")
    }
    if _VERSION_TABLE in tables:
        return int(connection.rows(f"select coalesce(max(version), 0) from {_VERSION_TABLE}")[0][0])
    if tables:
        raise StoreError(
            f"{connection.path} is a DuckDB file but not a golden set "
            f"(it has the table {min(tables)!r}); nothing was changed, name another file"
        )
    return 0


def migrate(connection: Connection, migrations: Sequence[Migration]) -> None:
    """Apply the migrations that the file lacks, each in one transaction.

    Raises StoreError, with the file untouched, if it was written by a newer goldgen, or if it is
    open for reading only and is older.
    """
    version, newest = schema_version(connection), migrations[-1].version
    if version > newest:
        raise StoreError(
            f"golden set {connection.path} was written by a newer goldgen (schema {version}, this one "
            f"reads up to {newest}); upgrade goldgen. Nothing was changed"
        )
    if version < newest and connection.read_only:
        raise StoreError(
            f"golden set {connection.path} has schema {version}, and this goldgen needs {newest}; "
            "run a command that writes to it, such as `goldgen synth`, to bring it up to date"
        )
    for migration in migrations[version:]:
        with connection.transaction():
            connection.run_script(
                f"create table if not exists {_VERSION_TABLE} "
                "(version integer primary key, applied_at timestamp not null)"
            )
            connection.run_script(migration.sql)
            connection.save_rows(
                _VERSION_TABLE,
                ("version", "applied_at"),
                [(migration.version, datetime.now(UTC).replace(tzinfo=None))],
            )
