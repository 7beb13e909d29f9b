"""The order of a review and its random sample of the accepted."""

from pathlib import Path

import pytest
from reviewed_sets import by, drawn, put, stored, targets
from stored_sets import draft, verdict

from goldgen.app.review import ReviewOptions, open_review
from goldgen.app.review_queue import draw_sample
from goldgen.store import open_store
from goldgen.types import Chunk, Document

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


def test_what_the_person_graded_before_counts_in_the_sample(accepted: Path) -> None:
    sample = drawn(accepted, 10)
    number = sample[0].removeprefix("chunk-")
    put(accepted, by("ann", number, sample[0], 1), by("bob", number, sample[0], 2))
    assert drawn(accepted, 10) == sample[1:]
    graded = {judgment.judge: judgment for judgment in stored(accepted) if judgment.target_id == sample[0]}
    assert graded["ann"].sampled and graded["ann"].grade == 1
    assert not graded["bob"].sampled
    with open_store(accepted) as store:
        (effective,) = [j for j in store.judgments.effective() if j.target_id == sample[0]]
    assert effective.judge == "bob", "whoever spoke last still does"


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
