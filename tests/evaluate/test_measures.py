import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings import graded_ranking, hits, judged, ranking

from goldgen.errors import SettingsError
from goldgen.evaluate import Measure, MeasureName, score_run
from goldgen.types import JudgedQuestion, Ranking

NAMES: tuple[MeasureName, ...] = (
    "P",
    "R",
    "RR",
    "AP",
    "AP_min",
    "nDCG",
    "nDCG_exp",
    "Success",
    "Judged",
)
measures = st.builds(Measure, st.sampled_from(NAMES), st.integers(1, 15))
chunk_ids = st.sampled_from([f"c{number}" for number in range(12)])
grades = st.dictionaries(chunk_ids, st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=8).map(
    lambda others: {"gold": 3.0, **others}
)
runs = st.dictionaries(chunk_ids | st.just("gold"), st.sampled_from([-2.0, 0.0, 0.5, 1.0, 1e30]), max_size=10)


def value(measure: str, question: JudgedQuestion, given_ranking: Ranking, threshold: float = 3) -> float:
    """Scored beside a deeper measure, which must not change it."""
    chosen, deeper = Measure.parse(measure), Measure("P", 1000)
    return score_run([question], {"q": given_ranking}, [chosen, deeper], threshold=threshold).mean(chosen)


@pytest.mark.parametrize(
    ("text", "name", "k"),
    [
        ("nDCG@10", "nDCG", 10),
        ("ndcg@10", "nDCG", 10),
        ("MRR@5", "RR", 5),
        ("map@100", "AP", 100),
        ("P@1", "P", 1),
        ("AP_min@3", "AP_min", 3),
    ],
)
def test_a_measure_is_read_in_any_case_and_by_its_other_names(text: str, name: MeasureName, k: int) -> None:
    assert Measure.parse(text) == Measure(name, k)


@given(measures)
def test_a_measure_survives_writing_and_reading(measure: Measure) -> None:
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    "text", ["", "nDCG", "nDCG@", "nDCG@0", "nDCG@-1", "nDCG@1.5", "nDCG@٣", "F1@3", "@5"]
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


def test_a_short_ranking_is_divided_by_k() -> None:
    assert value("P@5", judged({"gold": 3}), ranking("gold", "other")) == 0.2


@given(grades, runs, measures)
@settings(deadline=None)
def test_every_value_is_within_its_bounds(
    judged_grades: dict[str, float], run: dict[str, float], measure: Measure
) -> None:
    assert 0 <= value(str(measure), judged(judged_grades), hits(run)) <= 1 + 1e-12


@given(grades, runs, st.sampled_from(["R", "Success", "RR", "AP"]), st.integers(1, 14))
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
