import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stored_sets import FACTS, fill, human, verdict

from goldgen.app.golden import save_max_gold
from goldgen.app.judges import Verifier
from goldgen.app.proofs import save_proof
from goldgen.app.status import status
from goldgen.errors import StoreError
from goldgen.store import Rejection, Store, StoredRun, open_store
from goldgen.types import CallRecord, Judgment, Pooled, Question, SkippedFile, Usage
from goldgen.verify import VerifierProof

FACTS_CHUNKS = [f"chunk-{path.removesuffix('.md')}" for path in FACTS]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "set.duckdb"


def proven(store: Store) -> None:
    save_proof(store, Verifier("j", 1), VerifierProof("proven", "", (), 0.9, None, None))


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


def test_what_the_pool_does_not_answer_is_told_by_depth_and_gaps_apart(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        store.questions.add([Question(f"log-{n}", f"query {n}", "log", "log") for n in range(3)])
        for query, grades in (("log-0", (1, 0)), ("log-1", (2, 1)), ("log-2", (0, None))):
            both = zip(("chunk-exports", "chunk-seats"), grades, strict=True)
            store.judgments.put([Judgment(query, chunk, "claude-judge", grade=g) for chunk, g in both])
            pooled = [Pooled(query, chunk, "bm25", n, 10) for n, chunk in enumerate(FACTS_CHUNKS, 1)]
            store.pool.put(pooled)
    found = status(db)
    assert found.gaps == 1, "the whole corpus was looked at, and nothing is more than on the topic"
    assert found.unanswered_to_depth == {10: 1}, "bm25 had no more to give"
    assert found.states["log"] == {"unanswered": 2, "unjudged": 1}


def test_questions_whose_chunk_is_gone_are_told_and_do_not_ask_for_verify_for_ever(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        store.judgments.put([verdict("seats", "chunk-seats", 3)])
        proven(store)
    assert status(db).next_step.startswith("goldgen verify: 1 ")
    with open_store(db) as store:
        store.corpus.remove_documents(["doc-exports"])
    found = status(db)
    assert (found.chunks_gone, found.states["synthetic"]["unjudged"]) == (1, 1)
    assert found.next_step.startswith("goldgen logs add")
    with open_store(db) as store:
        store.judgments.put([verdict("seats", "chunk-seats", None)])
        store.corpus.remove_documents(["doc-seats"])
    assert status(db).chunks_gone == 2
    assert status(db).next_step.startswith("goldgen synth")


def test_ambiguous_questions_are_named_and_counted_as_golden(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        save_max_gold(store, 1)
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("seats", "chunk-exports", 3)])
    found = status(db)
    assert (found.ambiguous, found.max_gold) == (("q-seats",), 1)
    assert found.states["synthetic"]["golden"] == 1


def test_people_give_the_trusted_figure_and_disputes_ask_for_them(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        store.questions.add([Question("log-1", "more seats", "log", "log")])
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 3)])
        store.judgments.put([Judgment("log-1", "chunk-seats", "claude-judge", grade=3)])
        proven(store)
        store.runs.add(StoredRun("r", datetime.now(UTC), "bm25", (), (), (), "{}", ""))
    assert (status(db).human_verdicts, status(db).disputed, status(db).trusted) == (0, 0, None)
    assert status(db).next_step.startswith("goldgen synth with a larger --sample: 3 questions")
    with open_store(db) as store:
        drawn = human("exports", "chunk-exports", 3), human("seats", "chunk-seats", 1)
        drawn += (Judgment("log-1", "chunk-seats", "ann", judge_kind="human", grade=3),)
        store.judgments.put([replace(said, sampled=True) for said in drawn])
    found = status(db)
    assert (found.human_verdicts, found.disputed) == (3, 0), "who overrules the verifier settles the pair"
    assert found.trusted is not None
    assert (found.trusted.pairs, found.trusted.wrong, found.trusted.accepted) == (3, 1, 3)
    assert found.next_step.startswith("goldgen synth with a larger --sample")
    with open_store(db) as store:
        store.judgments.put([replace(human("seats", "chunk-seats", 3), judge="bob")])
    assert status(db).disputed == 1
    assert status(db).next_step.startswith("goldgen review: ")


def test_a_question_by_hand_without_a_place_waits_for_labels_and_is_then_answered_or_not(db: Path) -> None:
    with open_store(db) as store:
        fill(store)
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 3)])
        proven(store)
        store.questions.add([Question("mine", "Who pays for seats?", "manual", "manual")])
    found = status(db)
    assert (found.chunks_gone, found.states["manual"]) == (0, {"unjudged": 1})
    assert found.next_step == "goldgen verify: 1 questions have no verdict yet"
    with open_store(db) as store:
        store.pool.put([Pooled("mine", chunk, "bm25", n, 10) for n, chunk in enumerate(FACTS_CHUNKS, 1)])
        store.judgments.put([Judgment("mine", chunk, "claude-judge", grade=1) for chunk in FACTS_CHUNKS])
    found = status(db)
    assert (found.states["manual"], found.gaps) == ({"unanswered": 1}, 1)


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
