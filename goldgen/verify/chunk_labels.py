"""What judgments make of the chunks of a corpus."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice, product

from goldgen.text.quotes import is_substantial, states
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify.sets import is_gold_set, set_targets

_MOST_TWIN_SETS = 64
"""Of one evidence set with its twins, so that chunks with very many twins do not multiply."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What the judgments of questions that are one make of the chunks."""

    grades: Mapping[str, float]
    sets: tuple[tuple[str, ...], ...]
    is_complete: bool
    """There are verdicts, and none that is needed is missing."""
    is_scored: bool
    """A verdict that counts is by a judge with scores."""

    @property
    def has_gold(self) -> bool:
        return any(grade >= GOLD for grade in self.grades.values())


def _highest(reached: Iterable[tuple[Judgment, Set[str]]]) -> dict[str, float]:
    """Chunk id to the highest grade of the judgments that reach it."""
    grades: dict[str, float] = {}
    for judgment, chunk_ids in reached:
        if judgment.grade is not None:
            for chunk_id in chunk_ids:
                grades[chunk_id] = max(grades.get(chunk_id, 0.0), float(judgment.grade))
    return grades


def _holds_its_answer(judgment: Judgment) -> bool:
    """Whether chunks that contain the evidence are gold too: not if it leaves the answer out."""
    stated = judgment.judge_kind == "human" or not judgment.answer or states(judgment.quote, judgment.answer)
    return bool(judgment.quote) and stated


class ChunkLabels:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._by_id = {chunk.id: chunk for chunk in chunks}
        self._by_document: dict[str, list[Chunk]] = defaultdict(list)
        self._twins: dict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            self._by_document[chunk.document_id].append(chunk)
            self._twins[chunk.full_text].append(chunk.id)

    def labels(self, group: Sequence[Question], by_question: Mapping[str, Sequence[Judgment]]) -> Labels:
        """The labels from the judgments of questions that are one; those of near misses are left out."""
        needed = {target for question in group for target in set_targets(question)}
        judgments = [j for question in group for j in by_question.get(question.id, ())]
        verdicts = [j for j in judgments if j.target_id in needed or self._is_of_corpus(j)]
        human = self._human_grades(verdicts)
        grades = self._derived_grades(verdicts) | human
        found = dict.fromkeys(
            with_twins
            for question in group
            if is_gold_set(question, by_question.get(question.id, ()), grades, human)
            for with_twins in self._sets_of_twins(question.evidence_chunks)
            if all(human.get(chunk_id) != 0 for chunk_id in with_twins)
        )
        together = {chunk_id: float(GOLD) for chunk_ids in found for chunk_id in chunk_ids}
        has_all = needed <= {j.target_id for j in verdicts}
        is_complete = bool(verdicts) and has_all and all(j.grade is not None for j in verdicts)
        is_scored = any(j.judge_kind == "verifier" and j.score is not None for j in verdicts)
        return Labels(grades | together, tuple(found), is_complete, is_scored)

    def are_judged(self, candidates: Set[str], grades: Mapping[str, float]) -> bool:
        """Whether all candidates that are still there have grades."""
        return candidates & self._by_id.keys() <= grades.keys()

    def is_page_open(self, question: Question, grades: Mapping[str, float]) -> bool:
        """Whether a log names a page for the question, of which no chunk has a grade."""
        if question.origin != "log" or question.document_id is None:
            return False
        page = {chunk.id for chunk in self._by_document.get(question.document_id, ())}
        return bool(page) and not page & grades.keys()

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

    def _derived_grades(self, judgments: Sequence[Judgment]) -> dict[str, float]:
        """Chunk id to the grade that follows from judgments, of chunks that hold the evidence too."""
        by_kind = {
            kind: _highest((j, self._reached(j)) for j in judgments if j.judge_kind == kind)
            for kind in ("verifier", "human")
        }
        return by_kind["verifier"] | by_kind["human"]

    def _human_grades(self, judgments: Sequence[Judgment]) -> dict[str, float]:
        """What people said of chunks themselves or, where they said nothing of one, of its twins."""
        human = [j for j in judgments if j.judge_kind == "human" and j.target_id in self._by_id]
        of_twins = _highest((j, self._with_twins({j.target_id})) for j in human)
        return of_twins | _highest((j, {j.target_id}) for j in human)

    def _reached(self, judgment: Judgment) -> set[str]:
        reached = {judgment.target_id} & self._by_id.keys()
        if judgment.grade == GOLD and judgment.document_id and _holds_its_answer(judgment):
            reached.update(self._holding(judgment, judgment.document_id))
        return self._with_twins(reached)

    def _with_twins(self, chunk_ids: Set[str]) -> set[str]:
        return {twin for i in chunk_ids for twin in self._twins[self._by_id[i].full_text]}

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
