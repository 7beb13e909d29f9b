from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk, question

from goldgen.types import Chunk, Judgment, Question
from goldgen.verify import GoldenQuestion, Passage, assemble, evidence_set_id, judged_passages

A = chunk("a", "Basic is in the EU region.", context="Plans")
B = chunk("b", "The EU region keeps data for 30 days.", document="e")
C = chunk("c", "Kept data is encrypted.", document="f")
BOTH, ALL = evidence_set_id("ab"), evidence_set_id("abc")
TWO = replace(question("q", "How long is data of Basic kept?", of=A), evidence_chunks=("a", "b"))
THREE = replace(TWO, evidence_chunks=("a", "b", "c"))
CORPUS = [A, B, C]


def item(
    grades: Mapping[str, int | None],
    human: Mapping[str, int] = {},
    asked: Question = TWO,
    chunks: list[Chunk] = CORPUS,
) -> GoldenQuestion:
    """The question after these verdicts, where a human's stands in the verifier's place."""
    of_chunk = {chunk.id: chunk.document_id for chunk in chunks}
    verdicts = [Judgment("q", t, "judge", grade=g, document_id=of_chunk.get(t)) for t, g in grades.items()]
    humans = [
        Judgment("q", t, "ann", "human", grade=g, document_id=of_chunk.get(t)) for t, g in human.items()
    ]
    (found,) = assemble([asked], [v for v in verdicts if v.target_id not in human] + humans, chunks)
    return found


def test_a_draft_is_judged_by_its_set_and_by_what_is_left_without_each_chunk() -> None:
    by_id = {chunk.id: chunk for chunk in CORPUS}
    assert judged_passages(question(of=A), by_id) == (Passage.of_chunk(A),)
    assert judged_passages(TWO, by_id) == (Passage.of_set([A, B]), Passage.of_chunk(A), Passage.of_chunk(B))
    parts = (Passage.of_set([A, B]), Passage.of_set([A, C]), Passage.of_set([B, C]))
    assert judged_passages(THREE, by_id) == (Passage.of_set([A, B, C]), *parts)
    assert judged_passages(THREE, {"a": A, "b": B}) == ()
    assert judged_passages(question(), by_id) == ()


def test_a_set_is_the_full_texts_in_order_under_an_id_of_its_own() -> None:
    both = Passage.of_set([A, B])
    assert both.text == "Plans\n\nBasic is in the EU region.\n\nThe EU region keeps data for 30 days."
    assert (both.id, both.document_id, both.context) == (BOTH, None, "")
    assert [both.text[start:end] for start, end in both.quotable] == [A.text, B.text]
    assert len({BOTH, ALL, evidence_set_id("ba"), evidence_set_id(["ab"]), "a", "b"}) == 6


NOTHING: set[str] = set()


@pytest.mark.parametrize(
    ("grades", "state", "gold", "sets"),
    [
        ({BOTH: 3, "a": 1, "b": 2}, "golden", {"a", "b"}, (("a", "b"),)),
        ({BOTH: 3, "a": 0, "b": 0}, "golden", {"a", "b"}, (("a", "b"),)),
        ({BOTH: 3, "a": 3, "b": 2}, "golden", {"a"}, ()),
        ({BOTH: 3, "a": 3, "b": 3}, "golden", {"a", "b"}, ()),
        ({BOTH: 2, "a": 1, "b": 2}, "rejected", NOTHING, ()),
        ({BOTH: 3, "a": None, "b": 2}, "unjudged", NOTHING, ()),
        ({BOTH: 3, "b": 2}, "unjudged", NOTHING, ()),
        ({BOTH: None, "a": 1, "b": 2}, "unjudged", NOTHING, ()),
        ({"a": 1, "b": 2}, "unjudged", NOTHING, ()),
        (dict[str, int | None](), "unjudged", NOTHING, ()),
    ],
)
def test_a_set_is_gold_if_it_answers_and_no_part_does(
    grades: Mapping[str, int | None], state: str, gold: set[str], sets: tuple[tuple[str, ...], ...]
) -> None:
    found = item(grades)
    assert (found.state, set(found.gold), found.judged.sets) == (state, gold, sets)


def test_of_three_chunks_no_two_may_suffice() -> None:
    ab, ac, bc = (evidence_set_id(pair) for pair in ("ab", "ac", "bc"))
    assert item({ALL: 3, ab: 2, ac: 1, bc: 2}, asked=THREE).judged.sets == (("a", "b", "c"),)
    assert item({ALL: 3, ab: 3, ac: 1, bc: 2}, asked=THREE).state == "rejected"
    assert item({ALL: 3, ab: 2, ac: 1}, asked=THREE).state == "unjudged"


@pytest.mark.parametrize(
    ("human", "gold", "sets"),
    [
        ({"a": 3, "b": 3}, {"a", "b"}, (("a", "b"),)),
        ({"a": 3}, {"a"}, ()),
        ({BOTH: 3}, {"a", "b"}, (("a", "b"),)),
        ({BOTH: 2}, NOTHING, ()),
        ({BOTH: 2, "a": 3, "b": 3}, {"a", "b"}, ()),
        ({"a": 0}, NOTHING, ()),
        ({"a": 1, "b": 2}, {"a", "b"}, (("a", "b"),)),
    ],
)
def test_what_a_human_says_of_a_set_or_its_chunks_stands(
    human: Mapping[str, int], gold: set[str], sets: tuple[tuple[str, ...], ...]
) -> None:
    found = item({BOTH: 3, "a": 1, "b": 2}, human)
    assert (set(found.gold), found.judged.sets) == (gold, sets)


def test_humans_alone_make_a_set() -> None:
    assert item({}, {"a": 3, "b": 3}).judged.sets == (("a", "b"),)


def test_a_twin_stands_in_for_its_chunk() -> None:
    twin = replace(B, id="twin", document_id="g")
    found = item({BOTH: 3, "a": 1, "b": 2}, chunks=[*CORPUS, twin])
    assert set(found.judged.sets) == {("a", "b"), ("a", "twin")}
    assert set(found.gold) == {"a", "b", "twin"}


def test_a_set_with_a_chunk_that_is_gone_is_no_gold() -> None:
    found = item({BOTH: 3, "a": 1, "b": 2}, chunks=[A, C])
    assert (found.gold, found.judged.sets) == ((), ())


def test_questions_worded_alike_share_their_sets() -> None:
    again = replace(TWO, id="q2", evidence_chunks=())
    verdicts = [
        Judgment("q2", "a", "judge", grade=0, document_id="d"),
        *(Judgment("q", target, "judge", grade=grade) for target, grade in {BOTH: 3, "a": 1, "b": 2}.items()),
    ]
    (found,) = assemble([again, TWO], verdicts, CORPUS)
    assert (found.question, found.merged, found.judged.sets) == (TWO, ("q2",), (("a", "b"),))


GRADES = st.sampled_from([None, 0, 1, 2, 3])


@given(GRADES, GRADES, GRADES)
def test_no_set_has_a_chunk_that_suffices_alone(whole: int | None, a: int | None, b: int | None) -> None:
    found = item({BOTH: whole, "a": a, "b": b})
    assert (found.judged.sets != ()) == (whole == 3 and a in (0, 1, 2) and b in (0, 1, 2))
    if None in (whole, a, b) and 3 not in (a, b):
        assert found.state == "unjudged"


def test_a_human_0_for_a_twin_of_a_chunk_unmakes_the_set() -> None:
    twin = replace(B, id="twin", document_id="g")
    found = item({BOTH: 3, "a": 1, "b": 2}, {"twin": 0}, chunks=[*CORPUS, twin])
    assert (found.gold, found.judged.sets) == ((), ())


def test_a_twin_that_a_human_rejected_stands_in_no_set() -> None:
    twin = replace(B, id="twin", document_id="g")
    found = item({BOTH: 3, "a": 1}, {"b": 2, "twin": 0}, chunks=[*CORPUS, twin])
    assert found.judged.sets == (("a", "b"),)
    assert found.judged.grades["twin"] == 0
