"""From judgments to the golden set: which chunks answer which question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal

from goldgen.text import fold
from goldgen.text.quotes import is_substantial, states
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
    """
    index = _ChunkIndex(chunks)
    depths = PoolDepths(pool, frozenset(chunk.id for chunk in chunks))
    by_question: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_question[judgment.question_id].append(judgment)
    pooled: dict[str, set[str]] = defaultdict(set)
    for candidate in pool:
        pooled[candidate.question_id].add(candidate.chunk_id)
    same: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        same[fold(question.text)].append(question)
    golden: list[GoldenQuestion] = []
    for group in same.values():
        labels = index.labels(group, by_question)
        first = next((q for q in group if index.labels([q], by_question).has_gold), group[0])
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


@dataclass(frozen=True, slots=True)
class _Labels:
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


def _state(question: Question, labels: _Labels, *, has_all: bool) -> State:
    if labels.has_gold:
        return "golden"
    if not has_all:
        return "unjudged"
    return "unanswered" if _is_searched(question) else "rejected"


def _is_searched(question: Question) -> bool:
    """Whether no chunk was named for the question, so that only a search can find what answers it."""
    return question.chunk_id is None


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
        return _Labels(grades | together, tuple(found), is_complete, is_scored)

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
