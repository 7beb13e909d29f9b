"""Near misses by kind: how often they win, and by how much gold leads."""

import numpy as np
import pytest
from rankings import judged, ranking

from goldgen.errors import RetrieverError
from goldgen.evaluation import Lookalike, attack_outcomes, attack_results
from goldgen.types import Hit

MISS = Lookalike("miss", "q", "plan")


@pytest.mark.parametrize(
    ("chunk_ids", "outranks"),
    [
        (["miss", "gold"], True),
        (["gold", "miss"], False),
        (["other", "miss"], True),
        (["other", "gold"], False),
        (["other"], False),
        ([], False),
    ],
)
def test_a_near_miss_wins_if_it_stands_above_every_gold(chunk_ids: list[str], outranks: bool) -> None:
    (outcome,) = attack_outcomes([MISS], [judged({"gold": 3})], {("q", "miss"): ranking(*chunk_ids)})
    assert outcome.outranks is outranks and outcome.kind == "plan"


def test_the_margin_is_in_standard_deviations_of_the_first_ten_scores() -> None:
    scores = [9.0, 7.0, 4.0, *np.linspace(3.9, 3.0, 20).tolist()]
    hits = tuple(
        Hit({0: "gold", 2: "miss"}.get(place, f"c{place:02}"), score) for place, score in enumerate(scores)
    )
    (outcome,) = attack_outcomes([MISS], [judged({"gold": 3})], {("q", "miss"): hits})
    assert outcome.margin == pytest.approx((9.0 - 4.0) / np.std(scores[:10]))


@pytest.mark.parametrize("hits", [(), (Hit("gold", 1.0),), (Hit("gold", 1.0), Hit("miss", 1.0))])
def test_there_is_no_margin_without_both_or_with_equal_scores(hits: tuple[Hit, ...]) -> None:
    (outcome,) = attack_outcomes([MISS], [judged({"gold": 3})], {("q", "miss"): hits})
    assert outcome.margin is None


def test_questions_without_gold_or_unknown_are_left_out_and_one_chunk_may_be_mined_for_several() -> None:
    questions = [judged({"g": 3}, "a", "d1"), judged({"g": 2}, "b", "d2"), judged({"h": 3}, "c", "d3")]
    mined = [Lookalike("m", question, "mined") for question in ("a", "b", "c", "unknown")]
    rankings = {("a", "m"): ranking("m", "g"), ("c", "m"): ranking("h", "m")}
    outcomes = attack_outcomes(mined, questions, rankings)
    assert [(o.question_id, o.outranks, o.cluster) for o in outcomes] == [
        ("a", True, "d1"),
        ("c", False, "d3"),
    ]
    (row,) = attack_results(outcomes)
    assert (row.kind, row.count, row.confused, row.rate) == ("mined", 2, 1, 0.5)
    assert row.low is not None and row.high is not None
    assert 0 <= row.low <= 0.5 <= row.high <= 1 and row.margins == 2
    (alike,) = attack_results(outcomes[:1])
    assert (alike.rate, alike.low, alike.high) == (1.0, None, None)


def test_each_kind_has_its_row() -> None:
    kinds = ("plan", "answer_removed", "plan")
    items = [Lookalike(f"m{place}", "q", kind) for place, kind in enumerate(kinds)]
    rankings = {("q", item.id): ranking("g", item.id) for item in items}
    rows = attack_results(attack_outcomes(items, [judged({"g": 3})], rankings))
    assert [(row.kind, row.count) for row in rows] == [("answer_removed", 1), ("plan", 2)]
    assert attack_results(()) == ()


def test_a_nan_score_is_an_error() -> None:
    with pytest.raises(RetrieverError):
        attack_outcomes([MISS], [judged({"gold": 3})], {("q", "miss"): (Hit("gold", float("nan")),)})


def test_the_threshold_says_what_is_gold() -> None:
    question, rankings = judged({"gold": 3, "part": 2}), {("q", "miss"): ranking("part", "miss", "gold")}
    assert attack_outcomes([MISS], [question], rankings)[0].outranks
    assert not attack_outcomes([MISS], [question], rankings, threshold=2)[0].outranks


def test_a_tie_is_decided_by_the_order_rule() -> None:
    tied = {("q", "b miss"): (Hit("a gold", 1.0), Hit("b miss", 1.0), Hit("c gold", 1.0))}
    wins = {
        gold: attack_outcomes([Lookalike("b miss", "q", "plan")], [judged({gold: 3})], tied)[0].outranks
        for gold in ("a gold", "c gold")
    }
    assert wins == {"a gold": True, "c gold": False}
