"""Controls: pairs with a verdict known by construction, seeded blind among the real ones."""

import random
from collections import defaultdict
from collections.abc import Sequence

from goldgen.text import stable_id
from goldgen.text.quotes import states, without_answer
from goldgen.types import Chunk, Control, ControlKind, Question, Split

HARD_KINDS: tuple[ControlKind, ...] = ("answer_deleted", "same_document")
"""Reported each by itself and never pooled; the worst of them decides."""
EASY_CONTROLS = 20


def make_controls(
    questions: Sequence[Question], chunks: Sequence[Chunk], per_kind: int, seed: int, *, calibrate: bool
) -> tuple[Control, ...]:
    """Up to ``per_kind`` negatives of each hard kind and split, and a few easy ones.

    answer_deleted: the question's own chunk without the sentences that state the answer.
    same_document: another chunk of its document that does not state the answer.
    easy: a chunk of another document that does not state it.
    With ``calibrate`` the documents are divided into halves, so that a threshold set on one is tested on
    the other; without, every control is a test. A question gives at most two controls of a kind, since
    more of the same question say little more.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    by_document: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        by_document[chunk.document_id].append(chunk)
    rng = random.Random(seed)
    usable = [q for q in questions if q.answer and q.chunk_id in by_id]
    rng.shuffle(usable)
    splits = _splits([q.document_id or "" for q in usable], rng, calibrate=calibrate)
    controls: list[Control] = []
    counts: dict[tuple[ControlKind, Split], int] = defaultdict(int)
    for question in usable:
        own = by_id[question.chunk_id or ""]
        split = splits[own.document_id]
        for kind, chunk, text in _negatives(question, own, by_document, chunks, rng):
            limit = EASY_CONTROLS if kind == "easy" else per_kind
            if counts[kind, split] < limit:
                counts[kind, split] += 1
                key = stable_id("control", question.id, kind, text)
                controls.append(Control(key, question.id, kind, split, own.document_id, text, chunk.context))
    return tuple(controls)


def _splits(documents: Sequence[str], rng: random.Random, *, calibrate: bool) -> dict[str, Split]:
    distinct = sorted(set(documents))
    if not calibrate:
        return dict.fromkeys(distinct, "test")
    rng.shuffle(distinct)
    half = len(distinct) // 2
    return {document: "calibration" if i < half else "test" for i, document in enumerate(distinct)}


def _negatives(
    question: Question,
    own: Chunk,
    by_document: dict[str, list[Chunk]],
    chunks: Sequence[Chunk],
    rng: random.Random,
) -> list[tuple[ControlKind, Chunk, str]]:
    found: list[tuple[ControlKind, Chunk, str]] = []
    deleted = without_answer(own.text, question.answer, question.quote)
    if deleted is not None and not states(own.context, question.answer):
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
