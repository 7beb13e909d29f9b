import json
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from goldgen.store import Store, open_store
from goldgen.store.logs import LoggedQuery
from goldgen.store.schema import load_migrations
from goldgen.types import Question

MAY, JUNE = datetime(2024, 5, 6, 10, tzinfo=UTC), datetime(2024, 6, 6, 10, tzinfo=UTC)
WHOLE = LoggedQuery("q1", "seats", 3, MAY, JUNE, ("Seats?", "seats"), ("/a",), 2, 1, ("q2",), 1, 4)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        yield opened


def test_what_a_log_says_comes_back(store: Store) -> None:
    bare = LoggedQuery("q2", "roles", 1)
    store.logs.replace("one", [WHOLE, bare])

    assert store.logs.totals() == [WHOLE, bare]
    assert store.logs.totals(["q2"]) == [bare]
    assert store.logs.asked() == {"q1": 3, "q2": 1}


def test_the_same_log_counts_once_and_two_logs_add_up(store: Store) -> None:
    for _ in range(2):
        store.logs.replace("one", [WHOLE])
    store.logs.replace("two", [LoggedQuery("q1", "SEATS", 9, JUNE, JUNE, ("SEATS",), ("/b",), liked=1)])

    assert store.logs.totals() == [
        LoggedQuery(
            "q1", "SEATS", 12, MAY, JUNE, ("SEATS", "Seats?", "seats"), ("/a", "/b"), 2, 1, ("q2",), 2, 4
        )
    ]
    store.logs.replace("one", [LoggedQuery("q3", "sso", 1)])
    assert store.logs.asked() == {"q1": 9, "q3": 1}


def test_weights_are_those_of_the_last_sample(store: Store) -> None:
    store.logs.set_weights({"q1": 2.5, "q2": 1.0})
    store.logs.set_weights({"q2": 3.5})
    assert store.logs.weights() == {"q2": 3.5}
    store.logs.set_weights({})
    assert store.logs.weights() == {}


def test_counts_of_an_older_set_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    counts = {"log a": {"q1": 2, "gone": 5}, "log b": {"q1": 1}}
    with duckdb.connect(str(path)) as database:
        database.execute("create table goldgen_schema (version integer primary key, applied_at timestamp)")
        for migration in load_migrations()[:6]:
            database.execute(migration.sql)
            database.execute("insert into goldgen_schema values (?, now()::timestamp)", [migration.version])
        database.execute("insert into meta values ('log_counts', ?), ('other', 'x')", [json.dumps(counts)])
        database.execute(
            "insert into questions by name "
            "select 'q1' as id, 'seats' as text, 'log' as origin, 'log' as style, '' as answer, '' as quote, "
            "'' as model, '' as prompt_hash, '' as call_key, 3 as asked, [] as evidence_chunks"
        )

    with open_store(path) as store:
        assert store.logs.totals() == [LoggedQuery("gone", "", 5), LoggedQuery("q1", "seats", 3)]
        assert store.logs.weights() == {"q1": 3.0}
        assert (store.meta.get("log_counts"), store.meta.get("other")) == (None, "x")
        assert store.questions.all() == [Question("q1", "seats", "log", "log", asked=3)]
