"""Similarity, whatever is searched: every pair compared, changes that keep the order, odd scores."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import isfinite
from typing import cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rankings import hits, judged
from strategies import chunk_ids, grades

from goldgen.evaluation.similarity import NearMissHit, Similarity, similarity
from goldgen.types import JudgedQuestion, Ranking

Pairs = list[tuple[float, float]]
ANY_SCORE = st.floats(allow_nan=False)
FEW_SCORES = st.sampled_from([-2.0, 0.0, 0.25, 0.5, 1.0, 7.0])


@st.composite
def searches(
    draw: st.DrawFn, scores: st.SearchStrategy[float]
) -> tuple[list[JudgedQuestion], dict[str, Ranking], list[NearMissHit]]:
    """Up to four questions, each with gold and a ranking, and near misses of some."""
    names = [f"q{number}" for number in range(draw(st.integers(1, 4)))]
    found = st.dictionaries(chunk_ids | st.just("gold"), scores, max_size=6).map(hits)
    misses = st.builds(
        NearMissHit, st.sampled_from([*names, "no gold"]), st.just("miss"), st.integers(1, 3), scores
    )
    return (
        [judged(draw(grades), name) for name in names],
        {name: draw(found) for name in names},
        draw(st.lists(misses, max_size=4)),
    )


def aucs(found: Similarity) -> tuple[float | None, ...]:
    return (found.auc_near_miss, found.auc_other, found.auc_near_miss_within, found.auc_other_within)


@settings(max_examples=40)
@given(searches(FEW_SCORES))
def test_the_areas_equal_those_of_every_pair_compared(
    search: tuple[list[JudgedQuestion], dict[str, Ranking], list[NearMissHit]],
) -> None:
    questions, run, misses = search
    found = similarity(questions, run, misses)
    assume(found is not None)
    against: dict[str, list[Pairs]] = {"near miss": [], "other": []}
    pools: dict[str, list[float]] = {"gold": [], "near miss": [], "other": []}
    for question in questions:
        own: dict[str, list[float]] = {"gold": [], "near miss": [], "other": []}
        for hit in run[question.question_id]:
            grade = question.grades.get(hit.chunk_id, 0)
            own["gold" if grade == 3 else "near miss" if grade in (1, 2) else "other"].append(hit.score)
        own["near miss"] += [miss.score for miss in misses if miss.question_id == question.question_id]
        for kind, pairs in against.items():
            pairs.append([(gold, wrong) for gold in own["gold"] for wrong in own[kind]])
        for kind, scores in own.items():
            pools[kind] += scores
    expected = [won([(g, w) for g in pools["gold"] for w in pools[kind]]) for kind in against]
    expected += [mean([won(pairs) for pairs in against[kind] if pairs]) for kind in against]
    assert aucs(cast(Similarity, found)) == pytest.approx(expected)


def won(pairs: Pairs) -> float | None:
    return mean([1.0 if gold > wrong else 0.5 if gold == wrong else 0.0 for gold, wrong in pairs])


def mean(values: Sequence[float | None]) -> float | None:
    return sum(value or 0 for value in values) / len(values) if values else None


@settings(max_examples=40)
@given(searches(FEW_SCORES))
def test_the_areas_stay_under_any_change_that_keeps_the_order(
    search: tuple[list[JudgedQuestion], dict[str, Ranking], list[NearMissHit]],
) -> None:
    def bent(score: float) -> float:
        return score**3 + 2 * score - 5.5

    questions, run, misses = search
    bent_run = {name: tuple(replace(h, score=bent(h.score)) for h in given) for name, given in run.items()}
    before = similarity(questions, run, misses)
    after = similarity(questions, bent_run, [replace(m, score=bent(m.score)) for m in misses])
    assume(before is not None and after is not None)
    before, after = cast(Similarity, before), cast(Similarity, after)
    assert aucs(after) == aucs(before)
    assert [h.above_gold for h in after.highest_wrong] == [h.above_gold for h in before.highest_wrong]


@settings(max_examples=40)
@given(searches(ANY_SCORE), st.integers(1, 5))
def test_every_number_is_finite_and_every_hit_counted_once_whatever_the_scores(
    search: tuple[list[JudgedQuestion], dict[str, Ranking], list[NearMissHit]], bins: int
) -> None:
    questions, run, misses = search
    found = similarity(questions, run, misses, bins=bins)
    assume(found is not None)
    found = cast(Similarity, found)
    asked = {question.question_id for question in questions}
    hits_in_all = sum(map(len, run.values())) + sum(miss.question_id in asked for miss in misses)
    classes = (found.gold, found.near_miss, found.other)
    assert sum(one.count for one in classes) == hits_in_all
    assert all(sum(one.bins) == one.count and len(one.bins) == bins for one in classes)
    assert all(low < high for low, high in zip(found.edges, found.edges[1:], strict=False))
    assert all(map(isfinite, numbers(asdict(found))))
    assert all(area is None or 0 <= area <= 1 for area in aucs(found))


def numbers(value: object) -> list[float]:
    """All numbers in it, however deep."""
    if isinstance(value, Mapping):
        return numbers(list(cast(Mapping[str, object], value).values()))
    if isinstance(value, list | tuple):
        return [number for part in cast(Sequence[object], value) for number in numbers(part)]
    return [value] if isinstance(value, int | float) else []
