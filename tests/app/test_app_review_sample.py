"""The order of a review and its random sample of the accepted."""

from pathlib import Path

import pytest
from reviewed_sets import by, drawn, put, stored, targets
from stored_sets import draft, verdict

from goldgen.app.review import ReviewOptions, open_review
from goldgen.app.review_queue import draw_sample, review_items, trusted
from goldgen.store import open_store
from goldgen.types import Chunk, Document
from goldgen.verify.agreement import UNBLINDED

ACCEPTED = 30


@pytest.fixture
def accepted(tmp_path: Path) -> Path:
    """Thirty drafts that the verifier accepted, and ten that it did not."""
    path = tmp_path / "accepted.duckdb"
    with open_store(path) as store:
        texts = {str(n): f"Service {n} runs for {n} hours." for n in range(ACCEPTED + 10)}
        store.corpus.replace_documents(
            (Document(f"doc-{n}", f"{n}.md", text), [Chunk(f"chunk-{n}", f"doc-{n}", text, 0, len(text))])
            for n, text in texts.items()
        )
        store.questions.add([draft(n, f"How long does service {n} run?") for n in texts])
        store.judgments.put([verdict(n, f"chunk-{n}", 3 if int(n) < ACCEPTED else 0) for n in texts])
    return path


def test_the_order_depends_on_the_seed_and_on_no_verdict(accepted: Path) -> None:
    before = targets(accepted, "all")
    assert targets(accepted, "all", seed=1) != before
    put(accepted, *(verdict(str(n), f"chunk-{n}", n % 4) for n in range(ACCEPTED)))
    assert targets(accepted, "all") == before


def test_a_sample_is_drawn_from_the_accepted_and_only_the_seed_decides(accepted: Path) -> None:
    sample = drawn(accepted, 12)
    assert len(set(sample)) == 12
    assert all(int(target.removeprefix("chunk-")) < ACCEPTED for target in sample)
    assert drawn(accepted, 12) == sample == drawn(accepted, 12, reviewer="bob")
    assert drawn(accepted, 20)[:12] == sample, "a larger sample holds the smaller"
    assert drawn(accepted, 12, seed=1) != sample
    assert len(drawn(accepted, 500)) == ACCEPTED


def test_every_accepted_pair_may_be_drawn(accepted: Path) -> None:
    # A pair that 40 draws of 12 of 30 all miss: a chance of 0.6 to the power of 40.
    with open_store(accepted) as store:
        seen = {item.passage.id for seed in range(40) for item in draw_sample(store, 12, seed)}
    assert seen == {f"chunk-{number}" for number in range(ACCEPTED)}


def test_a_sample_goes_on_where_it_was_left(accepted: Path) -> None:
    sample = drawn(accepted, 10)
    with open_review(ReviewOptions(accepted, "ann", sample=10)) as review:
        for _ in range(4):
            review.grade(3)
    assert drawn(accepted, 10) == sample[4:]
    assert drawn(accepted, 10, again=True) == sample
    assert drawn(accepted, 10, reviewer="bob") == sample
    assert sum(judgment.sampled for judgment in stored(accepted)) == 4


def test_what_the_person_graded_before_counts_in_the_sample_once_it_is_read(accepted: Path) -> None:
    sample = drawn(accepted, 10)
    # The first and the last of the draw were read before, and are so doubtful that they are wrong.
    for target in (sample[0], sample[-1]):
        number = target.removeprefix("chunk-")
        put(accepted, by("ann", number, target, 1), by("bob", number, target, 2))
    before = stored(accepted)
    with open_review(ReviewOptions(accepted, "ann", sample=10)) as review:
        assert [item.passage.id for item in review.session.items] == sample[1:-1]
        review.grade(3)
        trusted = review.report().trusted
        assert trusted is not None and (trusted.pairs, trusted.wrong) == (2, 1), (
            "so far the last is not in it"
        )
        while review.session.current is not None:
            review.grade(3)
        trusted = review.report().trusted
    assert trusted is not None and (trusted.pairs, trusted.wrong, trusted.withheld) == (10, 2, "")
    graded = {j.judge: j for j in stored(accepted) if j.target_id == sample[-1]}
    assert graded["ann"].sampled and graded["ann"].grade == 1
    assert not graded["bob"].sampled
    places = [(j.question_id, j.target_id, j.judge) for j in stored(accepted)]
    assert [p for p in places if p in [(j.question_id, j.target_id, j.judge) for j in before]] == [
        (j.question_id, j.target_id, j.judge) for j in before
    ], "whoever spoke last still does"


def test_a_draw_that_was_read_before_needs_no_second_reading(accepted: Path) -> None:
    for target in drawn(accepted, 5):
        put(accepted, by("ann", target.removeprefix("chunk-"), target, 3))
    with open_review(ReviewOptions(accepted, "ann", sample=5)) as review:
        trusted = review.report().trusted
    assert trusted is not None and (trusted.pairs, trusted.accepted, trusted.withheld) == (5, ACCEPTED, "")


def test_the_seed_of_the_first_draw_stays_and_alone_tells_the_figure(accepted: Path) -> None:
    sample = drawn(accepted, 6, seed=7)
    with open_review(ReviewOptions(accepted, "ann", sample=6)) as review:
        assert [item.passage.id for item in review.session.items] == sample
    with open_review(ReviewOptions(accepted, "ann", sample=6, seed=8)) as review:
        assert [item.passage.id for item in review.session.items] != sample
        while review.session.current is not None:
            review.grade(0)
        assert review.report().trusted is None, "whoever tries several seeds could choose a figure"
    with open_review(ReviewOptions(accepted, "ann", sample=6)) as review:
        while review.session.current is not None:
            review.grade(3)
        trusted = review.report().trusted
    assert trusted is not None and trusted.pairs == 6


def test_golds_that_are_found_later_are_asked_for_before_there_is_a_figure_again(accepted: Path) -> None:
    """As many again are accepted by label completion, and all of them are wrong."""
    with open_review(ReviewOptions(accepted, "ann", sample=20)) as review:
        while review.session.current is not None:
            review.grade(3)
        first = review.report().trusted
    assert first is not None and first.share is not None and first.share.estimate == 0
    put(accepted, *(verdict(str(n), f"chunk-{n + 1}", 3) for n in range(ACCEPTED)))
    with open_store(accepted) as store:
        later = trusted(store, review_items(store))
    assert later is not None and later.share is None
    assert (later.pairs, later.accepted) == (20, 2 * ACCEPTED)
    size = int(later.withheld.rpartition("--sample ")[2])
    with open_review(ReviewOptions(accepted, "ann", sample=size)) as review:
        items = review.session.items
        assert len(items) == later.missing > 0
        assert all(item.question.chunk_id != item.passage.id for item in items), "just what is new"
        while review.session.current is not None:
            review.grade(0)
        again = review.report().trusted
    assert again is not None and again.share is not None
    assert (again.pairs, again.wrong) == (size, len(items))


def test_a_skipped_pair_withholds_the_figure(accepted: Path) -> None:
    with open_review(ReviewOptions(accepted, "ann", sample=3)) as review:
        review.grade(3)
        review.skip()
        review.grade(3)
        found = review.report().trusted
    assert found is not None and (found.share, found.missing) == (None, 1)


def test_a_grade_taken_back_after_the_reveal_is_not_blind_when_it_is_given_again(accepted: Path) -> None:
    with open_review(ReviewOptions(accepted, "ann", sample=3)) as review:
        review.grade(0)
        review.undo()
        review.grade(3, "after all")
        review.grade(3)
        found = review.report().trusted
    assert found is not None and (found.pairs, found.wrong, found.unblinded) == (1, 0, 1)
    (known,) = (j for j in stored(accepted) if j.reason)
    assert (known.reason, known.sampled) == (f"{UNBLINDED}: after all", False)
    with open_store(accepted) as store:
        assert known in store.judgments.effective(), "for the set it counts"


def test_a_pair_of_the_sample_that_is_graded_in_a_later_sitting_is_not_blind(accepted: Path) -> None:
    for again in (False, True):
        with open_review(ReviewOptions(accepted, "ann", sample=2, again=again)) as review:
            review.grade(3)
            review.grade(3)
    assert [j.sampled for j in stored(accepted) if j.judge_kind == "human"] == [False, False]


def test_the_report_of_a_sample_has_the_trusted_figure(accepted: Path) -> None:
    with open_review(ReviewOptions(accepted, "ann", sample=10)) as review:
        for grade in (3, 3, 1, 3):
            review.grade(grade)
        review.skip()
        report = review.report()
    assert report.grades == {3: 3, 2: 0, 1: 1, 0: 0}
    assert (report.skipped, report.left, report.show) == (1, 5, "sample")
    assert report.trusted is not None and report.trusted.share is not None
    assert (report.trusted.wrong, report.trusted.pairs) == (1, 4)
    assert report.trusted.share.low == pytest.approx(0.0456, abs=1e-3)
