"""Chunks by query from a PostgreSQL server: kept ids, rows in portions, and nothing written."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from test_postgres import Server, programs

from goldgen.app import corpus
from goldgen.app.corpus import LoadOptions
from goldgen.errors import TableError
from goldgen.tabular import SqlSource, read_query

pytestmark = pytest.mark.postgres
SECRET = "s3cret-w0rd"
ROWS = 2_500
"""More than are fetched at once."""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """Where it is, as a connection string."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # Its path must be short, for that of a socket has 107 characters at most, and open to nobody.
    with TemporaryDirectory(dir="/tmp") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        server = Server(found, Path(folder))
        server.start()
        try:
            with psycopg.connect(server.address) as connection:
                connection.execute(
                    "create table c (id uuid, text text, page text, space text, vector real[])"
                )
                connection.execute(
                    "insert into c select md5(n::text)::uuid, 'The text ' || n, 'page ' || n / 5, 'wiki', "
                    "array[1, 2] from generate_series(1, %s) as n",
                    [ROWS],
                )
                connection.execute(
                    "insert into c values (null, 'No id', 'x'), (md5('1')::uuid, 'Twice', 'x')"
                )
            yield server.address
        finally:
            server.stop()


def source(address: str, query: str) -> SqlSource:
    return SqlSource.parse(f"postgresql:{address} password={SECRET}", query)


def test_a_corpus_by_query(database: str, tmp_path: Path) -> None:
    query = "select id, text, page as document_id, space, vector from c;  "
    found = corpus.load(LoadOptions(tmp_path / "set.duckdb", source(database, query)))
    assert (found.report.name, found.report.chunks, found.report.documents) == ("postgres", ROWS, 501)
    assert found.report.skipped == {"has no id": 1, "its id stands on an earlier row": 1}
    lines = {item.path for item in found.overview.skipped_files}
    assert lines == {f"postgresql:{ROWS + 1}", f"postgresql:{ROWS + 2}"}
    assert SECRET not in repr(found)
    shown = corpus.show(tmp_path / "set.duckdb", "c4ca4238-a0b9")  # begins the md5 of 1
    assert (shown.chunk.text, shown.metadata) == ("The text 1", {"space": "wiki"})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select nothing from c", 'column "nothing" does not exist'),
        ("delete from c", "syntax error"),
        ("with gone as (delete from c returning id, text) select * from gone", "DECLARE CURSOR"),
        ("select id, text from c where 1 / (length(text) - 10) = 0", "division by zero"),
    ],
)
def test_what_the_server_refuses_is_one_line(database: str, query: str, message: str) -> None:
    with pytest.raises(TableError) as refused:
        list(read_query(source(database, query)))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert SECRET not in str(refused.value)


def test_an_unknown_database_is_named(database: str) -> None:
    with pytest.raises(TableError, match='database "absent" does not exist'):
        list(read_query(source(database.replace("dbname=postgres", "dbname=absent"), "select 1")))
