"""Hand-written questions and the word of the person who adds them."""

import json
from pathlib import Path

import pytest
from stored_sets import fill

from goldgen.app.adding import VOUCHED, AddOptions, AddReport, add_questions
from goldgen.app.golden import load_golden
from goldgen.app.written import Written
from goldgen.errors import EmptyResultError, SettingsError, StoreError, TableError
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question
from goldgen.verify import evidence_set_id

GUIDE = "Alerts go to the on-call person. They stop after 30 minutes. Quiet hours begin at ten."


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """exports.md, seats.md of one chunk each, and en/guide.md in two chunks that overlap."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill(store)
        first, second = GUIDE[:60], GUIDE[33:]
        chunks = [
            Chunk("guide-a", "doc-guide", first, 0, 60, "Guide", 0),
            Chunk("guide-b", "doc-guide", second, 33, len(GUIDE), "Guide", 1),
        ]
        store.corpus.replace_document(Document("doc-guide", "en/guide.md", GUIDE), chunks)
    return path


def add(db: Path, *written: Written, file: Path | None = None) -> AddReport:
    return add_questions(AddOptions(db, "ann", written, file))


def manual(db: Path) -> list[Question]:
    with open_store(db, read_only=True) as store:
        return store.questions.all("manual")


def judgments(db: Path) -> list[Judgment]:
    with open_store(db, read_only=True) as store:
        return store.judgments.all()


def golds(db: Path) -> dict[str, set[str]]:
    with open_store(db, read_only=True) as store:
        return {item.question.text: set(item.gold) for item in load_golden(store).golden}


def test_a_chunk_is_vouched_for(db: Path) -> None:
    report = add(db, Written("  How many seats\nhas Basic at first? ", ("chunk-seats",), answer="5"))
    (question,) = manual(db)
    assert (question.text, question.origin, question.style) == (
        "How many seats has Basic at first?",
        "manual",
        "manual",
    )
    assert (question.chunk_id, question.document_id, question.answer) == ("chunk-seats", "doc-seats", "5")
    (judgment,) = judgments(db)
    assert judgment == Judgment(
        question.id, "chunk-seats", "ann", "human", 3, "doc-seats", reason=VOUCHED
    )  # fmt: skip
    assert golds(db) == {question.text: {"chunk-seats"}}
    (added,) = report.added
    assert (added.question_id, added.chunk_ids, added.existed) == (question.id, ("chunk-seats",), False)


def test_a_quote_is_found_whatever_its_spelling_and_anchors_the_gold(db: Path) -> None:
    add(db, Written("When do alerts stop?", quote="they  **stop** after 30\nminutes"))
    (question,), (judgment,) = manual(db), judgments(db)
    start = GUIDE.index("They stop")
    assert judgment.quote == question.quote == "They stop after 30 minutes"
    assert (judgment.document_id, judgment.start, judgment.end) == ("doc-guide", start, start + 26)
    assert (question.chunk_id, judgment.target_id) == ("guide-a", "guide-a")
    assert golds(db)[question.text] == {"guide-a", "guide-b"}, "both chunks hold the quote"


def test_a_quote_may_be_given_with_its_chunk(db: Path) -> None:
    add(db, Written("When do alerts stop?", ("guide-b",), quote="stop after 30 minutes", document="guide.md"))
    (judgment,) = judgments(db)
    assert (judgment.target_id, judgment.start) == ("guide-b", GUIDE.index("stop after"))


def test_several_chunks_answer_only_together(db: Path) -> None:
    pair = ("chunk-exports", "chunk-seats")
    add(db, Written("When do exports run, and what do more seats cost?", pair, quote="3 euros each"))
    (question,) = manual(db)
    assert (question.chunk_id, question.evidence_chunks) == ("chunk-exports", pair)
    grades = {judgment.target_id: judgment.grade for judgment in judgments(db)}
    assert grades == {evidence_set_id(pair): 3, "chunk-exports": 2, "chunk-seats": 2}
    with open_store(db, read_only=True) as store:
        (item,) = load_golden(store).golden
    assert item.judged.sets == (pair,)


def test_a_question_without_a_place_is_kept_to_be_labelled(db: Path) -> None:
    report = add(db, Written("Who is told?", document="guide.md"))
    (question,) = manual(db)
    assert (question.chunk_id, question.document_id) == (None, "doc-guide")
    assert judgments(db) == []
    assert report.next_step == "goldgen verify will look for chunks that answer"
    add(db, Written("who is  told?", ("guide-a",)))
    (now,) = manual(db)
    assert (now.id, now.chunk_id) == (question.id, "guide-a")


def test_a_question_that_is_there_is_not_doubled_but_gets_the_verdict(db: Path) -> None:
    report = add(db, Written("when do EXPORTS run?", ("chunk-exports",)))
    assert manual(db) == []
    assert report.added[0].existed and report.added[0].question_id == "q-exports"
    assert golds(db) == {"When do exports run?": {"chunk-exports"}}


def test_adding_twice_changes_nothing(db: Path) -> None:
    written = (
        Written("When do alerts stop?", quote="stop after 30 minutes"),
        Written("When, and for what?", ("chunk-exports", "chunk-seats")),
        Written("Who is told?"),
    )
    add(db, *written)
    before = (manual(db), judgments(db))
    report = add(db, *written)
    assert (manual(db), judgments(db)) == before
    assert all(item.existed for item in report.added)


def test_a_further_chunk_is_a_further_gold(db: Path) -> None:
    add(db, Written("What is there?", ("guide-a",)))
    add(db, Written("What is there?", ("chunk-seats",)))
    assert len(manual(db)) == 1
    assert golds(db) == {"What is there?": {"guide-a", "chunk-seats"}}


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (Written("?!"), "no letter or digit"),
        (Written("why " * 600), "longer than 2,000 characters"),
        (Written("Why?", ("gui",)), "no chunk has the id 'gui'; give its first 4"),
        (Written("Why?", ("guide-",)), "2 chunks begin with 'guide-': guide-a, guide-b; give more"),
        (Written("Why?", ("nowhere",)), "no chunk has an id that begins with 'nowhere'"),
        (Written("Why?", quote="at noon every day"), "does not stand in any document"),
        (Written("Why?", quote="They"), "2 documents: en/guide.md, exports.md; name one by --document"),
        (Written("Why?", quote="5 seats", document="guide.md"), "does not stand in en/guide.md"),
        (Written("Why?", quote=GUIDE), "several chunks of en/guide.md; give --chunk guide-a --chunk guide-b"),
        (Written("Why?", ("guide-b",), quote="on-call person"), "does not stand in chunk guide-b"),
        (Written("Why?", ("guide-b",), document="seats.md"), "chunk guide-b is not in seats.md"),
        (Written("Why?", document="none.md"), "no document has the path 'none.md'"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused_and_nothing_stored(db: Path, written: Written, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        add(db, Written("When do alerts stop?", ("guide-a",)), written)
    assert says in str(raised.value)
    assert (manual(db), judgments(db)) == ([], [])


def test_a_named_document_decides_between_several(db: Path) -> None:
    add(db, Written("Why?", quote="They", document="exports.md", answer="They"))
    assert judgments(db)[0].target_id == "chunk-exports"


def test_an_id_may_be_cut_short(db: Path) -> None:
    add(db, Written("Why?", ("chunk-s",)))
    assert judgments(db)[0].target_id == "chunk-seats"


CSV = """question,chunk_id,quote,document,answer
When do alerts stop?,,stop after 30 minutes,,30 minutes
How many at first?,chunk-seats,,,
,chunk-seats,,,
Who?,nowhere,,,
"When, and for what?",chunk-exports; chunk-seats,,,
Who is told?
"""
JSONL = [
    {"question": "When do alerts stop?", "quote": "stop after 30 minutes", "answer": "30 minutes"},
    {"question": "How many at first?", "chunk": "chunk-seats"},
    {"chunk": "chunk-seats"},
    {"question": "Who?", "chunk": "nowhere"},
    {"question": "When, and for what?", "chunks": ["chunk-exports", "chunk-seats"]},
    {"question": "Who is told?", "quote": None},
]


@pytest.mark.parametrize("name", ["questions.csv", "questions.jsonl"])
def test_a_table_is_read_row_by_row_and_bad_rows_are_counted(db: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    rows = CSV if name.endswith("csv") else "\n".join(map(json.dumps, JSONL))
    file.write_text(rows, encoding="utf-8")
    report = add(db, file=file)
    assert [item.chunk_ids for item in report.added] == [
        ("guide-a",),
        ("chunk-seats",),
        ("chunk-exports", "chunk-seats"),
        (),
    ]
    header = name.endswith("csv")
    assert [line.split(":")[0] for line in report.rejected_lines] == [str(3 + header), str(4 + header)]
    assert report.rejected["it has no question"] == 1
    assert sum(report.rejected.values()) + len(report.added) == 6
    assert {question.answer for question in manual(db)} == {"30 minutes", ""}


def test_a_table_without_questions_is_an_error(db: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_text("frage,chunk\nWarum?,guide-a\n", encoding="utf-8")
    with pytest.raises(TableError, match="no column of questions, only chunk, frage"):
        add(db, file=file)
    file.write_text("question,chunk\nWhy?,nowhere\n", encoding="utf-8")
    with pytest.raises(EmptyResultError, match=r"no question in .*: 1 no chunk has an id"):
        add(db, file=file)
    file.write_text("question,chunk\n", encoding="utf-8")
    with pytest.raises(EmptyResultError, match="it has no rows"):
        add(db, file=file)


def test_without_a_set_or_documents_nothing_can_be_added(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no golden set"):
        add(tmp_path / "none.duckdb", Written("Why?"))
    open_store(tmp_path / "empty.duckdb").close()
    with pytest.raises(EmptyResultError, match="has no documents"):
        add(tmp_path / "empty.duckdb", Written("Why?"))


def test_a_quote_that_stands_in_several_chunks_of_a_document_must_be_told_apart(db: Path) -> None:
    with open_store(db) as store:
        text = "See the settings page first. Then restart.\n\nSee the settings page first. Then log in."
        chunks = [
            Chunk("twice-a", "doc-twice", text[:42], 0, 42, "", 0),
            Chunk("twice-b", "doc-twice", text[44:], 44, len(text), "", 1),
        ]
        store.corpus.replace_document(Document("doc-twice", "twice.md", text), chunks)
    with pytest.raises(SettingsError, match=r"more than once in twice.md, in chunks twice-a, twice-b"):
        add(db, Written("What comes first?", quote="See the settings page first."))
    add(db, Written("What comes first?", quote="See the settings page first. Then log in"))
    assert golds(db)["What comes first?"] == {"twice-b"}


@pytest.mark.parametrize("quote", [".", "the", "30"])
def test_a_quote_that_says_too_little_vouches_for_nothing(db: Path, quote: str) -> None:
    with pytest.raises(SettingsError, match="says too little; quote a sentence"):
        add(db, Written("When do alerts stop?", quote=quote, document="guide.md"))
    assert not manual(db)


def test_a_question_that_is_no_text_is_counted(db: Path) -> None:
    file = db.parent / "odd.jsonl"
    file.write_text('{"question": ["a", "b"]}\n{"question": true}\n{"question": "When do alerts stop?"}\n')
    report = add(db, file=file)
    assert (len(report.added), report.rejected) == (1, {"its question is no text": 2})
