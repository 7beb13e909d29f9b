import gzip
import io
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stored_sets import fill, write_log

from goldgen.app.log_reading import LogQuestions, ReadingOptions, ReadLogs, read_logs, store_logs
from goldgen.app.reporting import Silent
from goldgen.errors import SettingsError
from goldgen.logs import Cleaning
from goldgen.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill(opened)
        yield opened


def read(store: Store, *files: Path, stdin: bytes = b"", **options: object) -> tuple[ReadLogs, LogQuestions]:
    reading = replace(ReadingOptions(), **options)  # pyright: ignore[reportArgumentType] -- by name
    found = read_logs(files, reading, io.BytesIO(stdin), Silent())
    return found, store_logs(store, found, reading, Silent())


def test_a_file_its_copy_in_gzip_and_standard_input_are_one_log(store: Store, tmp_path: Path) -> None:
    raw = "query,page\nmore seats,seats.md\nMore seats?,\n".encode("utf-8-sig")
    (tmp_path / "log.csv").write_bytes(raw)
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(raw))
    files = (tmp_path / "log.csv", tmp_path / "log.csv.gz", Path("-"))

    log, _ = read(store, *files, stdin=raw)
    assert (log.rows, log.names) == (2, (str(files[0]),))
    for file in files:
        read(store, file, stdin=raw)

    assert [(q.text, q.asked, q.document_id) for q in store.questions.all("log")] == [
        ("more seats", 2, "doc-seats")
    ]


def test_lines_of_several_logs_are_told_apart(store: Store, tmp_path: Path) -> None:
    files = [write_log(tmp_path, "login,", f"seats {name},", name=name) for name in ("a.csv", "b.csv")]
    log, _ = read(store, *files)
    assert (log.rows, log.rejected) == (4, {"navigation": 2})
    assert log.rejected_lines == tuple(f"{file}:2: navigation" for file in files)


def test_a_sample_stands_for_all_traffic_and_is_drawn_anew_with_the_next_log(
    store: Store, tmp_path: Path
) -> None:
    rows = [f"query {number}," for number in range(40) for _ in range(40 // (number + 1))]
    first = write_log(tmp_path, *rows)
    _, drawn = read(store, first, sample=10)
    weights = store.logs.weights()
    assert len(drawn.questions) == len(weights) == len(store.questions.all("log")) == 10
    assert sum(weights.values()) == pytest.approx(len(rows))
    assert [part.name for part in drawn.parts] == ["head", "torso", "tail"]
    assert sum(part.chosen for part in drawn.parts) == 10
    assert sum(part.queries for part in drawn.parts) == len(store.logs.totals()) == 40

    second = write_log(tmp_path, *("new query,",) * 500, name="second.csv")
    _, again = read(store, second)
    assert len(again.questions) == 10, "as at the last time"
    assert sum(store.logs.weights().values()) == pytest.approx(len(rows) + 500)
    assert again.parts[0].chosen == 1 and {q.text for q in again.questions} > {"new query", "query 0"}
    assert len(read(store, second, sample=0)[1].questions) == 41
    assert store.logs.weights() == {key: float(asked) for key, asked in store.logs.asked().items()}


def test_what_a_query_became_is_linked_by_id(store: Store, tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        "pasword reset,2024-05-06T10:00:00,jane,no",
        "password reset,2024-05-06T10:00:30,jane,yes",
        header="query,time,user,clicked",
    )
    read(store, log)
    first, second = sorted(store.logs.totals(), key=lambda query: query.text, reverse=True)
    assert (first.text, first.rewritten, first.rewritten_to) == ("pasword reset", 1, (second.question_id,))
    assert first.last_seen == datetime(2024, 5, 6, 10, tzinfo=UTC)


def test_languages_are_counted_and_may_be_chosen(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path, "wie kann ich das Passwort ändern,", "how can I change the password,", "seats,")
    found, _ = read(store, log)
    assert found.languages == {"de": 1, "en": 1, "not clear": 1}
    found, _ = read(store, log, cleaning=Cleaning(frozenset({"en"})))
    assert found.rejected == {"language de": 1}
    with pytest.raises(SettingsError, match="two letters"):
        read(store, log, cleaning=Cleaning(frozenset({"german"})))
