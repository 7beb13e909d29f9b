"""From judgments to the golden set: which chunks answer which question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldgen.text import fold
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
    every twin of these. A chunk that is no longer there is found again by the evidence's quote.
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
        verdicts = [j for question in group for j in by_question[question.id]]
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

    def grades(self, judgments: Sequence[Judgment]) -> dict[str, float]:
        """Chunk id to grade; where two judgments reach one chunk, the higher."""
        grades: dict[str, float] = {}
        for judgment in judgments:
            if judgment.grade is None:
                continue
            for chunk_id in self._reached(judgment):
                grades[chunk_id] = max(grades.get(chunk_id, 0.0), float(judgment.grade))
        return grades

    def _reached(self, judgment: Judgment) -> set[str]:
        reached = {judgment.target_id} & self._by_id.keys()
        if judgment.grade == GOLD and judgment.document_id and judgment.quote:
            for chunk in self._by_document[judgment.document_id]:
                if _holds(chunk, judgment, judged_exists=bool(reached)):
                    reached.add(chunk.id)
        return reached | {
            twin for chunk_id in reached for twin in self._twins[self._by_id[chunk_id].full_text]
        }


def _holds(chunk: Chunk, judgment: Judgment, *, judged_exists: bool) -> bool:
    """Whether a chunk of the same document contains the evidence.

    By offsets while the judged chunk still stands; by the quote once the document was cut anew.
    """
    if judged_exists and judgment.start is not None and judgment.end is not None:
        return chunk.start <= judgment.start and judgment.end <= chunk.end
    return judgment.quote in chunk.text
