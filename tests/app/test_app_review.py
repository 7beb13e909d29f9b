"""Reviewing as a value and over a real store."""

from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
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


def test_by_default_what_waits_for_a_person_is_shown(db: Path) -> None:
    assert set(targets(db)) == {"chunk-exports", "chunk-seats"}
    put(db, replace(verdict("seats", "chunk-seats", 3), votes=(3, 2, 3)), verdict("seats", "near", None))
    assert set(targets(db)) == {"chunk-seats", "chunk-exports", "near"}
    assert targets(db, "disputed") == ["chunk-seats"]
    assert set(targets(db, "unjudged")) == {"chunk-exports", "near"}
    assert set(targets(db, "all")) == {"chunk-seats", "chunk-exports", "near"}
    assert targets(db, "accepted") == ["chunk-seats"]
    assert targets(db, "proposed") == []


def test_a_pair_that_waits_for_two_reasons_is_shown_once(db: Path) -> None:
    put(db, replace(verdict("seats", "chunk-exports", 2), votes=(3, 2, 3), reason="proposed gold: why"))
    assert sorted(targets(db)).count("chunk-exports") == 2, "of two questions"
    with open_review(ReviewOptions(db, "ann")) as review:
        assert len({item.pair for item in review.session.items}) == len(review.session.items) == 3


def test_the_order_of_what_waits_does_not_tell_why(db: Path) -> None:
    doubtful = replace(verdict("seats", "chunk-seats", 3), votes=(3, 2, 3))
    for seed in range(8):
        put(db, verdict("seats", "chunk-seats", None))
        unjudged = targets(db, seed=seed)
        put(db, doubtful)
        assert targets(db, seed=seed) == unjudged
    assert len({tuple(targets(db, seed=seed)) for seed in range(20)}) == 2, "the first is not always the same"


def test_pairs_of_one_question_stand_far_apart(tmp_path: Path) -> None:
    path = tmp_path / "apart.duckdb"
    with open_store(path) as store:
        fill(store)
        for n in range(6):
            chunk = Chunk(f"c{n}", f"d{n}", f"Text {n}.", 0, 7)
            store.corpus.replace_document(Document(f"d{n}", f"{n}.md", chunk.text), [chunk])
        store.questions.add([Question(f"q{n}", f"What of {n}?", "log", "log") for n in range(6)])
        pairs = [Pooled(f"q{q}", f"c{c}", "bm25", 1, 10) for q in range(6) for c in range(6)]
        store.pool.put(pairs)
    for seed in range(10):
        with open_review(ReviewOptions(path, "ann", "unjudged", seed=seed)) as review:
            asked = [i.question.id for i in review.session.items if i.question.id.removeprefix("q").isdigit()]
        assert len(asked) == 36
        assert all(first != second for first, second in pairwise(asked))


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
        ([GOLD, BOBS[1]], False),
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
    assert targets(db, "proposed") == ["chunk-exports"]
    assert targets(db).count("chunk-exports") == 2, "as another question's own too"
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
            [Pooled("q-seats", f"chunk-{key}", "bm25", 1, 10) for key in ("exports", "twin", "triplet")]
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
    assert targets(db, "accepted", reviewer="bob") == ["chunk-seats"]
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
    with open_store(db) as store:
        times = store.judgments.stored(by("ann", "seats", "chunk-seats", 2))
    with open_review(reviewing(db, again=True)) as review:
        grade_all(review, 0)
        while review.undo():
            pass
    assert stored(db) == before
    with open_store(db) as store:
        time = store.judgments.stored(by("ann", "seats", "chunk-seats", 2))
        assert time == times
        (effective,) = [j for j in store.judgments.effective() if j.target_id == "chunk-seats"]
    assert effective.judge == "bob"


def test_undo_brings_back_what_was_stored_when_the_grade_was_given(store: Store) -> None:
    """One pair twice in a queue, as another process or an older queue may bring it."""
    item = ReviewItem(Question("q", "When?", "log", "log"), Passage("c", "text", ""), "a.md")
    review = Review(store, ReviewSession("ann", (item, item)), None)
    review.grade(3)
    review.grade(0)
    assert review.undo()
    assert [judgment.grade for judgment in store.judgments.all()] == [3]
    assert review.undo() and store.judgments.all() == []


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
