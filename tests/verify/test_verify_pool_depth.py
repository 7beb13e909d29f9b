from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk, question

from goldgen.types import Judgment, Pooled
from goldgen.verify import GAP_DEPTH, GoldenQuestion, assemble

CORPUS = [chunk(f"c{number:02}", f"Text number {number}.", document=f"d{number}") for number in range(80)]
IDS = [found.id for found in CORPUS]


def pooled(
    ids: Sequence[str], source: str = "bm25", asked: str = "q", depth: int | None = None
) -> list[Pooled]:
    """``depth``: how many were asked for; None: as many as there are."""
    depth = len(ids) if depth is None else depth
    return [Pooled(asked, chunk_id, source, rank, depth) for rank, chunk_id in enumerate(ids, start=1)]


def item(grades: Mapping[str, int | None], pool: Sequence[Pooled], size: int = len(CORPUS)) -> GoldenQuestion:
    judgments = [Judgment("q", chunk_id, "judge", grade=grade) for chunk_id, grade in grades.items()]
    (found,) = assemble([question()], judgments, CORPUS[:size], pool)
    return found


def test_the_depth_is_that_of_the_first_candidate_without_a_verdict() -> None:
    grades: dict[str, int | None] = dict.fromkeys(IDS[:20], 0)
    assert item(grades, []).pool_depth == 0
    assert item(grades, pooled(IDS[:20])).pool_depth == 20
    assert item(grades, pooled(IDS[:30])).pool_depth == 20
    assert item(grades | {IDS[4]: None}, pooled(IDS[:20])).pool_depth == 4
    assert item(grades, [*pooled(IDS[:20]), *pooled([IDS[3], IDS[70]], "dense")]).pool_depth == 1


def test_the_shallowest_source_limits_it_unless_it_had_no_more_to_give() -> None:
    grades: dict[str, int | None] = dict.fromkeys(IDS[:20], 0)
    assert item(grades, [*pooled(IDS[:20]), *pooled(IDS[:7], "dense")]).pool_depth == 7
    assert item(grades, [*pooled(IDS[:20]), *pooled(IDS[:7], "dense", depth=20)]).pool_depth == 20


def test_what_a_source_gave_for_another_question_says_nothing_of_this_one() -> None:
    """Ten candidates of a question that was asked to depth 10 are no gap, however deep another's pool is."""
    grades: dict[str, int | None] = dict.fromkeys(IDS[:10], 0)
    found = item(grades, [*pooled(IDS[:10]), *pooled(IDS, asked="another")])
    assert (found.pool_depth, found.is_gap) == (10, False)
    deep = item(grades, [*pooled(IDS[:10], depth=50), *pooled(IDS, asked="another")])
    assert (deep.pool_depth, deep.is_gap) == (50, True)


def test_a_candidate_that_is_gone_was_not_looked_at() -> None:
    assert item(dict.fromkeys(IDS[:3], 0), pooled([*IDS[:2], "gone", IDS[2]])).pool_depth == 2


@pytest.mark.parametrize(
    ("grades", "depth", "size", "is_gap"),
    [
        (dict.fromkeys(IDS[:50], 1), 50, 80, True),
        (dict.fromkeys(IDS[:50], 0), 60, 80, True),
        (dict.fromkeys(IDS[:49], 0), 49, 80, False),
        (dict.fromkeys(IDS[:49], 0), 50, 80, False),
        (dict.fromkeys(IDS[:50], 0) | {IDS[9]: None}, 50, 80, False),
        (dict.fromkeys(IDS[:50], 0) | {IDS[9]: 2}, 50, 80, False),
        (dict.fromkeys(IDS[:50], 0) | {IDS[9]: 3}, 50, 80, False),
        (dict.fromkeys(IDS[:50], 0) | {IDS[70]: 2}, 50, 80, False),
        (dict.fromkeys(IDS[:50], 0), 0, 80, False),
        (dict.fromkeys(IDS[:12], 1), 12, 12, True),
        (dict.fromkeys(IDS[:12], 1), 12, 13, False),
        (dict.fromkeys(IDS[:11], 1), 12, 12, False),
    ],
)
def test_a_gap_is_a_question_whose_candidates_were_all_looked_at(
    grades: Mapping[str, int | None], depth: int, size: int, is_gap: bool
) -> None:
    found = item(grades, pooled(IDS[:depth]), size)
    assert found.is_gap == is_gap
    if is_gap:
        assert found.state == "unanswered"


def test_an_empty_corpus_has_no_gaps() -> None:
    assert not item({}, [], 0).is_gap


@given(
    st.dictionaries(st.sampled_from(IDS), st.sampled_from([None, 0, 1, 2, 3])),
    st.lists(st.tuples(st.permutations(IDS), st.integers(0, len(IDS))), max_size=3),
)
def test_every_candidate_down_to_the_depth_has_a_grade(
    grades: Mapping[str, int | None], sources: list[tuple[list[str], int]]
) -> None:
    pool = [p for place, (order, cut) in enumerate(sources) for p in pooled(order[:cut], f"source {place}")]
    found = item(grades, pool)
    above = [p.chunk_id for p in pool if p.rank <= found.pool_depth]
    assert all(grades.get(chunk_id) is not None for chunk_id in above)
    if found.is_gap:
        assert all((grade or 0) <= 1 for grade in grades.values())
        assert found.pool_depth >= GAP_DEPTH
