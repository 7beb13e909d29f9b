from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import MEASURE, outcome

from goldgen.errors import SettingsError
from goldgen.evaluation import bootstrap_interval
from goldgen.evaluation.report import QuestionOutcome
from goldgen.evaluation.slices import slices


def of_style(style: str, values: Sequence[float], retriever: str = "bm25") -> list[QuestionOutcome]:
    return [
        outcome(f"{style} {place}", traits={"style": style}, values={retriever: value})
        for place, value in enumerate(values)
    ]


def test_a_slice_has_its_mean_its_interval_and_the_mean_of_the_rest() -> None:
    values = [0.0, 0.5, 0.5, 1.0, 0.5]
    found = slices([*of_style("fact", values), *of_style("how", [1.0, 0.8])], ["bm25"], MEASURE)
    assert [(one.trait, one.value, one.questions, one.clusters) for one in found] == [("style", "fact", 5, 5)]
    assert (found[0].mean, found[0].rest) == (0.5, 0.9)
    interval = bootstrap_interval(np.array(values), list("abcde"))
    assert (found[0].low, found[0].high) == (interval.low, interval.high)
    assert found[0].low < 0.5 < found[0].high


def test_too_few_questions_make_no_slice_and_nor_do_all() -> None:
    questions = [
        outcome(
            f"q{place}", traits={"origin": "log", "style": "fact" if place < 2 else "how"}, values={"bm25": 1}
        )
        for place in range(5)
    ]
    told = {fewest: slices(questions, ["bm25"], MEASURE, fewest=fewest) for fewest in (2, 3, 4)}
    values = {fewest: [one.value for one in found] for fewest, found in told.items()}
    assert values == {2: ["how", "fact"], 3: ["how"], 4: []}


def test_all_retrievers_stand_in_one_list_the_worst_first() -> None:
    style = {place: "fact" if place < 2 else "how" for place in range(4)}
    scores = {"bm25": [0.5, 0.5, 0.9, 0.9], "dense": [0.9, 0.7, 0.1, 0.1]}
    questions = [
        outcome(
            f"q{place}",
            traits={"style": style[place]},
            values={retriever: values[place] for retriever, values in scores.items()},
        )
        for place in range(4)
    ]
    found = slices(questions, list(scores), MEASURE, fewest=1)
    assert [(one.retriever, one.value) for one in found] == [
        ("dense", "how"),
        ("bm25", "fact"),
        ("bm25", "how"),
        ("dense", "fact"),
    ]


def test_of_equals_the_larger_comes_first() -> None:
    same = [*of_style("fact", [0.5] * 2), *of_style("how", [0.5] * 3)]
    assert [one.value for one in slices(same, ["bm25"], MEASURE, fewest=1)] == ["how", "fact"]


def test_a_question_without_the_trait_is_one_of_the_rest() -> None:
    questions = [*of_style("fact", [0.0, 1.0]), outcome("bare", values={"bm25": 0.25})]
    found = slices(questions, ["bm25"], MEASURE, fewest=2)
    assert [(one.value, one.mean, one.rest) for one in found] == [("fact", 0.5, 0.25)]


def test_whole_clusters_are_drawn() -> None:
    alike = [
        outcome(f"q{place}", cluster=f"d{place // 4}", traits={"style": "fact"}, values={"bm25": place // 4})
        for place in range(8)
    ]
    found = slices([*alike, *of_style("how", [0.5])], ["bm25"], MEASURE)
    assert (found[0].questions, found[0].clusters) == (8, 2)
    assert (found[0].low, found[0].high) == (0, 1)


def test_the_questions_of_a_single_document_are_the_sample() -> None:
    page = [
        outcome(f"q{place}", cluster="d", traits={"document": "a.md"}, values={"bm25": place % 2})
        for place in range(8)
    ]
    found = slices([*page, *of_style("how", [0.5])], ["bm25"], MEASURE)
    assert (found[0].questions, found[0].clusters) == (8, 1)
    assert found[0].low < 0.3 < 0.7 < found[0].high


def test_a_measure_that_was_not_scored_fails() -> None:
    with pytest.raises(SettingsError, match=r"no slices of bm25 by P@7, which was not scored"):
        slices(of_style("fact", [0.5]), ["bm25"], "P@7")


def test_no_questions_have_no_slices() -> None:
    assert slices([], ["bm25"], MEASURE) == ()


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        max_size=20,
    )
)
def test_slice_and_rest_make_up_the_whole(rows: list[tuple[str, str, float]]) -> None:
    questions = [
        outcome(f"q{place}", cluster=cluster, traits={"style": style}, values={"bm25": value})
        for place, (style, cluster, value) in enumerate(rows)
    ]
    found = slices(questions, ["bm25"], MEASURE, fewest=1)
    styles = {style for style, _, _ in rows}
    assert {one.value for one in found} == (styles if len(styles) > 1 else set())
    for one in found:
        assert one.rest is not None
        total = one.mean * one.questions + one.rest * (len(rows) - one.questions)
        assert total == pytest.approx(sum(value for _, _, value in rows))
        assert 0 <= one.low <= one.mean + 1e-12 and one.mean - 1e-12 <= one.high <= 1
    shortfalls = [one.mean - (one.rest or 0) for one in found]
    assert shortfalls == sorted(shortfalls)
