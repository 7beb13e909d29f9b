from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

import pytest
from rankings import hits, judged

from goldgen.errors import GoldgenError, RetrieverError
from goldgen.evaluation.similarity import NearMissHit, Similarity, similarity
from goldgen.types import Hit, JudgedQuestion, Ranking


def told(
    questions: Sequence[JudgedQuestion],
    run: Mapping[str, Ranking],
    near_misses: Sequence[NearMissHit] = (),
    threshold: float = 3,
    bins: int = 40,
) -> Similarity:
    found = similarity(questions, run, near_misses, threshold=threshold, bins=bins)
    assert found is not None
    return found


def aucs(found: Similarity) -> tuple[float | None, ...]:
    return (found.auc_near_miss, found.auc_other, found.auc_near_miss_within, found.auc_other_within)


QUESTIONS = [
    judged({"g1": 3, "part": 2, "g2": 3, "off": 0}, "one"),
    judged({"topic": 1, "g": 3}, "two"),
]
RUN = {
    "one": hits({"g1": 0.9, "part": 0.8, "unjudged": 0.7, "g2": 0.6, "off": 0.5}),
    "two": hits({"unjudged": 0.95, "topic": 0.4, "g": 0.4}),
}
WRITTEN = [NearMissHit("one", "m", 5, 0.55)]


def test_the_areas_are_those_reckoned_on_paper() -> None:
    """Golds 0.9, 0.6 | 0.4; near misses 0.8, 0.55 | 0.4; others 0.7, 0.5 | 0.95."""
    found = told(QUESTIONS, RUN, WRITTEN)
    assert found.auc_near_miss == pytest.approx((3 + 2 + 0.5) / 9)
    assert found.auc_other == pytest.approx((2 + 1 + 0) / 9)
    assert found.auc_near_miss_within == pytest.approx((3 / 4 + 0.5) / 2)
    assert found.auc_other_within == pytest.approx((3 / 4 + 0) / 2)


def test_every_hit_is_in_one_class_and_one_bin() -> None:
    found = told(QUESTIONS, RUN, WRITTEN, bins=2)
    assert found.edges == pytest.approx((0.4, 0.675, 0.95))
    assert (found.gold.count, found.gold.bins, found.gold.median) == (3, (2, 1), 0.6)
    assert (found.near_miss.count, found.near_miss.bins, found.near_miss.median) == (3, (2, 1), 0.55)
    assert (found.other.count, found.other.bins, found.other.median) == (3, (1, 2), 0.7)


def test_there_are_40_bins_unless_others_are_asked_for() -> None:
    found = told(QUESTIONS, RUN)
    assert (len(found.edges), len(found.gold.bins)) == (41, 40)
    assert (found.edges[0], found.edges[-1]) == (0.4, 0.95)


def test_scores_that_part_the_classes_have_an_area_of_1_and_turned_about_of_0() -> None:
    question = judged({"g": 3, "near": 2})
    apart = told([question], {"q": hits({"g": 0.9, "near": 0.3, "x": 0.2})})
    assert aucs(apart) == (1, 1, 1, 1)
    assert apart.highest_wrong == ()
    assert aucs(told([question], {"q": hits({"near": 0.9, "x": 0.8, "g": 0.3})})) == (0, 0, 0, 0)


def test_within_questions_a_score_may_tell_what_it_does_not_over_all() -> None:
    """Each gold leads its own question, but one question scores low as a whole."""
    questions = [judged({"g": 3}, "high"), judged({"g": 3}, "low")]
    found = told(questions, {"high": hits({"g": 0.9, "x": 0.8}), "low": hits({"g": 0.2, "x": 0.1})})
    assert (found.auc_other, found.auc_other_within) == (3 / 4, 1)


def test_scores_that_compare_within_a_question_only_have_no_area_over_all() -> None:
    found = similarity(QUESTIONS, RUN, WRITTEN, comparable=False)
    assert found is not None and not found.comparable and told(QUESTIONS, RUN).comparable
    within = told(QUESTIONS, RUN, WRITTEN)
    assert aucs(found) == (None, None, within.auc_near_miss_within, within.auc_other_within)
    assert within.highest_wrong and found.highest_wrong == ()


def test_a_question_without_one_of_the_classes_is_in_no_mean_of_questions() -> None:
    questions = [judged({"g": 3}, "both"), judged({"g": 3}, "gold only"), judged({"g": 3}, "other only")]
    run = {
        "both": hits({"g": 0.9, "x": 0.5}),
        "gold only": hits({"g": 0.1}),
        "other only": hits({"x": 0.7, "y": 0.3}),
    }
    found = told(questions, run)
    assert found.auc_other_within == 1
    assert found.auc_other == pytest.approx(3 / 6)


def test_without_near_misses_their_areas_and_median_are_none() -> None:
    found = told([judged({"g": 3})], {"q": hits({"x": 0.9, "g": 0.3})})
    assert (found.auc_near_miss, found.auc_near_miss_within) == (None, None)
    assert (found.near_miss.count, found.near_miss.median, sum(found.near_miss.bins)) == (0, None, 0)


def test_questions_without_gold_stand_in_nothing_nor_do_their_near_misses() -> None:
    others = [judged({"part": 2}, "in part"), judged({}, "unjudged")]
    run = {"in part": hits({"part": 8.0}), "unjudged": hits({"x": 9.0}), "unknown": hits({"x": 9.0})}
    misses = [NearMissHit("in part", "m", 1, 9.0), NearMissHit("unknown", "m", 1, 9.0)]
    between = [others[0], QUESTIONS[0], others[1], QUESTIONS[1]]
    assert told(between, {**run, **RUN}, [*misses, *WRITTEN]) == told(QUESTIONS, RUN, WRITTEN)


def test_the_threshold_says_what_is_gold() -> None:
    question = judged({"g": 3, "part": 2, "topic": 1, "refused": -1})
    run = {"q": hits({"g": 0.9, "part": 0.8, "topic": 0.7, "refused": 0.6, "x": 0.5})}
    counts: dict[float, tuple[int, int, int]] = {}
    for threshold in (3, 2, 1):
        found = told([question], run, threshold=threshold)
        counts[threshold] = (found.gold.count, found.near_miss.count, found.other.count)
    assert counts == {3: (1, 2, 2), 2: (2, 1, 2), 1: (3, 0, 2)}


def test_wrong_hits_at_rank_1_come_with_the_share_of_gold_below_them_the_highest_first() -> None:
    questions = [
        judged({"g": 3}, "right"),
        judged({"g": 3, "part": 2}, "in part"),
        judged({"g": 3}, "unjudged"),
        judged({"g": 3}, "no gold found"),
    ]
    run = {
        "right": hits({"g": 0.8, "x": 0.7}),
        "in part": hits({"part": 0.5, "g": 0.4}),
        "unjudged": hits({"x": 0.9, "g": 0.5}),
        "no gold found": hits({"x": 0.3}),
    }
    misses = [
        NearMissHit("right", "above", 1, 0.85),
        NearMissHit("right", "below", 2, 0.75),
        NearMissHit("in part", "also above", 1, 0.6),
    ]
    found = told(questions, run, misses).highest_wrong
    rows = [(h.question_id, h.chunk_id, h.score, h.above_gold, h.grade, h.is_near_miss) for h in found]
    assert rows == [
        ("unjudged", "x", 0.9, 1, None, False),
        ("right", "above", 0.85, 1, None, True),
        ("in part", "also above", 0.6, 2 / 3, None, True),
        ("in part", "part", 0.5, 1 / 3, 2, False),
        ("no gold found", "x", 0.3, 0, None, False),
    ]
    assert {hit.rank for hit in found} == {1}
    cut = similarity(questions, run, misses, highest=2)
    assert cut is not None and cut.highest_wrong == found[:2]


def test_where_no_gold_was_found_no_wrong_hit_stands_above_any() -> None:
    found = told([judged({"g": 3})], {"q": hits({"x": 0.9, "y": 0.3})})
    assert (found.gold.count, found.gold.median, found.highest_wrong) == (0, None, ())
    assert aucs(found) == (None, None, None, None)


def test_the_order_rule_puts_right_what_is_out_of_order_and_drops_duplicates() -> None:
    untidy = {
        "one": (Hit("off", 0.5), Hit("g1", 0.9), *RUN["one"], Hit("g1", 0.1)),
        "two": tuple(reversed(RUN["two"])),
    }
    assert told(QUESTIONS, untidy, WRITTEN) == told(QUESTIONS, RUN, WRITTEN)
    tied = told([judged({"g": 3})], {"q": hits({"a": 0.7, "b": 0.7, "g": 0.2})})
    assert tied.highest_wrong[0].chunk_id == "b"


@pytest.mark.parametrize("score", [0.0, 0.7, -3e30, 1e-300])
def test_scores_that_are_all_equal_are_no_better_than_chance_and_have_a_bin(score: float) -> None:
    found = told([judged({"g": 3, "near": 2})], {"q": hits({"g": score, "near": score, "x": score})})
    assert aucs(found) == (0.5, 0.5, 0.5, 0.5)
    assert [sum(found.gold.bins), max(found.gold.bins), found.gold.median] == [1, 1, score]
    assert found.edges[0] < score < found.edges[-1]


def test_an_infinite_score_keeps_its_order_and_is_shown_as_the_nearest_finite_one() -> None:
    questions = [judged({"g": 3, "near": 2}, "one"), judged({"g": 3}, "two")]
    run = {
        "one": (Hit("near", inf), Hit("g", 0.5), Hit("x", -inf)),
        "two": (Hit("x", 0.9), Hit("g", 0.1)),
    }
    found = told(questions, run, bins=4)
    assert found.edges == pytest.approx((0.1, 0.3, 0.5, 0.7, 0.9))
    assert (found.near_miss.bins, found.near_miss.median) == ((0, 0, 0, 1), 0.9)
    assert (found.other.bins, found.other.median) == ((1, 0, 0, 1), 0.5)
    assert (found.auc_near_miss, found.auc_other) == (0, 2 / 4)
    highest = [(hit.chunk_id, hit.score, hit.above_gold) for hit in found.highest_wrong]
    assert highest == [("near", 0.9, 1), ("x", 0.9, 1)]


def test_scores_that_are_all_infinite_are_still_in_order() -> None:
    found = told([judged({"g": 3})], {"q": (Hit("g", inf), Hit("x", -inf))})
    assert (found.auc_other, found.gold.median, sum(found.gold.bins)) == (1, 0, 1)


SCORES_OF_RANKS: dict[str, Callable[[int, int], float]] = {
    "1 / rank": lambda rank, _: 1 / rank,
    "-rank": lambda rank, _: float(-rank),
    "-rank from 0": lambda rank, _: float(1 - rank),
    "1 / rank with gaps": lambda rank, question: 1 / (rank if rank < 4 else rank + question),
    "-rank with gaps": lambda rank, question: float(-rank if rank < 4 else -rank - question),
    "fused": lambda rank, _: 1 / (60 + rank),
    "from 999": lambda rank, _: 1000.0 - rank,
    "the same for all": lambda rank, _: 3.0,
}


@pytest.mark.parametrize("made", SCORES_OF_RANKS)
def test_scores_that_say_only_the_rank_tell_nothing(made: str) -> None:
    score_of = SCORES_OF_RANKS[made]
    questions = [judged({"c02": 3, "c03": 2}, f"q{number}") for number in range(3)]
    run = {
        question.question_id: tuple(
            Hit(f"c{rank:02}", score_of(rank, number)) for rank in range(1, 20 if number else 10)
        )
        for number, question in enumerate(questions)
    }
    assert similarity(questions, run) is None
    *first, last = run["q0"]
    lower = replace(last, score=last.score - 1e-6)
    assert similarity(questions, {**run, "q0": (*first, lower)}) is not None


@pytest.mark.parametrize("scores", [[0.9, 0.8, 0.7], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [inf]])
def test_one_ranking_does_not_show_it_by_scores_of_any_other_form(scores: list[float]) -> None:
    assert similarity([judged({"g": 3})], {"q": one_ranking(scores)}) is not None


@pytest.mark.parametrize("scores", [[1.0], [1.0, 0.5], [1.0, 0.25], [-1.0, -2.0], [-0.0, -1.0, -4.0]])
def test_one_ranking_shows_it_by_the_form_of_its_scores(scores: list[float]) -> None:
    assert similarity([judged({"g": 3})], {"q": one_ranking(scores)}) is None


def one_ranking(scores: Sequence[float]) -> Ranking:
    return tuple(Hit(f"c{place}", score) for place, score in enumerate(scores))


def test_no_hits_tell_nothing() -> None:
    for questions in ([], QUESTIONS, [judged({"part": 2}, "one")]):
        assert similarity(questions, {"other": RUN["one"]}) is None
    assert similarity([judged({"part": 2}, "one")], RUN) is None
    only_written = told(QUESTIONS, {}, WRITTEN)
    assert (only_written.near_miss.count, aucs(only_written)) == (1, (None, None, None, None))


def test_what_cannot_be_ordered_is_an_error() -> None:
    with pytest.raises(RetrieverError, match="chunk 'g' has the score NaN"):
        similarity([judged({"g": 3})], {"q": (Hit("g", float("nan")),)})
    with pytest.raises(GoldgenError, match="no finite number"):
        similarity([judged({"g": inf})], {"q": hits({"g": 0.5})})
