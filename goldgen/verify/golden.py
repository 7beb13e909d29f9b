"""From judgments to the golden set: which chunks answer which question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldgen.text import fold
from goldgen.text.quotes import is_substantial
from goldgen.types import GOLD, Chunk, JudgedQuestion, Judgment, Question

State = Literal["golden", "rejected", "unanswered", "unjudged"]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question with where it stands; ``merged`` are ids of questions with the same folded text."""

    question: Question
    state: State
    judged: JudgedQuestion
    merged: tuple[str, ...] = ()

    @property
    def gold(self) -> tuple[str, ...]:
        """Ids of the chunks that answer fully."""
        return tuple(chunk for chunk, grade in self.judged.grades.items() if grade >= GOLD)


def assemble(
    questions: Sequence[Question], judgments: Sequence[Judgment], chunks: Sequence[Chunk]
) -> tuple[GoldenQuestion, ...]:
    """The set as it stands. ``judgments`` hold one verdict a pair, the human one where there is one.

    Gold is every chunk judged gold, every chunk of the same document that contains its evidence, and
    every twin of these. A chunk that is no longer there is found again by the evidence. What a human
    said of a chunk, or of its twin, stands before what follows from a verifier's judgment.
    """
    index = _ChunkIndex(chunks)
    by_question: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_question[judgment.question_id].append(judgment)
    same: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        same[fold(question.text)].append(question)
    golden: list[GoldenQuestion] = []
    for group in same.values():
        verdicts = [j for question in group for j in by_question[question.id] if index.is_of_corpus(j)]
        grades = index.grades(verdicts)
        first = next((q for q in group if _has_gold(index.grades(by_question[q.id]))), group[0])
        judged = JudgedQuestion(first.id, first.cluster, grades)
        merged = tuple(question.id for question in group if question is not first)
        golden.append(GoldenQuestion(first, _state(first, grades, verdicts), judged, merged))
    return tuple(golden)


def _has_gold(grades: Mapping[str, float]) -> bool:
    return any(grade >= GOLD for grade in grades.values())


def _state(question: Question, grades: Mapping[str, float], verdicts: Sequence[Judgment]) -> State:
    if _has_gold(grades):
        return "golden"
    if not verdicts or any(verdict.grade is None for verdict in verdicts):
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

    def is_of_corpus(self, judgment: Judgment) -> bool:
        """Whether a judgment is of a chunk, and not of a near miss."""
        return judgment.document_id is not None or judgment.target_id in self._by_id

    def grades(self, judgments: Sequence[Judgment]) -> dict[str, float]:
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
