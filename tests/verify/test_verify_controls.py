from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from judging_helpers import chunk, question

from goldgen.text.quotes import find_quote, states
from goldgen.types import Chunk, Question
from goldgen.verify import make_controls
from goldgen.verify.controls import EASY_CONTROLS


def fact(document: int, part: int) -> str:
    return f"Service {document}-{part} keeps its data for {1000 + 10 * document + part} days."


def page(document: int, part: int) -> Chunk:
    text = (
        f"Owners of service {document}-{part} may read and change every page of it at any time. "
        f"{fact(document, part)} Guests may only look at what was shared with them, and never change it."
    )
    return chunk(f"c{document}-{part}", text, document=f"d{document}", start=1000 * part, position=part)


def corpus(documents: int, parts: int = 4) -> tuple[list[Question], list[Chunk]]:
    chunks = [page(document, part) for document in range(documents) for part in range(parts)]
    questions = [
        question(
            f"q{document}-{part}",
            f"How long does service {document}-{part} keep data?",
            of=page(document, part),
            answer=f"{1000 + 10 * document + part} days",
            quote=fact(document, part),
        )
        for document in range(documents)
        for part in range(parts)
    ]
    return questions, chunks


@given(st.integers(0, 2**32), st.integers(1, 8))
@settings(deadline=None, max_examples=25)
def test_no_control_states_the_answer_of_its_question(seed: int, documents: int) -> None:
    questions, chunks = corpus(documents)
    asked = {item.id: item for item in questions}
    by_text = {item.text: item for item in chunks}
    for control in make_controls(questions, chunks, 5, seed):
        item = asked[control.question_id]
        assert not states(control.full_text, item.answer)
        assert find_quote(control.full_text, item.quote) is None
        assert control.document_id == item.document_id
        assert control.grade is None
        if control.kind == "answer_deleted":
            assert control.text not in by_text
        elif control.kind == "same_document":
            assert by_text[control.text].document_id == item.document_id
            assert by_text[control.text].id != item.chunk_id
        else:
            assert by_text[control.text].document_id != item.document_id


def test_neighbours_become_controls_the_most_alike_first() -> None:
    """Two of a question at most, up to the limit of a kind, and for questions without an answer too."""
    questions, chunks = corpus(4)
    questions = [replace(item, answer="") for item in questions]
    neighbours = {item.id: [page(9, part) for part in range(3)] for item in questions[:3]}
    controls = make_controls(questions, chunks, 5, 0, neighbours)
    assert {control.kind for control in controls} == {"neighbour"}
    assert len(controls) == 5
    by_question = Counter(control.question_id for control in controls)
    assert sorted(by_question.values()) == [1, 2, 2]
    best = {page(9, 0).text, page(9, 1).text}
    assert all(control.text in best for control in controls)
    asked = {item.id: item for item in questions}
    assert all(control.document_id == asked[control.question_id].document_id for control in controls)


def test_neighbours_leave_the_other_controls_as_they_are() -> None:
    questions, chunks = corpus(5)
    plain = make_controls(questions, chunks, 4, 7)
    with_neighbours = make_controls(questions, chunks, 4, 7, {questions[0].id: [page(9, 0)]})
    assert with_neighbours[: len(plain)] == plain
    assert [control.kind for control in with_neighbours[len(plain) :]] == ["neighbour"]


def test_the_same_seed_gives_the_same_controls_and_another_seed_others() -> None:
    first = make_controls(*corpus(5), 4, 7)
    assert make_controls(*corpus(5), 4, 7) == first
    assert make_controls(*corpus(5), 4, 8) != first


def test_each_kind_has_its_own_limit() -> None:
    questions, chunks = corpus(30)
    counts = Counter(control.kind for control in make_controls(questions, chunks, 6, 0))
    assert counts == {"answer_deleted": 6, "same_document": 6, "easy": EASY_CONTROLS}


def test_a_question_gives_two_controls_of_a_kind_at_most_and_ids_are_distinct() -> None:
    controls = make_controls(*corpus(4), 1000, 0)
    assert max(Counter((control.question_id, control.kind) for control in controls).values()) == 2
    assert len({control.id for control in controls}) == len(controls)


def test_a_heading_that_completes_the_answer_makes_no_control() -> None:
    """The answer is told by heading and text together, so that deleting its sentence does not delete it."""
    own = replace(
        page(0, 0),
        context="Service 0-0 keeps its data",
        text=f"{page(0, 0).text} Once more: for 1000 days.",
    )
    asked = question(of=own, answer="keeps its data for 1000 days", quote=fact(0, 0))
    controls = make_controls([asked], [own], 5, 0)
    assert [control for control in controls if control.kind == "answer_deleted"] == []


def test_overlapping_chunks_twins_and_questions_without_answer_give_no_control() -> None:
    own = page(0, 0)
    overlapping = replace(own, id="o", text=own.text[10:], start=10)
    twin = replace(own, id="t", start=5000, end=5000 + len(own.text), position=9)
    asked = question(of=own, answer="no such answer", quote="not there")
    assert make_controls([asked], [own, overlapping, twin], 5, 0) == ()
    assert make_controls([replace(asked, answer="")], [own, page(0, 1)], 5, 0) == ()
    assert make_controls([replace(asked, chunk_id="gone")], [own, page(0, 1)], 5, 0) == ()


def test_equal_text_below_another_heading_is_another_control() -> None:
    own = page(0, 0)
    siblings = [
        replace(page(0, 1), id=key, context=key, start=start, end=start + 500)
        for key, start in (("left", 1000), ("right", 2000))
    ]
    asked = question(of=own, answer="1000 days", quote=fact(0, 0))
    controls = make_controls([asked], [own, *siblings], 5, 0)
    assert {item.context for item in controls if item.kind == "same_document"} == {"left", "right"}
    assert len({item.id for item in controls}) == len(controls)


def test_a_question_that_needs_several_chunks_gives_no_deleted_answer() -> None:
    """One of its chunks alone answers nothing, also before the answer is deleted."""
    questions, chunks = corpus(4)
    together = [replace(item, evidence_chunks=(item.chunk_id or "", "other")) for item in questions]
    plain, of_sets = (
        Counter(control.kind for control in make_controls(items, chunks, 5, 0))
        for items in (questions, together)
    )
    assert (plain["answer_deleted"], of_sets["answer_deleted"]) == (5, 0)
    assert plain["same_document"] == of_sets["same_document"] == 5
