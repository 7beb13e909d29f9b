"""From judgments to the golden set: which chunks answer which question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldgen.types import GOLD, Chunk, JudgedQuestion, Judgment, Pooled, Question
from goldgen.verify.alike import WordedAlike
from goldgen.verify.chunk_labels import ChunkLabels, Labels
from goldgen.verify.pool_depth import PoolDepths

State = Literal["golden", "rejected", "unanswered", "unjudged"]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question with where it stands; ``merged`` are ids of the questions that it stands for: with the same
    folded text, or near duplicates."""

    question: Question
    state: State
    judged: JudgedQuestion
    merged: tuple[str, ...] = ()
    pool_depth: int = 0
    """How deep the pool of candidates is judged without a gap, see ``PoolDepths``; 0 without a pool."""
    is_gap: bool = False
    """No chunk answers, see ``PoolDepths.is_gap``; without it, the pool may have missed the gold."""
    threshold: float = GOLD
    """The grade from which a chunk is gold."""

    @property
    def gold(self) -> tuple[str, ...]:
        """Ids of the chunks that answer fully."""
        return tuple(chunk for chunk, grade in self.judged.grades.items() if grade >= self.threshold)


def assemble(
    questions: Sequence[Question],
    judgments: Sequence[Judgment],
    chunks: Sequence[Chunk],
    pool: Sequence[Pooled] = (),
    kept_for: Mapping[str, str] | None = None,
) -> tuple[GoldenQuestion, ...]:
    """The set as it stands. ``judgments`` hold one verdict a pair, the human one where there is one.

    Gold is every chunk judged gold, every chunk of the same document that contains its evidence, and
    every twin of these. A chunk that is no longer there is found again by the evidence. What a human
    said of a chunk stands before what was said of its twin, that before what follows from evidence that a
    human saw elsewhere, and all of it before a verifier's judgment. Chunks that only together are gold form
    an evidence set, see ``is_gold_set``, and so do their twins.

    A question that no chunk was named for is unanswered only once all of its ``pool`` is judged, or enough of
    it for a gap of the corpus, and something of the page that its log names. It is no gap if the judge has
    scores: such a judge knows no "on topic".

    Questions with the same folded text are one, and so are those that ``kept_for`` names (see ``undisputed``)
    with the one that is kept for them. Of its wording the one with gold counts, else one by hand, then one of
    a log, then the one asked most often.
    """
    index = ChunkLabels(chunks)
    depths = PoolDepths(pool, frozenset(chunk.id for chunk in chunks))
    by_question: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_question[judgment.question_id].append(judgment)
    pooled: dict[str, set[str]] = defaultdict(set)
    for candidate in pool:
        pooled[candidate.question_id].add(candidate.chunk_id)
    golden: list[GoldenQuestion] = []
    for kept, group in WordedAlike(questions).groups(kept_for or {}):
        labels = index.labels(group, by_question)
        first = next((q for q in kept if index.labels([q], by_question).has_gold), kept[0])
        ids = [question.id for question in group]
        candidates = set[str]().union(*(pooled.get(question_id, ()) for question_id in ids))
        is_page_open = bool(candidates) and index.is_page_open(first, labels.grades)
        is_gap = not (labels.is_scored or is_page_open) and depths.is_gap(ids, labels.grades)
        is_judged = is_gap or not _is_searched(first) or index.are_judged(candidates, labels.grades)
        has_all = labels.is_complete and is_judged and not is_page_open
        golden.append(
            GoldenQuestion(
                first,
                _state(first, labels, has_all=has_all),
                JudgedQuestion(first.id, first.cluster, labels.grades, labels.sets),
                merged=tuple(question_id for question_id in ids if question_id != first.id),
                pool_depth=depths.judged(ids, labels.grades),
                is_gap=is_gap,
            )
        )
    return tuple(golden)


def as_imported(
    questions: Sequence[Question], grades: Mapping[str, Mapping[str, float]], threshold: float
) -> tuple[GoldenQuestion, ...]:
    """A set that was made elsewhere, as it came: no question is merged, and no label follows from another.

    ``grades``: question id to chunk id to grade, on whatever scale; gold is what reaches ``threshold``.
    """
    return tuple(
        GoldenQuestion(
            question,
            _imported_state(found := grades.get(question.id, {}), threshold),
            JudgedQuestion(question.id, question.cluster, found),
            threshold=threshold,
        )
        for question in questions
    )


def _imported_state(grades: Mapping[str, float], threshold: float) -> State:
    if not grades:
        return "unjudged"
    return "golden" if max(grades.values()) >= threshold else "unanswered"


def _state(question: Question, labels: Labels, *, has_all: bool) -> State:
    if labels.has_gold:
        return "golden"
    if not has_all:
        return "unjudged"
    return "unanswered" if _is_searched(question) else "rejected"


def _is_searched(question: Question) -> bool:
    """Whether no chunk was named for the question, so that only a search can find what answers it."""
    return question.chunk_id is None
