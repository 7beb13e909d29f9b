import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import spacy
from stored_sets import draft, fill, word_verifier, write_log

from goldgen.app.labelling import LabelOptions, complete_labels
from goldgen.app.log_reading import ReadingOptions, read_logs, store_logs
from goldgen.app.logs import LogOptions, add_logs, preview_logs
from goldgen.app.models import ModelSettings
from goldgen.app.proofs import save_proof
from goldgen.app.reporting import Silent
from goldgen.errors import EmptyResultError, TableError
from goldgen.store import Store, open_store
from goldgen.types import Control, Question
from goldgen.verify import Calibration, VerifierProof
from goldgen.verify.agreement import is_proposed

SECRETS = (
    "jane.doe@example.com",
    "+1 415 555 2671",
    "4111 1111 1111 1111",
    "sk-proj-abcdefghijklmnopqrstuvwx123456",
    "192.168.17.23",
    "GB82 WEST 1234 5698 7654 32",
    "536-90-4399",
    "RCCMNL83S18D969H",
    "390.533.447-05",
)
USER = "visitor-7c-jane"


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill(opened)
        yield opened


def add(store: Store, log: Path, names: str = "") -> tuple[dict[str, Question], int]:
    read = read_logs([log], ReadingOptions(names=names), None, Silent())
    found = store_logs(store, read, ReadingOptions(), Silent())
    return {question.text: question for question in store.questions.all("log")}, found.pages_unknown


def test_the_same_file_twice_counts_once_and_two_files_add_up(store: Store, tmp_path: Path) -> None:
    first = write_log(tmp_path, "more seats,", "More seats?,", "night exports,")
    assert {text: q.asked for text, q in add(store, first)[0].items()} == {
        "more seats": 2,
        "night exports": 1,
    }
    copy = tmp_path / "copy.csv"
    copy.write_bytes(first.read_bytes())
    for again in (first, copy):
        found, _ = add(store, again)
        assert {text: q.asked for text, q in found.items()} == {"more seats": 2, "night exports": 1}
    second = write_log(tmp_path, "more seats,", "sso,", name="second.csv")
    found, _ = add(store, second)
    assert {text: q.asked for text, q in found.items()} == {"more seats": 3, "night exports": 1, "sso": 1}


def test_pages_are_resolved_and_unknown_ones_counted(store: Store, tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        "a query,https://docs.example.com/seats?x=1",
        "b query,exports.md",
        "c query,nowhere.md",
        "d query,",
    )
    found, unknown = add(store, log)
    assert {text: question.document_id for text, question in found.items()} == {
        "a query": "doc-seats",
        "b query": "doc-exports",
        "c query": None,
        "d query": None,
    }
    assert unknown == 1
    assert found["a query"].cluster == found["a query"].id


def test_a_page_that_one_log_named_is_not_forgotten_with_the_next(store: Store, tmp_path: Path) -> None:
    add(store, write_log(tmp_path, "more seats,seats.md"))
    found, _ = add(store, write_log(tmp_path, "more seats,", name="second.csv"))
    assert found["more seats"].document_id == "doc-seats"
    found, _ = add(store, write_log(tmp_path, "more seats,exports.md", name="third.csv"))
    assert found["more seats"].document_id == "doc-exports"


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_personal_data_is_nowhere_in_the_files_of_the_set(tmp_path: Path) -> None:
    rows = [
        f'"harmless{number} words http://jane:hunter2@x.com {secret}",seats?mail={secret},{USER}'
        for number, secret in enumerate(SECRETS)
    ]
    (tmp_path / "logs").mkdir()
    rows += ["harmless seats of Zoltan Quillmore,seats.md,"]
    log = write_log(tmp_path / "logs", *rows, "harmless plain,seats.md,", header="query,page,user")
    pipeline = spacy.blank("en")
    ruler: Any = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Zoltan Quillmore"}])
    pipeline.to_disk(tmp_path / "people")
    folder = tmp_path / "set"
    with open_store(folder / "set.duckdb") as store:
        found, _ = add(store, log, str(tmp_path / "people"))
        assert (folder / "set.duckdb.wal").exists()
        written = bytes_of(folder)
    closed = bytes_of(folder)
    assert len(found) == len(SECRETS) + 2
    assert all(f"harmless{number}".encode() in written for number in range(len(SECRETS)))
    assert b"harmless seats of <PERSON>" in written and b"harmless seats of <PERSON>" in closed
    for secret in (*SECRETS, USER, "hunter2", "Zoltan", "Quillmore"):
        assert secret.encode() in log.read_bytes()
        for spelled in (secret, secret.replace(" ", ""), secret.upper(), secret.lower()):
            assert spelled.encode() not in written
            assert spelled.encode() not in closed
    assert not any(secret in question.text for question in found.values() for secret in SECRETS)


def test_personal_data_is_in_no_plan_and_in_nothing_that_was_read(store: Store, tmp_path: Path) -> None:
    rows = [f'"words {secret}",seats,{USER}' for secret in SECRETS]
    rows += [f'"{secret}",seats,{USER}' for secret in SECRETS]  # rejected
    log = write_log(tmp_path, *rows, header="query,page,user")
    store.close()
    options = LogOptions(tmp_path / "set.duckdb", log, models=ModelSettings(offline=True))
    before = options.db.read_bytes()

    plan = asyncio.run(preview_logs(options))
    assert options.db.read_bytes() == before
    found = read_logs(options.files, options.reading, None, Silent())

    assert plan.scrubbed == found.scrubbed and sum(plan.scrubbed.values()) == 2 * len(SECRETS)
    assert plan.rejected == found.rejected == {"only personal data": len(SECRETS)}
    assert plan.examples["EMAIL"] == (
        "xxxx.xxx@xxxxxxx.xxx in: words <EMAIL>",
        "xxxx.xxx@xxxxxxx.xxx in: <EMAIL>",
    )
    shown = repr(plan) + repr(found) + repr(options)
    assert [secret for secret in (*SECRETS, USER) if secret in shown] == []


def test_a_log_without_queries_is_an_error_and_makes_no_set(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with pytest.raises(EmptyResultError, match=r"no query in .*: 1 only personal data"):
        asyncio.run(add_logs(LogOptions(db, write_log(tmp_path, "jane.doe@example.com,"))))
    with pytest.raises(EmptyResultError, match="it has no rows"):
        asyncio.run(add_logs(LogOptions(db, write_log(tmp_path))))
    with pytest.raises(TableError):
        asyncio.run(add_logs(LogOptions(db, write_log(tmp_path, "x,y", header="one,two"))))
    assert not db.exists()


@pytest.mark.model
def test_every_row_of_a_log_is_accounted_for(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill(store)
    log = write_log(
        tmp_path, "more seats,seats", "More seats?,seats", "exports,gone.md", "jane.doe@example.com,", ","
    )
    options = LogOptions(db, log, models=ModelSettings(offline=True))
    for _ in range(2):
        report = asyncio.run(add_logs(options))
        assert report.rows == 5
        assert "jane" not in repr(report)
        assert (report.queries, report.pages_named, report.pages_unknown) == (2, 1, 1)
        assert sum(report.rejected.values()) == len(report.rejected_lines) == 2
        assert report.scrubbed == {"EMAIL": 1}
        # The embedded verifier has no calibration yet, so it gives no verdict.
        assert (report.labelled, report.unanswered, report.unjudged) == (0, 0, 2)
        assert report.labels.pairs == 0
    with open_store(db, read_only=True) as store:
        assert {question.text: question.asked for question in store.questions.all("log")} == {
            "more seats": 2,
            "exports": 1,
        }


@pytest.mark.model
def test_what_a_search_proposes_meets_the_stricter_judge(store: Store) -> None:
    """Of one text in two documents, the log names one: that is accepted at a score that the other is not."""
    store.questions.add(
        [
            Question("log-1", "the plan seats", "log", "log", document_id="doc-seats"),
            Question("log-2", "the plan seats!", "log", "log"),
            draft("seats", "How many seats has Basic?"),
        ]
    )
    verifier = word_verifier()
    calibration = Calibration(0.6, 1.3, 40, 1.0)
    settings = ModelSettings(offline=True)
    found = complete_labels(store, verifier, calibration, settings, LabelOptions(), None, Silent())
    labels = asyncio.run(found)
    verdicts = {(j.question_id, j.target_id): j for j in store.judgments.effective()}
    assert labels.pairs == len(verdicts) == 4
    assert labels.unjudged == {}
    assert verdicts["log-1", "chunk-seats"].grade == 3
    assert verdicts["log-2", "chunk-seats"].grade == 0
    assert verdicts["log-1", "chunk-exports"].grade == 0


@pytest.mark.model
@pytest.mark.parametrize(("controls", "grade"), [(100, 3), (30, 2)])
def test_what_only_a_search_found_waits_until_the_embedded_judge_is_shown_to_be_strict(
    store: Store, controls: int, grade: int
) -> None:
    store.questions.add(
        [
            Question("log-1", "more seats cost", "log", "log", document_id="doc-seats"),
            Question("log-2", "more seats cost?!", "log", "log"),
        ]
    )
    verifier = word_verifier()
    store.controls.put(
        [Control(f"k{n}", "q", "answer_deleted", f"d{n}", "text", "", score=0.5) for n in range(controls)]
    )
    save_proof(store, verifier, VerifierProof("proven", "", (), 0.9, None, None))
    calibration = Calibration(0.6, 0.9, controls, 1.0)
    settings = ModelSettings(offline=True)
    found = complete_labels(store, verifier, calibration, settings, LabelOptions(), None, Silent())
    labels = asyncio.run(found)
    verdicts = {(j.question_id, j.target_id): j for j in store.judgments.effective()}
    assert verdicts["log-1", "chunk-seats"].grade == 3, "the log names its page"
    assert verdicts["log-2", "chunk-seats"].grade == grade
    assert is_proposed(verdicts["log-2", "chunk-seats"]) == (grade == 2)
    assert (labels.held_back, labels.wrong_golds is None) == ((0, False) if grade == 3 else (1, True))


def test_a_set_without_log_queries_or_chunks_has_nothing_to_label(tmp_path: Path) -> None:
    verifier = word_verifier()
    with open_store(tmp_path / "set.duckdb") as store:
        store.questions.add([Question("log-1", "seats", "log", "log")])
        settings = ModelSettings(offline=True)
        found = complete_labels(store, verifier, None, settings, LabelOptions(), None, Silent())
        assert asyncio.run(found).pairs == 0
        assert store.judgments.all() == []
