"""Versions of the file: numbered migrations, older and newer files."""

import re
from pathlib import Path

import duckdb
import pytest

from goldgen.errors import StoreError
from goldgen.store import open_store
from goldgen.store.connection import Connection
from goldgen.store.schema import load_migrations, migrate, schema_version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two migrations, and a file that is none."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    write(
        folder / "0001_initial.sql", "create table notes (text varchar); insert into notes values ('kept');"
    )
    write(folder / "0002_author.sql", "alter table notes add column author varchar default 'nobody';")
    write(folder / "README.md", "not a migration")
    return folder


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def connect(path: Path, *, read_only: bool = False) -> Connection:
    return Connection(duckdb.connect(str(path), read_only=read_only), path, read_only=read_only)


def test_the_own_migrations_are_numbered_without_a_gap() -> None:
    versions = [migration.version for migration in load_migrations()]
    assert versions == list(range(1, len(versions) + 1))
    assert versions


def test_an_older_file_is_brought_up_to_date_with_its_rows(tmp_path: Path, folder: Path) -> None:
    migrations = load_migrations(folder)
    path = tmp_path / "set.duckdb"
    connection = connect(path)
    migrate(connection, migrations[:1])
    assert connection.rows("select * from notes") == [("kept",)]
    connection.close()

    connection = connect(path)
    assert schema_version(connection) == 1
    migrate(connection, migrations)
    migrate(connection, migrations)
    assert schema_version(connection) == 2
    assert connection.rows("select * from notes") == [("kept", "nobody")]
    connection.close()


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path: Path, folder: Path) -> None:
    write(folder / "0002_author.sql", "alter table notes add column author varchar; select error('no');")
    connection = connect(tmp_path / "set.duckdb")
    with pytest.raises(duckdb.Error):
        migrate(connection, load_migrations(folder))
    assert schema_version(connection) == 1
    assert connection.rows("select * from notes") == [("kept",)]
    connection.close()


def test_an_older_file_that_is_only_read_is_not_changed(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "set.duckdb"
    connection = connect(path)
    migrate(connection, load_migrations(folder)[:1])
    connection.close()
    before = path.read_bytes()

    connection = connect(path, read_only=True)
    with pytest.raises(StoreError, match="has schema 1, and this goldgen needs 2"):
        migrate(connection, load_migrations(folder))
    connection.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_a_newer_goldgen_is_refused_and_left_alone(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "set.duckdb"
    open_store(path).close()
    with duckdb.connect(str(path)) as database:
        database.execute("insert into goldgen_schema values (99, now()::timestamp)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(str(path)) + " was written by a newer goldgen .*upgrade"):
        open_store(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_file_keeps_its_version_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    open_store(path).close()
    before = path.read_bytes()
    open_store(path).close()
    assert path.read_bytes() == before
