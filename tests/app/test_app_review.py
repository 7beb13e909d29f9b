"""Reviewing as a value and over a real store."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from reviewed_sets import by, put, stored, targets
from stored_sets import fill, human, verdict

from goldgen.app.golden import load_golden
from goldgen.app.review import Review, ReviewOptions, ReviewSession, open_review
from goldgen.app.review_queue import ReviewItem
from goldgen.errors import EmptyResultError, SettingsError, StoreError
from goldgen.store import Store, open_store
from goldgen.types import Chunk, Document, Judgment, Pooled, Question
from goldgen.verify import Passage, evidence_set_id


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two drafts and a near miss."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill(store)
    return path


@pytest.fixture
def store(db: Path) -> Generator[Store]:
    with open_store(db) as opened:
        yield opened


# Which pairs


def test_by_default_what_is_in_dispute_comes_before_what_is_unjudged(db: Path) -> None:
    assert set(targets(db)) == {"chunk-exports", "chunk-seats"}
    put(db, replace(verdict("seats", "chunk-seats", 3), votes=(3, 2, 3)), verdict("seats", "near", None))
    assert targets(db)[0] == "chunk-seats"
    assert set(targets(db)[1:]) == {"chunk-exports", "near"}
    assert targets(db, "disputed") == ["chunk-seats"]
    assert set(targets(db, "unjudged")) == {"chunk-exports", "near"}
    assert set(targets(db, "all")) == {"chunk-seats", "chunk-exports", "near"}
    assert targets(db, "accepted") == ["chunk-seats"]
    assert targets(db, "proposed") == []


GOLD = verdict("seats", "chunk-seats", 3)
DOUBT = verdict("seats", "chunk-seats", 2)
BOBS = {grade: by("bob", "seats", "chunk-seats", grade) for grade in range(4)}


@pytest.mark.parametrize(
    ("judgments", "is_disputed"),
    [
        ([GOLD], False),
        ([replace(GOLD, votes=(3, 3, None))], False),
        ([replace(DOUBT, votes=(3, 2, 2))], True),
        ([replace(DOUBT, reason="generator and verifier give different answers")], True),
        ([GOLD, BOBS[1]], True),
        ([GOLD, BOBS[3]], False),
        ([replace(GOLD, votes=(3, 2, 3)), BOBS[3]], False),
        ([BOBS[3], by("eve", "seats", "chunk-seats", 2)], True),
        ([BOBS[1], by("eve", "seats", "chunk-seats", 2)], False),
    ],
)
def test_what_is_in_dispute(db: Path, judgments: list[Judgment], is_disputed: bool) -> None:
    put(db, *judgments)
    assert targets(db, "disputed") == ["chunk-seats"] * is_disputed


def test_what_label_completion_proposed_waits_for_a_person(db: Path) -> None:
    proposed = replace(verdict("seats", "chunk-exports", 2), reason="proposed gold: its judge is unproven")
    put(db, proposed, verdict("seats", "chunk-seats", 3))
    assert targets(db, "proposed") == ["chunk-exports"] == targets(db)[:1]
    put(db, by("bob", "seats", "chunk-exports", 3))
    assert targets(db, "disputed") == [], "the verifier thinks so too"
    assert "chunk-exports" not in targets(db, "accepted")


def test_pooled_chunks_without_a_verdict_are_unjudged_once_for_all_twins(db: Path) -> None:
    with open_store(db) as store:
        text = store.corpus.chunks()[0].text
        for twin in ("twin", "triplet"):
            chunk = Chunk(f"chunk-{twin}", f"doc-{twin}", text, 0, len(text))
            store.corpus.replace_document(Document(f"doc-{twin}", f"{twin}.md", text), [chunk])
        store.pool.put(
            [Pooled("q-seats", f"chunk-{key}", "bm25", 1) for key in ("exports", "twin", "triplet")]
        )
        store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 3)])
    assert len(targets(db, "unjudged")) == 1
    put(db, verdict("seats", "chunk-twin", 0))
    assert targets(db, "unjudged") == []


def test_an_evidence_set_is_read_as_one_text_and_so_are_its_parts(db: Path) -> None:
    both = Question("q-both", "When, and for how many?", "manual", "manual", "chunk-exports", "doc-exports",
                    evidence_chunks=("chunk-exports", "chunk-seats"))  # fmt: skip
    with open_store(db) as store:
        store.questions.add([both])
    with open_review(ReviewOptions(db, "ann", "unjudged")) as review:
        items = {item.passage.id: item for item in review.session.items if item.question.id == "q-both"}
    assert items.keys() == {"chunk-exports", "chunk-seats", evidence_set_id(both.evidence_chunks)}
    whole = items[evidence_set_id(both.evidence_chunks)]
    assert "Exports run at night" in whole.passage.text and "Basic plan has 5" in whole.passage.text
    assert whole.path == "exports.md, seats.md"


def test_what_vanished_is_not_shown(db: Path) -> None:
    put(db, verdict("seats", "gone", None), Judgment("q-gone", "chunk-seats", "claude-judge"))
    assert set(targets(db, "unjudged")) == {"chunk-exports", "chunk-seats"}


def test_what_a_person_graded_is_not_shown_to_them_again(db: Path) -> None:
    put(db, human("seats", "chunk-seats", 2), verdict("seats", "chunk-seats", 3))
    assert targets(db, "all") == ["chunk-exports"]
    assert targets(db, "disputed", reviewer="bob") == ["chunk-seats"]
    with open_review(ReviewOptions(db, "ann", "all", again=True)) as review:
        assert len(review.session.items) == 2


# What is stored


def reviewing(db: Path, reviewer: str = "ann", *, again: bool = False) -> ReviewOptions:
    return ReviewOptions(db, reviewer, "all", again=again)


def grade_all(review: Review, grade: int) -> None:
    while review.session.current is not None:
        review.grade(grade)


def test_a_persons_word_stands_before_the_verifiers(db: Path) -> None:
    put(db, verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 0))
    with open_review(reviewing(db)) as review:
        while (item := review.session.current) is not None:
            review.grade(0 if item.passage.id == "chunk-seats" else 3)
    with open_store(db) as store:
        states = {item.question.id: item.state for item in load_golden(store).questions}
    assert states == {"q-seats": "rejected", "q-exports": "golden"}


def test_undo_takes_verdicts_back_one_after_another(store: Store) -> None:
    items = tuple(
        ReviewItem(Question("q", "When?", "log", "log"), Passage(f"c{n}", "text", ""), "a.md")
        for n in range(3)
    )
    review = Review(store, ReviewSession("ann", items), None)
    grade_all(review, 3)
    assert len(store.judgments.all()) == 3
    assert review.undo() and review.undo()
    assert [judgment.target_id for judgment in store.judgments.all()] == ["c0"]
    review.skip()
    assert review.undo() and review.undo() and not review.undo()
    assert store.judgments.all() == []
    assert review.session.current is items[0]


def test_undo_brings_the_persons_earlier_verdict_back_where_it_was(db: Path) -> None:
    put(
        db,
        verdict("seats", "chunk-seats", 3),
        by("ann", "seats", "chunk-seats", 2),
        by("bob", "seats", "chunk-seats", 1),
    )
    before = stored(db)
    with open_review(reviewing(db, again=True)) as review:
        grade_all(review, 0)
        while review.undo():
            pass
    assert stored(db) == before
    with open_store(db) as store:
        (effective,) = [j for j in store.judgments.effective() if j.target_id == "chunk-seats"]
    assert effective.judge == "bob"


def test_two_people_have_a_verdict_each_and_the_last_counts(db: Path) -> None:
    for name, grade in (("ann", 3), ("bob", 1)):
        with open_review(reviewing(db, name)) as review:
            grade_all(review, grade)
    of_seats = [j for j in stored(db) if j.target_id == "chunk-seats"]
    assert [(j.judge, j.grade) for j in of_seats] == [("ann", 3), ("bob", 1)]
    with open_store(db) as store:
        assert {j.judge for j in store.judgments.effective()} == {"bob"}


def test_the_next_step(db: Path) -> None:
    with open_review(reviewing(db)) as review:
        assert "2 pairs are left" in review.report().next_step
        grade_all(review, 3)
        assert "--sample 50" in review.report().next_step


def test_without_a_set_or_questions_there_is_nothing_to_review(tmp_path: Path) -> None:
    missing = ReviewOptions(tmp_path / "none.duckdb", "ann")
    with pytest.raises(StoreError, match="no golden set"), open_review(missing):
        pass
    open_store(missing.db).close()
    with pytest.raises(EmptyResultError, match="no questions to review"), open_review(missing):
        pass


def test_a_sample_is_of_the_accepted_only(db: Path) -> None:
    with pytest.raises(SettingsError, match="leave --show disputed out"), open_review(
        ReviewOptions(db, "ann", "disputed", sample=3)
    ):  # fmt: skip
        pass
