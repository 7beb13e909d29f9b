from pathlib import Path

import duckdb
import pytest

from goldgen.errors import StoreError
from goldgen.store import QuestionDuplicate, open_store
from goldgen.store.schema import load_migrations

NEAR = QuestionDuplicate("near", "kept", "words", 0.97)


def test_what_was_found_comes_back_in_place_of_what_was_found_before(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        store.duplicates.replace([QuestionDuplicate("old", "kept", "embedding", 0.9), NEAR])
        store.duplicates.replace([NEAR])
        store.duplicates.replace([NEAR, QuestionDuplicate("also", "kept", "embedding", 0.99)])
    with open_store(path, read_only=True) as store:
        assert store.duplicates.all() == [QuestionDuplicate("also", "kept", "embedding", 0.99), NEAR]


def test_questions_are_parted_once_and_joined_again(tmp_path: Path) -> None:
    with open_store(tmp_path / "set.duckdb") as store:
        store.duplicates.part("b", "a")
        store.duplicates.part("a", "b")
        store.duplicates.part("b", "c")
        assert store.duplicates.parted() == {("a", "b"), ("b", "c")}
        store.duplicates.join("b", "a")
        store.duplicates.join("x", "y")
        assert store.duplicates.parted() == {("b", "c")}


def test_a_set_of_schema_7_is_brought_up_to_date_with_its_questions(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("create table goldgen_schema (version integer primary key, applied_at timestamp)")
        for migration in load_migrations()[:7]:
            database.execute(migration.sql)
            database.execute("insert into goldgen_schema values (?, now())", [migration.version])
        database.execute(
            "insert into questions (id, text, origin, style, answer, quote, model, prompt_hash, call_key, "
            "asked, evidence_chunks) values ('q', 'Why?', 'log', 'log', '', '', '', '', '', 4, [])"
        )
    with pytest.raises(StoreError, match="has schema 7, and this goldgen needs"):
        open_store(path, read_only=True)
    with open_store(path) as store:
        (question,) = store.questions.all()
        assert (question.text, question.asked) == ("Why?", 4)
        assert store.duplicates.all() == [] and store.duplicates.parted() == frozenset()
