"""Any text comes back as it went in: NUL, emoji, right-to-left marks, and keys made of them."""

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.store import Rejection, Store, open_store
from goldgen.types import CallRecord, Chunk, Document, Judgment, Message, Question, Usage

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.sampled_from(
    ["", "\0", "a\0b", "NULL", "'; drop table meta; --", "\ufeff", "e\u0301", "\u202eabc", "👩‍👩‍👧", "\r\n"]
)
LOG_QUESTIONS = st.builds(Question, id=TEXT, text=TEXT, origin=st.just("log"), style=TEXT, chunk_id=st.none())
QUESTIONS = LOG_QUESTIONS | st.builds(
    Question,
    id=TEXT,
    text=TEXT,
    origin=st.sampled_from(["synthetic", "manual"]),
    style=TEXT,
    chunk_id=TEXT,
    document_id=TEXT,
    answer=TEXT,
    quote=TEXT,
    model=TEXT,
    asked=st.integers(0, 2**31 - 1),
)
JUDGMENTS = st.builds(
    Judgment,
    question_id=TEXT,
    target_id=TEXT,
    judge=TEXT,
    judge_kind=st.sampled_from(["verifier", "human"]),
    grade=st.none() | st.integers(0, 3),
    document_id=st.none() | TEXT,
    quote=TEXT,
    start=st.none() | st.integers(0, 10**6),
    end=st.none() | st.integers(0, 10**6),
    standalone=st.booleans(),
    score=st.none() | st.floats(allow_nan=False),
    reason=TEXT,
)
CALLS = st.builds(
    CallRecord,
    key=TEXT,
    stage=TEXT,
    model=TEXT,
    endpoint=TEXT,
    prompt_hash=TEXT,
    messages=st.lists(
        st.builds(Message, role=st.sampled_from(["system", "user"]), content=TEXT), max_size=3
    ).map(tuple),
    status=st.sampled_from(["ok", "failed"]),
    reply=TEXT,
    failure_message=TEXT,
    usage=st.builds(Usage, st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 99)),
    seconds=st.floats(0, 1e6),
    usd=st.none() | st.floats(0, 1e6),
    parameters=st.dictionaries(TEXT, TEXT, max_size=3),
)


@pytest.fixture(scope="module")
def store() -> Generator[Store]:
    """One file for all examples: making one takes longer than an example."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "set.duckdb") as store:
        yield store


@settings(max_examples=40, deadline=None)
@given(questions=st.lists(QUESTIONS, min_size=1, max_size=5, unique_by=lambda item: item.id))
def test_questions(store: Store, questions: list[Question]) -> None:
    store.questions.add(questions)
    assert [store.questions.get(item.id) for item in questions] == questions


@settings(max_examples=40, deadline=None)
@given(
    judgments=st.lists(
        JUDGMENTS,
        min_size=1,
        max_size=5,
        unique_by=lambda item: (item.question_id, item.target_id, item.judge_kind, item.judge),
    )
)
def test_judgments(store: Store, judgments: list[Judgment]) -> None:
    store.judgments.put(judgments)
    assert [item for item in store.judgments.all() if item in judgments] == sorted(
        judgments,
        key=lambda item: (item.question_id.encode(), item.target_id.encode(), judgments.index(item)),
    )


@settings(max_examples=40, deadline=None)
@given(records=st.lists(CALLS, min_size=1, max_size=5, unique_by=lambda item: item.key))
def test_calls(store: Store, records: list[CallRecord]) -> None:
    for record in records:
        store.calls.put(record)
    assert [store.calls.get(record.key) for record in records] == records


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXT, max_size=4), path=TEXT, metadata=st.dictionaries(TEXT, TEXT, max_size=3))
def test_documents_keep_offsets_exact(
    store: Store, texts: list[str], path: str, metadata: dict[str, str]
) -> None:
    document = Document("d", path, "".join(texts), title=path, metadata=metadata)
    chunks: list[Chunk] = []
    for position, text in enumerate(texts):
        start = sum(map(len, texts[:position]))
        chunks.append(Chunk(f"c{position}", "d", text, start, start + len(text), path, position))
    store.corpus.replace_document(document, chunks)
    assert store.corpus.documents() == [document]
    assert store.corpus.chunks() == chunks
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in store.corpus.chunks())


@settings(max_examples=40, deadline=None)
@given(key=TEXT, value=TEXT)
def test_meta(store: Store, key: str, value: str) -> None:
    store.meta.set(key, value)
    assert store.meta.get(key) == value


def test_a_lone_surrogate_costs_only_itself(store: Store) -> None:
    """A model may write half of an escaped pair; the calls committed with it must not be lost."""
    store.questions.add_rejections(
        [Rejection("s", "half \ud83d pair", "c", "r"), Rejection("s", "x", "c", "r")]
    )
    assert {item.text for item in store.questions.rejected("s")} == {"half ? pair", "x"}
