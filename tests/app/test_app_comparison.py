from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.app.comparison import PRIMARY, better_first, paired, verdict_sentences
from goldgen.app.run_differences import difference_sentences
from goldgen.evaluation import (
    DAGGER,
    ContextChoice,
    Curve,
    Difference,
    OwnLeftOut,
    PairedDifference,
    QuestionsNeeded,
    RetrieverResult,
    score_run,
)
from goldgen.types import Hit, JudgedQuestion


def result(label: str, mean: float, *, shares: bool = False) -> RetrieverResult:
    return RetrieverResult(
        name=label,
        label=label,
        shares_model=shares,
        means={str(PRIMARY): mean},
        interval=(0.0, 1.0),
        by_origin={},
        judged=1.0,
        confusion=None,
        milliseconds=1.0,
        tied_share=0.0,
        duplicates=0,
        missing=0,
        run_id="run",
        curve=Curve((0.5,), (0.5,), (1.0,)),
        similarity=None,
        near_miss_hits=(),
        context=ContextChoice(1, 100.0, 0.5, 0.5, 1),
    )


def pair(
    better: str, worse: str, mean: float, low: float, high: float, p: float, *, few: bool = False
) -> PairedDifference:
    return PairedDifference(better, worse, mean, low, high, p, few)


def said(*results: RetrieverResult, difference: PairedDifference) -> str:
    return "\n".join(verdict_sentences(results, [difference], ["judge"], 120))


CLEAR = pair("dense", "bm25", 0.1, 0.05, 0.15, 0.01)


def test_one_retriever_is_compared_with_nothing() -> None:
    (sentence,) = verdict_sentences([result("bm25", 0.5)], [], ["judge"], 120)
    assert "--retriever" in sentence
    assert "beats" not in sentence and "highest" not in sentence


def test_a_lead_beyond_doubt_is_said_with_its_figures() -> None:
    text = said(result("bm25", 0.5), result("dense", 0.6), difference=CLEAR)
    assert "dense beats bm25 (+0.100 nDCG@10, 95% interval 0.050 to 0.150, p = 0.01)" in text
    assert DAGGER not in text
    assert "documents" not in text


@pytest.mark.parametrize(
    ("low", "high", "p"), [(0.05, 0.15, 0.05), (0.05, 0.15, 0.3), (0.0, 0.15, 0.01), (-0.01, 0.2, 0.001)]
)
def test_a_lead_that_may_be_chance_is_no_win(low: float, high: float, p: float) -> None:
    text = said(
        result("bm25", 0.5), result("dense", 0.6), difference=pair("dense", "bm25", 0.1, low, high, p)
    )
    assert "beats" not in text and "scores above" not in text
    assert "can't be told apart" in text


def test_a_retriever_that_shares_a_model_never_wins() -> None:
    text = said(result("bm25", 0.5), result("dense", 0.6, shares=True), difference=CLEAR)
    assert "beats" not in text
    assert f"dense{DAGGER} scores above bm25" in text
    assert f"{DAGGER} shares a model with judging or pooling (judge)" in text


def test_it_can_lose_and_is_marked_all_the_same() -> None:
    text = said(result("bm25", 0.5, shares=True), result("dense", 0.6), difference=CLEAR)
    assert f"dense beats bm25{DAGGER}" in text
    assert "is no proof" in text


def test_few_documents_are_said() -> None:
    rough = pair("dense", "bm25", 0.1, 0.05, 0.15, 0.01, few=True)
    assert "fewer than 20 documents" in said(result("bm25", 0.5), result("dense", 0.6), difference=rough)


def test_an_order_that_rests_on_own_contributions_is_said() -> None:
    behind = replace(result("dense", 0.6), without_own=OwnLeftOut(0.4, -0.2, 7, 0, ("bm25",)))
    text = said(result("bm25", 0.5), behind, difference=CLEAR)
    assert "only it proposed, dense falls behind bm25." in text
    assert "stays the same" not in text


def test_an_order_that_stays_is_said_only_if_something_was_left_out() -> None:
    same = replace(result("dense", 0.6), without_own=OwnLeftOut(0.59, -0.01, 7, 0))
    assert "The order stays the same" in said(result("bm25", 0.5), same, difference=CLEAR)
    nothing = replace(same, without_own=OwnLeftOut(0.6, 0.0, 0, 0))
    assert "order" not in said(result("bm25", 0.5), nothing, difference=CLEAR)


def test_nothing_is_said_of_an_order_that_was_not_measured() -> None:
    same = replace(result("dense", 0.6), without_own=OwnLeftOut(0.59, -0.01, 7, 0))
    empty = replace(result("bm25", 0.5), without_own=OwnLeftOut(None, None, 9, 30))
    assert "order" not in said(empty, same, difference=CLEAR)


def test_who_was_measured_and_what_was_left_out_stands_beside_an_order_that_stays() -> None:
    same = replace(result("dense", 0.6), without_own=OwnLeftOut(0.59, -0.01, 7, 4))
    text = said(result("bm25", 0.5), same, difference=CLEAR)
    assert "so measured: dense;" in text
    assert "left out, as they lose all their gold so: 4 questions for dense" in text
    assert "never measured so: bm25." in text
    both = said(replace(result("bm25", 0.5), without_own=OwnLeftOut(0.5, 0.0, 0, 0)), same, difference=CLEAR)
    assert "so measured: bm25, dense" in both or "so measured: dense, bm25" in both
    assert "never measured" not in both


RESULTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=4).map(
    lambda rows: [result(f"r{n}", mean, shares=shares) for n, (mean, shares) in enumerate(rows)]
)


@given(RESULTS, st.floats(-0.2, 0.2), st.floats(0, 1))
def test_no_sentence_claims_more_than_was_measured(
    results: list[RetrieverResult], low: float, p: float
) -> None:
    ranked = sorted(results, key=lambda item: -item.means[str(PRIMARY)])
    pairs = [
        pair(a.label, b.label, a.means[str(PRIMARY)] - b.means[str(PRIMARY)], low, low + 0.5, p)
        for i, a in enumerate(ranked)
        for b in ranked[i + 1 :]
    ]
    sentences = verdict_sentences(results, pairs, ["judge"], 120)
    winners = [sentence for sentence in sentences if "beats" in sentence]
    if p >= 0.05 or low <= 0 or ranked[0].shares_model:
        assert winners == []
    else:
        assert len(winners) == len(results) - 1
        assert all(sentence.startswith(f"{ranked[0].label} beats") for sentence in winners)
    assert any(sentence.startswith(DAGGER) for sentence in sentences) == any(r.shares_model for r in results)
    assert all(a != b for a, b in pairwise(sentences))


@pytest.mark.parametrize(
    ("needed", "says"),
    [
        (480, "can't be told apart with 120 questions; about 480 are needed to see 0.03 ("),
        (100, "can't be told apart with 120 questions, which would show 0.03 ("),
        (None, "can't be told apart with 120 questions ("),
    ],
)
def test_how_many_questions_are_needed_is_said_for_the_stated_difference(
    needed: int | None, says: str
) -> None:
    unsure = pair("dense", "bm25", 0.01, -0.02, 0.04, 0.6)
    size = QuestionsNeeded(needed, 60, 1.0, 0.03) if needed else None
    text = said(result("bm25", 0.5), result("dense", 0.51), difference=replace(unsure, needed=size))
    assert says in text


def test_every_pair_is_compared_the_better_first() -> None:
    questions = [JudgedQuestion(f"q{n}", f"d{n}", {"gold": 3.0}) for n in range(30)]
    first = {q.question_id: (Hit("gold", 1.0),) for q in questions}
    second = {q.question_id: (Hit("other", 2.0), Hit("gold", 1.0)) for q in questions[:20]}
    runs = {"late": score_run(questions, second, [PRIMARY]), "early": score_run(questions, first, [PRIMARY])}
    (found,) = paired(runs, 0.05)
    assert (found.better, found.worse) == ("early", "late")
    assert 0 < found.low < found.mean < found.high and found.effect is not None and found.effect > 0
    assert found.needed is not None and found.needed.delta == 0.05
    (turned,) = paired(dict(reversed(runs.items())), 0.05)
    assert (turned.better, turned.mean, turned.low, turned.high) == (
        "early", found.mean, pytest.approx(found.low, abs=0.02), pytest.approx(found.high, abs=0.02),
    )  # fmt: skip


def test_p_is_corrected_for_all_pairs() -> None:
    questions = [JudgedQuestion(f"q{n}", f"d{n}", {"gold": 3.0}) for n in range(8)]
    runs = {
        name: score_run(
            questions,
            {
                q.question_id: (*(Hit(f"other-{n}", 9.0 - n) for n in range(ahead)), Hit("gold", 1.0))
                for q in questions
            },
            [PRIMARY],
        )
        for ahead, name in enumerate(("first", "second", "third"))
    }
    # Every question tells for the better run: of 256 flips of sign only 2 are as extreme, and Holm takes
    # the least of three p-values three times.
    assert [(found.better, found.worse, found.p) for found in paired(runs, 0.03)] == [
        ("first", "second", 3 * 2 / 256),
        ("first", "third", 3 * 2 / 256),
        ("second", "third", 3 * 2 / 256),
    ]


@given(st.floats(-0.002, 0.002), st.floats(-0.002, 0.002), st.floats(-0.002, 0.002), st.floats(-0.01, 0.01))
def test_no_figure_is_a_minus_before_nothing(mean: float, low: float, high: float, effect: float) -> None:
    found = Difference(mean, low, high, 0.4, 120, effect, None)
    turned = better_first("bm25", "dense", found, found.p)
    compared = difference_sentences(("bm25", "dense"), found, "nDCG@10", 120, shared=(False, False))
    for text in (said(result("bm25", 0.5), result("dense", 0.5), difference=turned), "\n".join(compared)):
        assert "can't be told apart" in text
        assert "-0.000" not in text and "-0.00," not in text and "+-" not in text
