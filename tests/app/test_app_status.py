import json
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import fill, verdict

from goldgen.app.proofs import save_proof
from goldgen.app.status import status
from goldgen.errors import StoreError
from goldgen.store import Rejection, Store, open_store
from goldgen.types import CallRecord, Judgment, Question, SkippedFile, Usage
from goldgen.verify import VerifierProof


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "set.duckdb"


def proven(store: Store) -> None:
    save_proof(store, "j", VerifierProof("proven", "", (), 0.9, None, None))


def test_no_set_is_an_error_and_makes_none(db: Path) -> None:
    with pytest.raises(StoreError, match="no golden set"):
        status(db)
    assert not db.exists()


def test_an_empty_set_says_where_to_start(db: Path) -> None:
    open_store(db).close()
    found = status(db)
    assert (found.documents, found.chunks, found.corpus, found.verifiers) == (0, 0, "", {})
    assert (found.calls, found.tokens, found.usd) == (0, 0, 0.0)
    assert found.next_step.startswith("goldgen synth PATH")


def test_counts(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        store.meta.set("corpus", json.dumps({"name": "docs", "root": "/docs"}))
        store.corpus.add_skipped([SkippedFile("a.pdf", "PDF"), SkippedFile("b.pdf", "PDF")])
        store.questions.add_rejections([Rejection("synth", "x", "chunk-seats", "not a question")])
        store.questions.add([Question("log-1", "more seats", "log", "log")])
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("seats", "near", 0)])
        call = CallRecord("a", "synth", "m", "e", "h", (), "ok", usage=Usage(10, 5, 1), usd=0.25)
        store.calls.put(call)
        store.calls.put(replace(call, key="b", status="failed"))
    found = status(db)
    assert (found.corpus, found.documents, found.chunks) == ("docs", 2, 2)
    assert found.skipped == {"PDF": 2}
    assert found.states == {"synthetic": {"golden": 1, "unjudged": 1}, "log": {"unjudged": 1}}
    assert found.golden_by_style == {"fact": 1}
    assert found.golden_by_document == {"seats.md": 1}
    assert (found.near_misses, found.near_misses_kept) == (1, 1)
    assert found.rejections == {"synth": {"not a question": 1}, "near_miss": {}}
    assert (found.calls, found.calls_failed, found.tokens, found.usd) == (2, 1, 30, 0.5)
    assert found.verifiers == {}
    assert found.marks


def test_an_unknown_price_makes_the_sum_unknown(db: Path) -> None:
    with open_store(db) as store:
        store.calls.put(CallRecord("a", "synth", "m", "e", "h", (), "ok", usd=0.25))
        store.calls.put(CallRecord("b", "synth", "m", "e", "h", (), "ok"))
    assert status(db).usd is None


def test_looking_changes_nothing(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
    before = db.read_bytes()
    assert status(db) == status(db)
    assert db.read_bytes() == before


def test_the_next_step_follows_what_is_there(db: Path) -> None:
    steps: list[str] = []

    def look() -> None:
        steps.append(status(db).next_step)

    with open_store(db) as store:
        fill(store)
    look()
    with open_store(db) as store:
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 0)])
        proven(store)
    look()
    with open_store(db) as store:
        store.questions.add([Question("log-1", "more seats", "log", "log")])
    look()
    with open_store(db) as store:
        store.judgments.put([Judgment("log-1", "chunk-seats", "claude-judge", grade=3)])
    look()
    assert [step.split(":")[0] for step in steps] == [
        "goldgen verify",
        "goldgen logs add FILE",
        "goldgen verify",
        "goldgen eval",
    ]
