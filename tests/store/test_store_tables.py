"""What goes into each table comes back, once, in a known order."""

import dataclasses
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from goldgen.errors import StoreError
from goldgen.store import RANKING_DEPTH, QuestionResult, Rejection, Store, StoredRun, open_store
from goldgen.types import (
    Chunk,
    Control,
    Document,
    Hit,
    Judgment,
    NearMiss,
    Question,
    SkippedFile,
    VectorCache,
)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as store:
        yield store


def document(path: str, *texts: str) -> tuple[Document, list[Chunk]]:
    """A document with one chunk for each text."""
    whole = Document(f"d-{path}", path, "".join(texts), title=path.title(), metadata={"team": "docs"})
    chunks: list[Chunk] = []
    start = 0
    for position, text in enumerate(texts):
        chunk_id = f"c-{path}-{position}"
        chunks.append(Chunk(chunk_id, whole.id, text, start, start + len(text), "Heading", position))
        start += len(text)
    return whole, chunks


def question(key: str, *, asked: int = 1) -> Question:
    return Question(key, f"How is {key}?", "log", "keyword", document_id="d", asked=asked)


def verdict(judge: str, grade: int | None, *, human: bool = False, target: str = "c") -> Judgment:
    return Judgment(
        "q", target, judge, "human" if human else "verifier", grade, "d", "quote", 3, 8, score=0.5
    )


def run(key: str, retriever: str, created_at: datetime, hits: int = 2) -> StoredRun:
    ranking = tuple(Hit(f"c{place}", 1.0 / (1 + place)) for place in range(hits))
    results = (QuestionResult("q2", (0.25, None), ranking), QuestionResult("q1", (1.0, 0.5), ()))
    measures, means = ("nDCG@10", "Recall@10"), (0.625, None)
    return StoredRun(key, created_at, retriever, measures, means, results, '{"k": 10}', "f1")


# meta


def test_meta_keeps_the_last_value(store: Store) -> None:
    assert store.meta.get("corpus") is None
    store.meta.set("corpus", "old")
    store.meta.set("corpus", "docs")
    assert store.meta.get("corpus") == "docs"


# corpus


def test_documents_and_chunks_come_back_by_path_and_position(store: Store) -> None:
    b, b_chunks = document("b.md", "one ", "two")
    a, a_chunks = document("a.md", "three")
    assert store.corpus.replace_documents([(b, b_chunks[::-1]), (a, a_chunks)]) == 2
    assert store.corpus.documents() == [a, b]
    assert store.corpus.chunks() == a_chunks + b_chunks
    assert store.corpus.document(b.id) == b
    assert store.corpus.chunk("c-b.md-1") == b_chunks[1]
    assert store.corpus.document("x") is None
    assert store.corpus.chunk("x") is None
    assert (store.corpus.document_count(), store.corpus.chunk_count()) == (2, 3)


def test_a_document_that_did_not_change_is_left_alone(store: Store) -> None:
    whole, chunks = document("a.md", "one ", "two")
    assert store.corpus.replace_document(whole, chunks)
    assert not store.corpus.replace_document(whole, chunks)
    assert not store.corpus.replace_document(whole, chunks[::-1])
    assert store.corpus.replace_document(whole, [dataclasses.replace(chunks[0], context="New"), chunks[1]])


def test_of_a_changed_document_the_old_chunks_go(store: Store) -> None:
    other = document("b.md", "stays")
    store.corpus.replace_documents([document("a.md", "one ", "two ", "three"), other])
    whole, chunks = document("a.md", "one ", "new")
    assert store.corpus.replace_documents([(whole, chunks), other]) == 1
    assert store.corpus.chunks() == chunks + other[1]
    assert store.corpus.documents() == [whole, other[0]]


def test_a_chunk_may_move_to_another_document(store: Store) -> None:
    """A user's own ids: the row c1 is listed under another page today."""
    a, b = Document("a", "a", "x"), Document("b", "b", "y")
    store.corpus.replace_documents([(a, [Chunk("c1", "a", "x", 0, 1)]), (b, [Chunk("c2", "b", "y", 0, 1)])])
    moved = Chunk("c1", "b", "x", 0, 1)
    store.corpus.replace_documents([(a, []), (b, [moved])])
    assert store.corpus.chunks() == [moved]


def test_two_chunks_with_one_id_are_refused_by_name_and_nothing_is_stored(store: Store) -> None:
    a, b = Document("a", "a", "x"), Document("b", "b", "y")
    chunk = Chunk("c1", "a", "x", 0, 1)
    twin = Chunk("c1", "b", "y", 0, 1)
    with pytest.raises(StoreError, match="two chunks have the id 'c1', one in document 'a' and one in 'b'"):
        store.corpus.replace_documents([(a, [chunk]), (b, [twin])])
    assert store.corpus.document_count() == 0
    store.corpus.replace_document(a, [chunk])
    with pytest.raises(StoreError, match="two chunks have the id 'c1'"):
        store.corpus.replace_document(b, [twin])
    assert store.corpus.documents() == [a]


def test_removed_documents_take_their_chunks_along(store: Store) -> None:
    a, b = document("a.md", "one"), document("b.md", "two")
    store.corpus.replace_documents([a, b])
    store.corpus.remove_documents([a[0].id, "unknown"])
    store.corpus.remove_documents([])
    assert store.corpus.documents() == [b[0]]
    assert store.corpus.chunks() == b[1]


def test_skipped_files_are_those_of_the_last_load(store: Store) -> None:
    store.corpus.add_skipped([SkippedFile("b.pdf", "encrypted"), SkippedFile("a.pdf", "no text")])
    assert store.corpus.skipped() == [SkippedFile("a.pdf", "no text"), SkippedFile("b.pdf", "encrypted")]
    store.corpus.add_skipped([])
    assert store.corpus.skipped() == []


def test_a_large_corpus_takes_seconds_at_most(store: Store) -> None:
    batch = [document(f"{place:03}.md", *["word " * 240] * 15) for place in range(500)]
    start = time.perf_counter()
    assert store.corpus.replace_documents(batch) == 500
    assert store.corpus.replace_documents(batch) == 0
    assert store.corpus.chunks() == [chunk for _, chunks in batch for chunk in chunks]
    assert time.perf_counter() - start < 10  # 1 s where this was written


# questions


def test_a_question_with_the_same_id_is_replaced_and_its_count_too(store: Store) -> None:
    store.questions.add([question("b"), question("a", asked=7)])
    store.questions.add([question("a", asked=9), question("a", asked=3)])
    assert store.questions.all() == [question("a", asked=3), question("b")]
    assert store.questions.get("a") == question("a", asked=3)
    assert store.questions.get("x") is None


def test_questions_by_origin(store: Store) -> None:
    written = Question("w", "How?", "synthetic", "natural", "c", "d", "so", "so", "m", "p", "k")
    store.questions.add([question("a"), written])
    assert store.questions.all("synthetic") == [written]
    assert store.questions.all("log") == [question("a")]
    assert store.questions.all("manual") == []
    assert len(store.questions.all()) == 2


def test_near_misses(store: Store) -> None:
    first = NearMiss("n1", "q", "c", "on the Pro plan", "Plans", "plan", "Team", "Pro", "m", "k")
    second = dataclasses.replace(first, id="n0", edit="answer_removed", after="")
    store.questions.add_near_misses([first])
    store.questions.add_near_misses([second, first])
    assert store.questions.near_misses() == [second, first]


def test_every_rejected_draft_counts_once_also_after_a_second_run(store: Store) -> None:
    drafts = [
        Rejection("synth", "What does this say?", "c1", "not standalone"),
        Rejection("synth", "What does this say?", "c1", "not standalone"),
        Rejection("synth", "What does this say?", "c2", "not standalone"),
        Rejection("synth", "How?", None, "copied"),
    ]
    for _ in range(2):
        store.questions.add_rejections(drafts)
        store.questions.add_rejections([Rejection("logs", "hi", None, "too short")])
    assert store.questions.rejections("synth") == {"not standalone": 3, "copied": 1}
    assert store.questions.rejections("logs") == {"too short": 1}
    assert store.questions.rejections("verify") == {}
    assert sorted(map(repr, store.questions.rejected("synth"))) == sorted(map(repr, drafts))


def test_a_draft_that_is_rejected_for_another_reason_is_not_counted_twice(store: Store) -> None:
    store.questions.add_rejections([Rejection("synth", "How?", "c", "copied")])
    store.questions.add_rejections([Rejection("synth", "How?", "c", "too short")])
    assert store.questions.rejections("synth") == {"too short": 1}


# judgments and controls


def test_a_judges_new_verdict_replaces_its_old_one_only(store: Store) -> None:
    store.judgments.put([verdict("m1", 3), verdict("m2", 2), verdict("m1", 1, human=True)])
    store.judgments.put([verdict("m1", None)])
    assert store.judgments.all() == [verdict("m2", 2), verdict("m1", 1, human=True), verdict("m1", None)]


@pytest.mark.parametrize(
    ("given", "counts"),
    [
        ([verdict("m1", 3), verdict("ann", 0, human=True)], verdict("ann", 0, human=True)),
        ([verdict("ann", 0, human=True), verdict("m1", 3)], verdict("ann", 0, human=True)),
        ([verdict("ann", 0, human=True), verdict("bob", 2, human=True)], verdict("bob", 2, human=True)),
        ([verdict("z", 3), verdict("a", 1)], verdict("a", 1)),
        ([verdict("a", 3), verdict("z", None)], verdict("z", None)),  # fails closed
        ([verdict("m1", 3), verdict("ann", None, human=True)], verdict("m1", 3)),
        ([verdict("m1", None), verdict("ann", None, human=True)], verdict("m1", None)),
        ([verdict("ann", None, human=True)], verdict("ann", None, human=True)),
        ([verdict("a", 3), verdict("b", 1), verdict("a", 2)], verdict("a", 2)),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_the_verdict_that_counts(
    store: Store, given: list[Judgment], counts: Judgment, at_once: bool
) -> None:
    if at_once and len({(item.judge_kind, item.judge) for item in given}) == len(given):
        store.judgments.put(given)
    else:
        for item in given:
            store.judgments.put([item])
    store.judgments.put([verdict("other", 2, target="c2")])
    assert store.judgments.effective() == [counts, verdict("other", 2, target="c2")]


def test_an_impossible_grade_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="CHECK constraint"):
        store.judgments.put([verdict("m", 2, target="c2"), verdict("m", 4)])
    assert store.judgments.all() == []


def test_controls_are_those_of_the_last_verification(store: Store) -> None:
    first = Control("k2", "q", "easy", "d", "text", "Heading", grade=0, score=0.1, reason="no")
    second = Control("k1", "q", "answer_deleted", "d", "text", "")
    store.controls.put([first, second])
    assert store.controls.all() == [second, first]
    store.controls.put([first])
    assert store.controls.all() == [first]


# vectors


def test_vectors_come_back_exactly_for_their_model_only(store: Store) -> None:
    cache: VectorCache = store.vectors
    rows = np.random.default_rng(1).standard_normal((50, 384)).astype(np.float32)
    cache.put("mini", {f"h{place}": row for place, row in enumerate(rows)})
    cache.put("mini", {"h0": rows[49]})
    found = cache.get("mini", ["h49", "h0", "unknown"])
    assert set(found) == {"h0", "h49"}
    assert found["h0"].dtype == np.float32
    assert found["h0"].flags.writeable
    assert np.array_equal(found["h0"], rows[49])
    assert cache.get("other", ["h0"]) == {}
    assert cache.get("mini", []) == {}
    cache.put("mini", {})


# runs


def test_runs_come_back_whole_in_the_order_of_time(store: Store) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    earlier = run("r9", "bm25", noon)
    later = run("r1", "bm25", noon + timedelta(hours=1))
    other = run("r5", "dense", noon + timedelta(minutes=1))
    for item in (later, earlier, other):
        store.runs.add(item)
    assert store.runs.all() == [earlier, other, later]
    assert store.runs.latest() == {"bm25": later, "dense": other}


def test_a_run_with_the_same_id_is_replaced(store: Store) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    store.runs.add(run("r", "bm25", noon, hits=5))
    store.runs.add(run("r", "bm25", noon))
    assert store.runs.all() == [run("r", "bm25", noon)]
    assert store.runs.latest() == {"bm25": run("r", "bm25", noon)}


def test_of_a_long_ranking_the_top_is_kept(store: Store) -> None:
    long = run("r", "bm25", datetime(2026, 3, 1, tzinfo=UTC), hits=RANKING_DEPTH + 10)
    store.runs.add(long)
    assert store.runs.all()[0].questions[0].ranking == long.questions[0].ranking[:RANKING_DEPTH]


def test_times_come_back_in_utc(store: Store) -> None:
    tokyo = timezone(timedelta(hours=9))
    store.runs.add(run("r", "bm25", datetime(2026, 3, 1, 8, tzinfo=tokyo)))
    (stored,) = store.runs.all()
    assert stored.created_at == datetime(2026, 2, 28, 23, tzinfo=UTC)
    assert stored.created_at.tzinfo is UTC


def test_numpy_numbers_and_a_run_without_questions(store: Store) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    result = QuestionResult("q", (np.float64(0.5),), (Hit("c", np.float64(0.25)),))
    store.runs.add(StoredRun("r1", noon, "a", ("RR@10",), (np.float64(0.5),), (result,), "{}", "f"))
    store.runs.add(StoredRun("r2", noon, "b", (), (), (), "{}", "f"))
    with_questions, without = store.runs.all()
    assert with_questions.questions == (QuestionResult("q", (0.5,), (Hit("c", 0.25),)),)
    assert (without.measures, without.questions) == ((), ())
