"""Condensed lists and bpref: what is left when the unjudged is set aside."""

import pytest
from hypothesis import given, settings
from rankings import hits, judged, ranking, value
from strategies import grades, measures, runs

from goldgen.evaluation import Measure
from goldgen.types import JudgedQuestion


def test_the_condensed_list_closes_the_gaps_of_the_unjudged_before_the_cut() -> None:
    question = judged({"gold": 3, "also": 3, "bad": 0})
    order = ranking("u1", "bad", "u2", "u3", "gold", "u4", "also")
    closed = ranking("bad", "gold", "also")
    for name in ("P", "R", "RR", "AP", "AP_min", "nDCG", "nDCG_exp", "Success", "AllGold"):
        for k in (1, 2, 3):
            assert value(f"{name}_cond@{k}", question, order) == value(f"{name}@{k}", question, closed)
    assert value("RR_cond@2", question, order) == 0.5
    assert value("RR@2", question, order) == 0


def test_an_evidence_set_is_whole_earlier_on_the_condensed_list() -> None:
    question = JudgedQuestion("q", "document", {"a": 3.0, "b": 3.0, "bad": 0.0}, (("a", "b"),))
    order = ranking("u1", "a", "u2", "bad", "b")
    assert [value(f"AllGold@{k}", question, order) for k in (4, 5)] == [0, 1]
    assert [value(f"AllGold_cond@{k}", question, order) for k in (2, 3)] == [0, 1]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("r1 r2 n1", 1),
        ("n1 r1 r2", 0.5),
        ("r1 n1 u1 r2", 0.75),
        ("n1 n2 n3 r1 r2", 0),
        ("u1 u2 r1", 0.5),
        ("n1", 0),
        ("", 0),
    ],
)
def test_bpref_counts_the_judged_nonrelevant_above_each_relevant(order: str, expected: float) -> None:
    """Two relevant (min(R, nonrelevant) is 2); what is unjudged changes nothing."""
    question = judged({"r1": 3, "r2": 3, "n1": 0, "n2": 1, "n3": 2})
    assert value("bpref", question, ranking(*order.split())) == expected


def test_bpref_divides_by_the_judged_nonrelevant_where_they_are_fewer_than_the_relevant() -> None:
    question = judged({"r1": 3, "r2": 3, "r3": 3, "bad": 0})
    assert value("bpref", question, ranking("r1", "bad", "r2", "r3")) == pytest.approx(1 / 3)


def test_bpref_takes_the_whole_ranking_and_needs_no_judged_nonrelevant() -> None:
    question = judged({"gold": 3})
    assert value("bpref", question, ranking(*(f"u{n}" for n in range(2000)), "gold")) == 1


def test_bpref_skips_a_negative_grade() -> None:
    question = judged({"gold": 3, "bad": -1})
    assert value("bpref", question, ranking("bad", "gold")) == 1


@given(grades, runs, measures.filter(lambda measure: measure.name not in ("Judged", "bpref")))
@settings(deadline=None)
def test_a_condensed_value_is_that_of_the_run_without_the_unjudged(
    judged_grades: dict[str, float], run: dict[str, float], measure: Measure
) -> None:
    known = {chunk_id: score for chunk_id, score in run.items() if chunk_id in judged_grades}
    plain, condensed = Measure(measure.name, measure.k), Measure(measure.name, measure.k, condensed=True)
    question = judged(judged_grades)
    expected = value(str(plain), question, hits(known))
    assert value(str(condensed), question, hits(run)) == pytest.approx(expected)
    if set(run) <= set(judged_grades):
        assert value(str(plain), question, hits(run)) == pytest.approx(expected)
