"""The trusted figure: a beginning of one random order of what is accepted now, and all of it graded."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.types import Judgment
from goldgen.verify.agreement import UNBLINDED
from goldgen.verify.trusted import TrustedFigure, sample_order, trusted_figure

ORDER = sample_order([(f"q{n}", "c") for n in range(12)], seed=0)


def read(place: int, grade: int, name: str = "ann", *, sampled: bool = True) -> Judgment:
    question, target = ORDER[place]
    return Judgment(question, target, name, "human", grade=grade, sampled=sampled)


def figure(*judgments: Judgment, accepted: int = 12) -> TrustedFigure:
    found = trusted_figure(judgments, ORDER[:accepted], 0)
    assert found is not None
    return found


def test_the_share_of_a_sample_says_what_it_covers() -> None:
    found = figure(*(read(place, grade) for place, grade in enumerate((3, 0, 3, 3))))
    assert found.share is not None and found.share.estimate == 0.25
    assert found.share.low < 0.25 < found.share.high
    assert (found.pairs, found.wrong, found.accepted, found.missing) == (4, 1, 12, 0)
    assert (found.people, found.withheld) == (("ann",), "")


def test_without_a_draw_there_is_none() -> None:
    assert trusted_figure([read(0, 3, sampled=False), Judgment(*ORDER[0], "gpt", grade=3)], ORDER, 0) is None


def test_what_was_accepted_since_withholds_the_share_until_it_is_graded() -> None:
    # Drawn while the second and the fourth of today's order were not there.
    drawn = [read(place, 3) for place in (0, 2, 4)]
    before = trusted_figure(drawn, [pair for n, pair in enumerate(ORDER) if n not in (1, 3)], 0)
    assert before is not None and (before.pairs, before.withheld) == (3, "")
    found = figure(*drawn)
    assert (found.share, found.pairs, found.missing, found.accepted) == (None, 3, 2, 12)
    assert "3 of 12 accepted pairs are graded and 2, accepted since" in found.withheld
    assert found.withheld.endswith("goldgen review --sample 5")
    mended = figure(*drawn, read(1, 0), read(3, 0))
    assert mended.share is not None and (mended.pairs, mended.wrong) == (5, 2)


def test_what_came_after_the_end_of_the_sample_does_not_matter() -> None:
    drawn = [read(place, 3) for place in range(3)]
    assert figure(*drawn, accepted=3).share == figure(*drawn).share
    assert (figure(*drawn, accepted=3).accepted, figure(*drawn).accepted) == (3, 12)


def test_only_the_sample_counts_whatever_else_people_read() -> None:
    doubtful = [read(place, 0, sampled=False) for place in range(3, 12)]
    found = figure(*(read(place, 3) for place in range(3)), *doubtful)
    assert (found.pairs, found.wrong) == (3, 0)


def test_within_the_sample_any_blind_word_counts_and_the_last_one_decides() -> None:
    found = figure(read(0, 3), read(1, 0, "bob", sampled=False), read(2, 3), read(2, 1, "bob", sampled=False))
    assert (found.pairs, found.wrong, found.people) == (3, 2, ("ann", "bob"))


def test_a_verdict_given_again_after_the_reveal_is_left_out_and_told() -> None:
    again = replace(read(1, 3, sampled=False), reason=UNBLINDED)
    found = figure(read(0, 0), again, read(2, 3))
    assert (found.pairs, found.wrong, found.unblinded, found.missing) == (2, 1, 1, 0)
    others = figure(read(0, 0), read(1, 0, "bob"), again, read(2, 3))
    assert (others.pairs, others.wrong, others.unblinded) == (3, 2, 0), "what bob said he said blind"


def test_drawn_pairs_that_are_no_longer_accepted_count_neither_way() -> None:
    found = figure(read(0, 0), read(1, 3), read(11, 0), accepted=11)
    assert (found.pairs, found.wrong, found.outdated) == (2, 1, 1)
    none_left = trusted_figure([read(11, 0)], ORDER[:11], 0)
    assert none_left is not None and (none_left.share, none_left.outdated) == (None, 1)
    assert "no drawn pair is accepted any more" in none_left.withheld


@given(st.sets(st.integers(0, 60), min_size=2), st.integers(0, 60), st.integers(0, 5))
def test_a_pair_that_comes_later_finds_its_place_among_the_others(
    numbers: set[int], later: int, seed: int
) -> None:
    pairs = [(f"q{n}", f"c{n % 3}") for n in numbers]
    new = (f"q{later}", f"c{later % 3}")
    order = sample_order({*pairs, new}, seed)
    assert [p for p in order if p != new] == [p for p in sample_order(pairs, seed) if p != new]


def test_every_pair_is_as_likely_to_be_early() -> None:
    early = [sample_order(ORDER, seed).index(ORDER[0]) < 6 for seed in range(400)]
    assert sum(early) == pytest.approx(200, abs=50)  # five standard deviations
