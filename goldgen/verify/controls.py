"""Controls: pairs with a verdict known by construction, seeded blind among the real ones."""

import random
from collections import defaultdict
from collections.abc import Sequence

from goldgen.text import stable_id
from goldgen.text.quotes import states, without_answer
from goldgen.types import Chunk, Control, ControlKind, Question

HARD_KINDS: tuple[ControlKind, ...] = ("answer_deleted", "same_document")
"""Reported each by itself and never pooled; the worst of them decides."""
EASY_CONTROLS = 20


def make_controls(
    questions: Sequence[Question], chunks: Sequence[Chunk], per_kind: int, seed: int
) -> tuple[Control, ...]:
    """Up to ``per_kind`` negatives of each hard kind, and a few easy ones.

    answer_deleted: the question's own chunk without the sentences that state the answer.
    same_document: another chunk of its document that does not state the answer.
    easy: a chunk of another document that does not state it.
    A question gives at most two controls of a kind, since more of the same question say little more.
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
    for question in usable:
        own = by_id[question.chunk_id or ""]
        for kind, chunk, text in _negatives(question, own, by_document, chunks, rng):
            limit = EASY_CONTROLS if kind == "easy" else per_kind
            key = stable_id("control", question.id, kind, chunk.context, text)
            if counts[kind] < limit and key not in controls:
                counts[kind] += 1
                controls[key] = Control(key, question.id, kind, own.document_id, text, chunk.context)
    return tuple(controls.values())


def _negatives(
    question: Question,
    own: Chunk,
    by_document: dict[str, list[Chunk]],
    chunks: Sequence[Chunk],
    rng: random.Random,
) -> list[tuple[ControlKind, Chunk, str]]:
    found: list[tuple[ControlKind, Chunk, str]] = []
    deleted = without_answer(own.text, question.answer, question.quote)
    if deleted is not None and not states(f"{own.context}\n\n{deleted}", question.answer):
        found.append(("answer_deleted", own, deleted))
    siblings = [c for c in by_document[own.document_id] if _is_negative(question, own, c)]
    found.extend(("same_document", c, c.text) for c in rng.sample(siblings, min(2, len(siblings))))
    stranger = rng.choice(chunks)
    if stranger.document_id != own.document_id and not states(stranger.full_text, question.answer):
        found.append(("easy", stranger, stranger.text))
    return found


def _is_negative(question: Question, own: Chunk, other: Chunk) -> bool:
    """Another chunk that shares no text with the own one and does not state the answer."""
    overlaps = other.start < own.end and own.start < other.end
    return not overlaps and other.text != own.text and not states(other.full_text, question.answer)
