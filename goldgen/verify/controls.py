"""Controls: pairs with a verdict known by construction, seeded blind among the real ones."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from goldgen.text import stable_id
from goldgen.text.quotes import states, without_answer
from goldgen.types import Chunk, Control, ControlKind, Question

HARD_KINDS: tuple[ControlKind, ...] = ("answer_deleted", "same_document", "neighbour")
"""Reported each by itself and never pooled; the worst of them decides."""
EASY_CONTROLS = 20
_MOST_OF_A_QUESTION = 2
"""Controls of one kind: more of the same question say little more."""
_NONE: Mapping[str, Sequence[Chunk]] = {}


def make_controls(
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    per_kind: int,
    seed: int,
    neighbours: Mapping[str, Sequence[Chunk]] = _NONE,
) -> tuple[Control, ...]:
    """Up to ``per_kind`` negatives of each hard kind, and a few easy ones.

    answer_deleted: the question's own chunk without the sentences that state the answer.
    same_document: another chunk of its document that does not state the answer.
    neighbour: one of ``neighbours``, chunks by question id that a human says do not answer it, the most
    alike first. A model's word would make a control of what it is to be tested on.
    easy: a chunk of another document that does not state it.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    by_document: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        by_document[chunk.document_id].append(chunk)
    rng = random.Random(seed)
    usable = [q for q in questions if q.answer and q.chunk_id in by_id]
    rng.shuffle(usable)
    controls: dict[str, Control] = {}
    counts: dict[ControlKind, int] = defaultdict(int)

    def add(question: Question, kind: ControlKind, document_id: str, text: str, context: str) -> None:
        limit = EASY_CONTROLS if kind == "easy" else per_kind
        key = stable_id("control", question.id, kind, context, text)
        if counts[kind] < limit and key not in controls:
            counts[kind] += 1
            controls[key] = Control(key, question.id, kind, document_id, text, context)

    for question in usable:
        own = by_id[question.chunk_id or ""]
        for kind, chunk, text in _negatives(question, own, by_document, chunks, rng):
            add(question, kind, own.document_id, text, chunk.context)
    with_neighbours = [question for question in questions if question.id in neighbours]
    rng.shuffle(with_neighbours)
    for question in with_neighbours:
        for chunk in neighbours[question.id][:_MOST_OF_A_QUESTION]:
            # The question's document: by it a judge's thresholds are kept apart from what tests them.
            document_id = question.document_id or chunk.document_id
            add(question, "neighbour", document_id, chunk.text, chunk.context)
    return tuple(controls.values())


def _negatives(
    question: Question,
    own: Chunk,
    by_document: dict[str, list[Chunk]],
    chunks: Sequence[Chunk],
    rng: random.Random,
) -> list[tuple[ControlKind, Chunk, str]]:
    found: list[tuple[ControlKind, Chunk, str]] = []
    # One chunk of several that answer together answers nothing alone, so there is nothing to delete from it.
    is_whole = len(question.evidence_chunks) < 2
    deleted = without_answer(own.text, question.answer, question.quote) if is_whole else None
    if deleted is not None and not states(f"{own.context}\n\n{deleted}", question.answer):
        found.append(("answer_deleted", own, deleted))
    siblings = [c for c in by_document[own.document_id] if _is_negative(question, own, c)]
    found.extend(
        ("same_document", c, c.text) for c in rng.sample(siblings, min(_MOST_OF_A_QUESTION, len(siblings)))
    )
    stranger = rng.choice(chunks)
    if stranger.document_id != own.document_id and not states(stranger.full_text, question.answer):
        found.append(("easy", stranger, stranger.text))
    return found


def _is_negative(question: Question, own: Chunk, other: Chunk) -> bool:
    """Another chunk that shares no text with the own one and does not state the answer."""
    overlaps = other.start < own.end and own.start < other.end
    return not overlaps and other.text != own.text and not states(other.full_text, question.answer)
