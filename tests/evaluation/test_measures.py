import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings import graded_ranking, hits, judged, ranking, value
from strategies import chunk_ids, grades, measures, runs

from goldgen.errors import SettingsError
from goldgen.evaluation import Measure, MeasureName
from goldgen.types import Hit, JudgedQuestion


@pytest.mark.parametrize(
    ("text", "name", "k"),
    [
        ("nDCG@10", "nDCG", 10),
        ("ndcg@10", "nDCG", 10),
        ("MRR@5", "RR", 5),
        ("map@100", "AP", 100),
        ("P@1", "P", 1),
        ("AP_min@3", "AP_min", 3),
        ("allgold@10", "AllGold", 10),
        ("all_gold@10", "AllGold", 10),
        ("NDCG_EXP@3", "nDCG_exp", 3),
        (" bpref ", "bpref", None),
    ],
)
def test_a_measure_is_read_in_any_case_and_by_its_other_names(
    text: str, name: MeasureName, k: int | None
) -> None:
    assert Measure.parse(text) == Measure(name, k)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG_cond@10", Measure("nDCG", 10, condensed=True)),
        ("nDCG'@10", Measure("nDCG", 10, condensed=True)),
        ("ap_min_COND@3", Measure("AP_min", 3, condensed=True)),
        ("nDCG_exp'@5", Measure("nDCG_exp", 5, condensed=True)),
    ],
)
def test_a_condensed_measure_is_read_from_both_spellings(text: str, measure: Measure) -> None:
    assert Measure.parse(text) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDCG", "nDCG needs a cutoff; write nDCG@10"),
        ("bpref@10", "bpref takes no cutoff; write bpref"),
        ("bpref_cond", "bpref has no condensed form; write bpref without it"),
        ("Judged_cond@10", "Judged has no condensed form"),
    ],
)
def test_a_form_that_a_measure_does_not_have_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=f"the measure {message}"):
        Measure.parse(text)


@given(measures)
def test_a_measure_survives_writing_and_reading(measure: Measure) -> None:
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nDCG@",
        "@",
        "bpref@",
        "nDCG_cond_cond@3",
        "nDCG@10_cond",
        "_cond@10",
        "nDCG@0",
        "nDCG@-1",
        "nDCG@1.5",
        "nDCG@٣",
        "F1@3",
        "@5",
    ],
)
def test_another_text_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown measure .*; write NAME@K, such as nDCG@10"):
        Measure.parse(text)


@pytest.mark.parametrize(
    ("grades_in_order", "expected"),
    [
        ([0, 3, 0, 3, 3, 0, 3, 0], {"AP@8": 0.543, "RR@8": 0.5}),
        ([0, 2, 3], {"nDCG@3": 0.648}),
        ([0, 3, 3, 0, 0], {"P@5": 0.4, "R@5": 1.0, "nDCG@5": 0.693, "RR@5": 0.5}),
        ([3, 3, 0, 0, 0], {"nDCG@5": 1.0, "Success@1": 1.0}),
    ],
)
def test_worked_examples(grades_in_order: list[float], expected: dict[str, float]) -> None:
    question, order = graded_ranking(grades_in_order)
    assert {name: value(name, question, order) for name in expected} == pytest.approx(expected, abs=5e-4)


def test_average_precision_divides_by_all_relevant_and_its_other_form_by_those_that_fit() -> None:
    question, order = graded_ranking([3] * 12)
    assert value("AP@5", question, order) == pytest.approx(5 / 12)
    assert value("AP_min@5", question, order) == pytest.approx(1)


def test_the_ideal_ranking_is_cut_at_k() -> None:
    question, order = graded_ranking([3] * 12)
    assert value("nDCG@5", question, order) == pytest.approx(1)


def test_gain_is_linear_by_default_and_exponential_by_name() -> None:
    question, order = graded_ranking([2, 3])
    assert value("nDCG@2", question, order) == pytest.approx(0.9134, abs=1e-4)
    assert value("nDCG_exp@2", question, order) == pytest.approx(0.8340, abs=1e-4)


def test_binary_measures_ask_for_the_threshold_and_ndcg_does_not() -> None:
    question, order = graded_ranking([2, 3])
    assert value("P@2", question, order) == 0.5
    assert value("P@2", question, order, threshold=2) == 1
    assert value("nDCG@2", question, order, threshold=2) == value("nDCG@2", question, order)


def test_unjudged_is_not_relevant_and_judged_is_the_share_of_what_was_retrieved() -> None:
    question = judged({"gold": 3, "bad": 0})
    order = ranking("unknown 1", "gold", "unknown 2", "bad")
    assert value("RR@10", question, order) == 0.5
    assert value("Judged@10", question, order) == 0.5
    assert value("Judged@2", question, order) == 0.5
    assert value("Judged@1", question, order) == 0


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("a b x y", {"AllGold@1": 0, "AllGold@2": 1}),
        ("b x y a", {"AllGold@3": 0, "AllGold@4": 1}),
        ("b x y", {"AllGold@10": 0}),
        ("b c x", {"AllGold@2": 1}),
        ("x s a b", {"AllGold@1": 0, "AllGold@2": 1}),
        ("x h y", {"AllGold@10": 0}),
        ("", {"AllGold@10": 0}),
    ],
)
def test_all_gold_asks_for_one_whole_evidence_set(order: str, expected: dict[str, float]) -> None:
    """a with b, or c with b, or s alone; h answers in part."""
    graded = {"a": 3.0, "b": 3.0, "c": 3.0, "s": 3.0, "h": 2.0}
    question = JudgedQuestion("q", "document", graded, (("a", "b"), ("c", "b")))
    assert {name: value(name, question, ranking(*order.split())) for name in expected} == expected


def test_a_gold_chunk_that_answers_alone_is_a_set_of_one() -> None:
    question = judged({"gold": 3, "also": 3, "part": 2})
    for order in (ranking("part", "gold"), ranking("part", "also")):
        assert value("AllGold@2", question, order) == value("Success@2", question, order) == 1
        assert value("AllGold@1", question, order) == 0


def test_a_short_ranking_is_divided_by_k() -> None:
    assert value("P@5", judged({"gold": 3}), ranking("gold", "other")) == 0.2


@pytest.mark.parametrize("grade", [30, 300, 3000])
def test_no_grade_is_too_large_for_the_exponential_gain(grade: float) -> None:
    question, order = graded_ranking([grade - 1, grade])
    assert value("nDCG_exp@2", question, order) == pytest.approx(0.8597, abs=1e-4)


@given(grades, runs, measures)
@settings(deadline=None)
def test_every_value_is_within_its_bounds(
    judged_grades: dict[str, float], run: dict[str, float], measure: Measure
) -> None:
    assert 0 <= value(str(measure), judged(judged_grades), hits(run)) <= 1 + 1e-12


@given(grades, runs, st.sampled_from(["R", "Success", "AllGold", "RR", "AP"]), st.integers(1, 14))
@settings(deadline=None)
def test_some_measures_never_fall_with_k(
    judged_grades: dict[str, float], run: dict[str, float], name: str, k: int
) -> None:
    question, given_hits = judged(judged_grades), hits(run)
    assert (
        value(f"{name}@{k}", question, given_hits) <= value(f"{name}@{k + 1}", question, given_hits) + 1e-12
    )


@given(grades, runs, measures)
@settings(deadline=None)
def test_names_that_keep_their_order_change_no_value(
    judged_grades: dict[str, float], run: dict[str, float], measure: Measure
) -> None:
    renamed_grades = {f"prefix {chunk_id}": grade for chunk_id, grade in judged_grades.items()}
    renamed_run = {f"prefix {chunk_id}": score for chunk_id, score in reversed(run.items())}
    before = value(str(measure), judged(judged_grades), hits(run))
    assert value(str(measure), judged(renamed_grades), hits(renamed_run)) == before


@given(grades, st.integers(1, 14))
@settings(deadline=None)
def test_the_ideal_ranking_has_ndcg_1(judged_grades: dict[str, float], k: int) -> None:
    assert value(f"nDCG@{k}", judged(judged_grades), hits(judged_grades)) == pytest.approx(1)


@given(grades, runs, measures, st.lists(st.tuples(chunk_ids, st.just(-3.0)), max_size=5))
@settings(deadline=None)
def test_what_comes_again_further_down_changes_no_value(
    judged_grades: dict[str, float],
    run: dict[str, float],
    measure: Measure,
    again: list[tuple[str, float]],
) -> None:
    question = judged(judged_grades)
    repeated = tuple(Hit(chunk_id, score) for chunk_id, score in again if chunk_id in run)
    assert value(str(measure), question, hits(run) + repeated) == value(str(measure), question, hits(run))


@given(grades, measures)
def test_an_empty_ranking_is_worth_nothing(judged_grades: dict[str, float], measure: Measure) -> None:
    assert value(str(measure), judged(judged_grades), ()) == 0
