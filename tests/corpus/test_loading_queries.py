"""Chunks by query from DuckDB and SQLite files, and addresses that keep their passwords to themselves."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from goldgen.corpus import load_table
from goldgen.errors import CorpusError, TableError
from goldgen.tabular import BadRow, Row, SqlSource, read_query
from goldgen.types import Chunk, Document, SkippedFile

SECRET = "s3cret-w0rd"
ROWS = (
    (7, "First part.", "a.md", "Guide", "wiki", 2.5),
    (8, "  ", "a.md", "Guide", "wiki", 2.5),
    (9, "Second part.", "a.md", "Guide", "wiki", 3.5),
    (None, "No id.", "b.md", None, "wiki", None),
    (7, "An id again.", "c.md", None, "wiki", None),
    (10, "Of b.", "b.md", None, "", None),
)
COLUMNS = "id, text, document_id, title, space, weight"


def sqlite(folder: Path) -> str:
    path = folder / "wiki.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"create table chunks ({COLUMNS})")
        database.executemany("insert into chunks values (?, ?, ?, ?, ?, ?)", ROWS)
    return f"sqlite:{path}"


def duck(folder: Path) -> str:
    path = folder / "wiki.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "create table chunks (id integer, text varchar, document_id varchar, title varchar, "
            "space varchar, weight double)"
        )
        database.executemany("insert into chunks values (?, ?, ?, ?, ?, ?)", ROWS)
    return f"duckdb:{path}"


def loaded(source: SqlSource) -> tuple[dict[str, Document], dict[str, Chunk], dict[str, str]]:
    items = list(load_table(source, "wiki"))
    found = [item for item in items if not isinstance(item, SkippedFile)]
    skipped = {item.path: item.reason for item in items if isinstance(item, SkippedFile)}
    chunks = {chunk.id: chunk for _, parts in found for chunk in parts}
    return {document.path: document for document, _ in found}, chunks, skipped


@pytest.mark.parametrize("make", [sqlite, duck])
def test_rows_of_a_query_are_chunks_and_the_others_are_counted(
    tmp_path: Path, make: Callable[[Path], str]
) -> None:
    source = SqlSource.parse(make(tmp_path), "select * from chunks;")
    documents, chunks, skipped = loaded(source)
    assert list(chunks) == ["7", "9", "10"]
    assert documents["a.md"].text == "First part.\n\nSecond part."
    assert chunks["9"].context == "Guide"
    # What the rows of a document do not agree on is not its metadata.
    assert documents["a.md"].metadata == {"space": "wiki"}
    assert documents["b.md"].metadata == {}
    assert skipped == {
        f"{source.kind}:2": "has no text",
        f"{source.kind}:4": "has no id",
        f"{source.kind}:5": "its id stands on an earlier row: '7' on 1",
    }
    assert source.name == "wiki"


def test_more_rows_than_are_fetched_at_once_come_in_order(tmp_path: Path) -> None:
    duck(tmp_path)
    source = SqlSource.parse(
        f"duckdb:{tmp_path / 'wiki.duckdb'}", "select range as id, 'text ' || range as text from range(2500)"
    )
    rows = list(read_query(source))
    assert [row.line for row in rows] == list(range(1, 2501))
    assert rows[-1] == Row(2500, {"id": 2499, "text": "text 2499"})


def test_values_that_databases_hold_beside_texts(tmp_path: Path) -> None:
    duck(tmp_path)
    query = (
        "select uuid '00000000-0000-0000-0000-000000000001' as id, 'One.' as text, date '2026-05-01' as day, "
        "[1.0, 2.0] as vector, blob 'x' as raw, true as public, 'second' as text "
        "union all select null, 'a' || chr(0), null, null, null, null, null"
    )
    source = SqlSource.parse(f"duckdb:{tmp_path / 'wiki.duckdb'}", query)
    documents, chunks, skipped = loaded(source)
    key = "00000000-0000-0000-0000-000000000001"
    assert {name: chunk.text for name, chunk in chunks.items()} == {key: "One."}
    assert documents[key].metadata == {"day": "2026-05-01", "public": "True"}
    assert skipped == {"duckdb:2": "column 'text' holds a NUL or half a character"}


def test_sqlite_text_in_another_encoding_is_read(tmp_path: Path) -> None:
    address = sqlite(tmp_path)
    query = "select 1 as id, cast(x'4772f6df65' as text) as text"
    assert list(read_query(SqlSource.parse(address, query))) == [Row(1, {"id": 1, "text": "Größe"})]


def broken(folder: Path) -> Mapping[str, tuple[str, str, str]]:
    """What is wrong to address, query, message."""
    (folder / "text.db").write_text("no database, but text that is long enough", "utf-8")
    return {
        "absent": (f"sqlite:{folder / 'absent.db'}", "select 1", "no such file"),
        "no sqlite": (f"sqlite:{folder / 'text.db'}", "select * from chunks", "not a database"),
        "no duckdb": (f"duckdb:{folder / 'text.db'}", "select 1", "not a valid DuckDB"),
        "no table": (sqlite(folder), "select * from pages", "no such table: pages"),
        "no column": (duck(folder), "select words from chunks", "words"),
        "writes sqlite": (f"sqlite:{folder / 'wiki.db'}", "delete from chunks", "readonly"),
        "writes duckdb": (f"duckdb:{folder / 'wiki.duckdb'}", "delete from chunks", "read-only"),
        "unknown": ("oracle:scott", "select 1", "named duckdb:FILE"),
        "no address": ("sqlite:", "select 1", "named duckdb:FILE"),
        "no query": ("sqlite:x.db", " ", "no query"),
        "no server": (f"postgresql://me:{SECRET}@127.0.0.1:1/wiki", "select 1", "refused"),
        "no address of PostgreSQL": (f"postgresql:password={SECRET} nonsense", "select 1", "cannot be read"),
    }


def refusal(address: str, query: str) -> str:
    try:
        return f"{len(list(read_query(SqlSource.parse(address, query))))} rows"
    except TableError as error:
        return str(error)


def test_what_cannot_be_read_is_an_error_in_one_line_without_a_password(tmp_path: Path) -> None:
    for what, (address, query, message) in broken(tmp_path).items():
        refused = refusal(address, query)
        assert message in refused, what
        assert "\n" not in refused, what
        assert SECRET not in refused, what
    assert (
        len(list(read_query(SqlSource.parse(f"sqlite:{tmp_path / 'wiki.db'}", "select * from chunks")))) == 6
    )


def test_a_query_without_the_columns_names_them(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"sqlite:.*wiki\.db: has no text column among id, words"):
        loaded(SqlSource.parse(sqlite(tmp_path), "select id, text as words from chunks"))


def test_an_address_is_shown_without_its_password() -> None:
    source = SqlSource.parse(f"postgresql://me:{SECRET}@db.example:5433/wiki", "select 1")
    assert source.place == "postgresql://me@db.example:5433/wiki"
    assert source.name == "wiki"
    words = SqlSource.parse(f"postgres:host=/run/pg user=me password={SECRET} dbname=wiki", "select 1")
    assert words.place == "postgresql://me@%2Frun%2Fpg/wiki"
    assert SECRET not in repr(source) + str(words)


def test_a_row_with_half_a_character_is_bad(tmp_path: Path) -> None:
    source = SqlSource.parse(duck(tmp_path), "select 1 as id, 'a' || chr(0) as text")
    assert list(read_query(source)) == [BadRow(1, "column 'text' holds a NUL or half a character")]
