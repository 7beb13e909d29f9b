"""From judgments to the golden set: which chunks answer which question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal

from goldgen.text import fold
from goldgen.text.quotes import is_substantial
from goldgen.types import GOLD, Chunk, JudgedQuestion, Judgment, Pooled, Question
from goldgen.verify.pool_depth import PoolDepths
from goldgen.verify.sets import is_gold_set, set_targets

State = Literal["golden", "rejected", "unanswered", "unjudged"]
_MOST_TWIN_SETS = 64
"""Of one evidence set with its twins, so that chunks with very many twins do not multiply."""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question with where it stands; ``merged`` are ids of questions with the same folded text."""

    question: Question
    state: State
    judged: JudgedQuestion
    merged: tuple[str, ...] = ()
    pool_depth: int = 0
    """How deep the pool of candidates is judged without a gap, see ``PoolDepths``; 0 without a pool."""
    is_gap: bool = False
    """No chunk answers, see ``PoolDepths.is_gap``; without it, the pool may have missed the gold."""

    @property
    def gold(self) -> tuple[str, ...]:
        """Ids of the chunks that answer fully."""
        return tuple(chunk for chunk, grade in self.judged.grades.items() if grade >= GOLD)


def assemble(
    questions: Sequence[Question],
    judgments: Sequence[Judgment],
    chunks: Sequence[Chunk],
    pool: Sequence[Pooled] = (),
) -> tuple[GoldenQuestion, ...]:
    """The set as it stands. ``judgments`` hold one verdict a pair, the human one where there is one.

    Gold is every chunk judged gold, every chunk of the same document that contains its evidence, and
    every twin of these. A chunk that is no longer there is found again by the evidence. What a human
    said of a chunk, or of its twin, stands before what follows from a verifier's judgment. Chunks that only
    together are gold form an evidence set, see ``is_gold_set``, and so do their twins.
    """
    index = _ChunkIndex(chunks)
    depths = PoolDepths(pool, frozenset(chunk.id for chunk in chunks))
    by_question: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_question[judgment.question_id].append(judgment)
    same: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        same[fold(question.text)].append(question)
    golden: list[GoldenQuestion] = []
    for group in same.values():
        labels = index.labels(group, by_question)
        first = next((q for q in group if index.labels([q], by_question).has_gold), group[0])
        ids = [question.id for question in group]
        golden.append(
            GoldenQuestion(
                first,
                _state(first, labels),
                JudgedQuestion(first.id, first.cluster, labels.grades, labels.sets),
                merged=tuple(question_id for question_id in ids if question_id != first.id),
                pool_depth=depths.judged(ids, labels.grades),
                is_gap=depths.is_gap(ids, labels.grades),
            )
        )
    return tuple(golden)


@dataclass(frozen=True, slots=True)
class _Labels:
    """What the judgments of questions that are one make of the chunks."""

    grades: Mapping[str, float]
    sets: tuple[tuple[str, ...], ...]
    is_complete: bool
    """There are verdicts, and none that is needed is missing."""

    @property
    def has_gold(self) -> bool:
        return any(grade >= GOLD for grade in self.grades.values())


def _state(question: Question, labels: _Labels) -> State:
    if labels.has_gold:
        return "golden"
    if not labels.is_complete:
        return "unjudged"
    return "unanswered" if question.origin == "log" else "rejected"


class _ChunkIndex:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._by_id = {chunk.id: chunk for chunk in chunks}
        self._by_document: dict[str, list[Chunk]] = defaultdict(list)
        self._twins: dict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            self._by_document[chunk.document_id].append(chunk)
            self._twins[chunk.full_text].append(chunk.id)

    def labels(self, group: Sequence[Question], by_question: Mapping[str, Sequence[Judgment]]) -> _Labels:
        """The labels from the judgments of questions that are one; those of near misses are left out."""
        needed = {target for question in group for target in set_targets(question)}
        judgments = [j for question in group for j in by_question.get(question.id, ())]
        verdicts = [j for j in judgments if j.target_id in needed or self._is_of_corpus(j)]
        grades = self._grades(verdicts)
        found = dict.fromkeys(
            with_twins
            for question in group
            if is_gold_set(question, by_question.get(question.id, ()), grades)
            for with_twins in self._sets_of_twins(question.evidence_chunks)
        )
        together = {chunk_id: float(GOLD) for chunk_ids in found for chunk_id in chunk_ids}
        has_all = needed <= {j.target_id for j in verdicts}
        is_complete = bool(verdicts) and has_all and all(j.grade is not None for j in verdicts)
        return _Labels(grades | together, tuple(found), is_complete)

    def _is_of_corpus(self, judgment: Judgment) -> bool:
        return judgment.document_id is not None or judgment.target_id in self._by_id

    def _sets_of_twins(self, chunk_ids: Sequence[str]) -> list[tuple[str, ...]]:
        """The set with each chunk or a twin in its place; none if a chunk is gone."""
        if not self._by_id.keys() >= set(chunk_ids):
            return []
        # The chunk itself before its twins, so that the set as it was judged is among the first.
        places = [
            list(dict.fromkeys([chunk_id, *self._twins[self._by_id[chunk_id].full_text]]))
            for chunk_id in chunk_ids
        ]
        sets = (chosen for chosen in product(*places) if len(set(chosen)) == len(chosen))
        return list(islice(sets, _MOST_TWIN_SETS))

    def _grades(self, judgments: Sequence[Judgment]) -> dict[str, float]:
        """Chunk id to grade; where two judgments of one kind of judge reach one chunk, the higher."""
        by_kind: dict[str, dict[str, float]] = {"verifier": {}, "human": {}}
        for judgment in judgments:
            if judgment.grade is None:
                continue
            grades = by_kind[judgment.judge_kind]
            for chunk_id in self._reached(judgment):
                grades[chunk_id] = max(grades.get(chunk_id, 0.0), float(judgment.grade))
        return by_kind["verifier"] | by_kind["human"]

    def _reached(self, judgment: Judgment) -> set[str]:
        reached = {judgment.target_id} & self._by_id.keys()
        if judgment.grade == GOLD and judgment.document_id and judgment.quote:
            reached.update(self._holding(judgment, judgment.document_id))
        return reached | {
            twin for chunk_id in reached for twin in self._twins[self._by_id[chunk_id].full_text]
        }

    def _holding(self, judgment: Judgment, document_id: str) -> list[str]:
        """The chunks of the document that contain the evidence.

        By its place; where that is lost, since the document was changed, by a quote that says enough.
        """
        chunks = self._by_document[document_id]
        start = self._evidence_start(judgment, chunks)
        if start is not None:
            end = start + len(judgment.quote)
            return [chunk.id for chunk in chunks if chunk.start <= start and end <= chunk.end]
        if not is_substantial(judgment.quote, ""):
            return []
        return [chunk.id for chunk in chunks if judgment.quote in chunk.text]

    def _evidence_start(self, judgment: Judgment, chunks: Sequence[Chunk]) -> int | None:
        """Where the evidence now starts in its document: text before it may have come or gone since."""
        judged = self._by_id.get(judgment.target_id)
        if judgment.start is not None:
            for chunk in chunks if judged is None else (judged,):
                offset = judgment.start - chunk.start
                if offset >= 0 and chunk.text.startswith(judgment.quote, offset):
                    return judgment.start
        if judged is None or judgment.quote not in judged.text:
            return None
        return judged.start + judged.text.index(judgment.quote)
