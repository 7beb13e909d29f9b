import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings import hits, judged, ranking

from goldgen.errors import EmptyResultError, GoldgenError, RetrieverError, SettingsError
from goldgen.evaluation import Measure, score_run
from goldgen.types import Hit, JudgedQuestion

RR = Measure("RR", 10)
R = Measure("R", 10)
P = Measure("P", 5)
EVERY_MEASURE = (
    *("P@2", "R@2", "RR@3", "AP@3", "AP_min@2", "nDCG@3", "nDCG_exp@3", "Success@1", "AllGold@2", "Judged@2"),
    *("bpref", "nDCG_cond@2", "AP_cond@3", "AllGold_cond@1"),
)
rows_of_a_run = st.lists(
    st.builds(Hit, st.sampled_from("abcg"), st.sampled_from([0.0, 1.0, 2.0])), max_size=12
)


def test_a_question_without_a_ranking_scores_0_and_is_counted() -> None:
    questions = [judged({"g": 3}, "found"), judged({"g": 3}, "absent"), judged({"g": 3}, "empty")]
    scores = score_run(questions, {"found": ranking("g"), "empty": ()})
    assert scores.mean(R) == pytest.approx(1 / 3)
    assert scores.missing == 2
    assert np.isfinite(scores.values).all()


def test_a_question_without_gold_is_in_no_mean_and_counted() -> None:
    questions = [judged({"g": 3}, "with gold"), judged({"h": 2}, "in part"), judged({}, "unjudged")]
    scores = score_run(questions, {"with gold": ranking("g"), "in part": ranking("h")}, [R])
    assert scores.question_ids == ("with gold",)
    assert scores.mean(R) == 1
    assert scores.excluded == 2
    assert scores.values.shape == (1, 1)


def test_questions_without_gold_leave_the_others_as_they_are_wherever_they_stand() -> None:
    sets = (("a", "b"),)
    questions = [
        judged({"h": 2, "x": 0}, "no gold"),
        judged({"g": 3, "x": 0}, "single"),
        judged({}, "unjudged"),
        JudgedQuestion("pair", "document", {"x": 0, "a": 3, "b": 3}, sets),
    ]
    run = {"no gold": ranking("h"), "single": ranking("x", "g"), "pair": ranking("b", "x", "a")}
    measures = [RR, Measure("AllGold", 2), Measure("AllGold", 3), Measure("Judged", 10)]
    scores = score_run(questions, run, measures)
    assert scores.question_ids == ("single", "pair")
    assert scores.values.tolist() == [[0.5, 1, 1, 1], [1, 0, 1, 1]]


@pytest.mark.parametrize("questions", [[], [judged({"h": 2})]])
def test_no_gold_at_all_is_an_error_not_a_nan(questions: list[JudgedQuestion]) -> None:
    with pytest.raises(
        EmptyResultError, match=f"none of the {len(questions)} questions has a chunk with grade 3"
    ):
        score_run(questions, {})


def test_an_imported_binary_set_counts_from_grade_1() -> None:
    scores = score_run([judged({"g": 1})], {"q": ranking("g")}, [R], threshold=1)
    assert (scores.mean(R), scores.threshold) == (1, 1)


def test_a_duplicate_keeps_its_best_rank_and_is_counted() -> None:
    twice = (Hit("g", 1.0), Hit("a", 2.0), Hit("g", 3.0), Hit("g", 3.0))
    scores = score_run([judged({"g": 3, "h": 3})], {"q": twice}, [R, RR, P])
    assert scores.mean(R) == 0.5
    assert scores.mean(RR) == 1
    assert scores.mean(P) == 0.2
    assert scores.duplicates == 2


def test_ties_are_broken_by_chunk_id_descending_whatever_order_they_come_in() -> None:
    tied = hits({"10": 1.0, "9": 1.0, "a": 1.0, "B": 1.0, "é": 1.0})
    for order in (tied, tied[::-1]):
        scores = score_run([judged({"9": 3})], {"q": order}, [RR])
        assert scores.mean(RR) == 1 / 4
        assert scores.tied_share == 1


def test_scores_are_compared_in_64_bits() -> None:
    close = hits({"d1": 1.00000001, "d2": 1.0})
    scores = score_run([judged({"d1": 3})], {"q": close}, [RR])
    assert (scores.mean(RR), scores.tied_share) == (1, 0)


def test_the_tied_share_counts_a_tie_across_the_cutoff() -> None:
    scores = score_run([judged({"d1": 3})], {"q": hits({"a": 3.0, "b": 2.0, "c": 2.0})}, [Measure("P", 2)])
    assert scores.tied_share == 0.5


def test_the_tied_share_is_of_all_hits_for_a_measure_without_a_cutoff() -> None:
    tied_below = hits({"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0})
    measures = [Measure("P", 2), Measure("bpref")]
    shares = [score_run([judged({"a": 3})], {"q": tied_below}, measures[:n]).tied_share for n in (1, 2)]
    assert shares == [0, 0.5]


def test_the_ceiling_of_precision_is_what_a_perfect_run_gets() -> None:
    questions = [judged({"g": 3}, "one"), judged({f"g{n}": 3 for n in range(7)}, "seven")]
    perfect = {"one": ranking("g"), "seven": ranking(*(f"g{n}" for n in range(7)))}
    scores = score_run(questions, perfect, [P, R])
    assert scores.ceilings == {P: pytest.approx(0.6)}
    assert scores.mean(P) == pytest.approx(0.6)


def test_a_score_of_nan_names_question_and_chunk() -> None:
    nan = float("nan")
    for found in ({"g": 1.0, "bad": nan}, {"bad": nan, "g": 1.0}, {"bad": nan}):
        with pytest.raises(RetrieverError, match="question 'q': chunk 'bad' has the score NaN"):
            score_run([judged({"g": 3})], {"q": hits(found)})


def test_a_grade_of_nan_names_question_and_chunk() -> None:
    with pytest.raises(GoldgenError, match="question 'q': chunk 'bad' has a grade that is no finite number"):
        score_run([judged({"g": 3, "bad": float("nan")})], {})


def test_settings_that_cannot_be_scored_are_refused() -> None:
    with pytest.raises(SettingsError, match="no measures"):
        score_run([judged({"g": 3})], {}, [])
    with pytest.raises(SettingsError, match="must be above 0"):
        score_run([judged({"g": 3})], {}, threshold=0)
    with pytest.raises(SettingsError, match="P@5 was not scored; choose one of R@10"):
        score_run([judged({"g": 3})], {}, [R]).mean(P)


def test_columns_follow_the_measures_and_rows_the_questions() -> None:
    questions = [judged({"g": 3}, "b", "two"), judged({"g": 3}, "a", "one")]
    scores = score_run(questions, {"a": ranking("x", "g"), "other": ranking("g")}, [RR, R])
    assert (scores.question_ids, scores.clusters) == (("b", "a"), ("two", "one"))
    assert scores.values.tolist() == [[0, 0], [0.5, 1]]


@given(rows_of_a_run.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
@settings(deadline=None)
def test_the_order_of_the_rows_of_a_run_changes_nothing(orders: tuple[list[Hit], list[Hit]]) -> None:
    questions = [judged({"g": 3, "a": 2})]
    given_order, other_order = (score_run(questions, {"q": tuple(rows)}) for rows in orders)
    assert np.array_equal(given_order.values, other_order.values)
    assert given_order.duplicates == len(orders[0]) - len({hit.chunk_id for hit in orders[0]})
    assert given_order.mean(R) <= 1


@given(
    st.dictionaries(st.sampled_from([f"q{n}" for n in range(6)]), rows_of_a_run.map(tuple), max_size=6),
    st.lists(
        st.dictionaries(st.sampled_from("abcg"), st.sampled_from([-1, 0, 1, 2, 3])), min_size=1, max_size=6
    ),
)
@settings(deadline=None)
def test_questions_scored_together_have_the_values_of_each_alone(
    run: dict[str, tuple[Hit, ...]], graded: list[dict[str, float]]
) -> None:
    questions = [judged({**grades, "g": 3}, f"q{n}") for n, grades in enumerate(graded)]
    measures = [Measure.parse(name) for name in EVERY_MEASURE]
    together = score_run(questions, run, measures)
    alone = [score_run([question], run, measures) for question in questions]
    assert np.array_equal(together.values, np.concatenate([scores.values for scores in alone]))
    assert together.duplicates == sum(scores.duplicates for scores in alone)
    assert together.missing == sum(scores.missing for scores in alone)


def test_a_question_out_of_order_among_others_in_order_is_mended_alone() -> None:
    questions = [judged({"g": 3}, name) for name in ("sorted", "rising", "tied", "twice", "absent")]
    run = {
        "sorted": hits({"a": 2.0, "g": 1.0}),
        "rising": hits({"a": 1.0, "g": 2.0}),
        "tied": hits({"a": 1.0, "g": 1.0, "b": 0.5}),
        "twice": (Hit("a", 3.0), Hit("b", 2.0), Hit("a", 1.5), Hit("g", 1.0)),
    }
    scores = score_run(questions, run, [RR])
    assert scores.of(RR).tolist() == pytest.approx([1 / 2, 1, 1, 1 / 3, 0])
    assert (scores.duplicates, scores.missing) == (1, 1)
    assert scores.tied_share == pytest.approx(2 / 10)
