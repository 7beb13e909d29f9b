"""What people said of pairs, where it tests the verifier."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.app.adding import VOUCHED
from goldgen.retrieve import BM25Retriever
from goldgen.store import Store
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify import HumanLabels
from goldgen.verify.judging import target_id


@dataclass(frozen=True, slots=True)
class HumanVerdicts:
    """The grades by people that count, one a pair."""

    blind: tuple[Judgment, ...]
    """Of pairs on which no verifier has a verdict, so that none brought them before a person."""
    vouched: tuple[Judgment, ...]
    """Golds that came with a question by hand: the only ones whose choice no verdict had a part in."""

    @classmethod
    def of(cls, store: Store) -> "HumanVerdicts":
        verdicts = store.judgments.all()
        drawn = {j.pair for j in verdicts if j.sampled}
        machine = {j.pair for j in verdicts if j.judge_kind == "verifier" and j.grade is not None}
        human = [j for j in store.judgments.effective() if j.judge_kind == "human" and j.grade is not None]
        by_hand = {question.id for question in store.questions.all("manual")}
        vouched = {j.pair for j in verdicts if j.reason == VOUCHED and j.question_id in by_hand}
        return cls(
            blind=tuple(j for j in human if j.pair not in drawn | machine),
            vouched=tuple(j for j in human if j.pair in vouched and j.grade == GOLD),
        )

    def neighbours(self, questions: Sequence[Question], chunks: Sequence[Chunk]) -> dict[str, list[Chunk]]:
        """For each question the chunks that do not answer it, those that bm25 ranks highest first.

        Only those that no verifier has judged: of what a verifier accepted, people look at the doubtful, and
        it would be bound to fail at these. For the same reason a question's own chunk is left out.
        """
        by_id = {chunk.id: chunk for chunk in chunks}
        rejected: dict[str, set[str]] = defaultdict(set)
        for judgment in self.blind:
            if judgment.grade != GOLD and judgment.target_id in by_id:
                rejected[judgment.question_id].add(judgment.target_id)
        for question in questions:
            rejected[question.id] -= {question.chunk_id or "", *question.evidence_chunks}
        asked = [question for question in questions if rejected[question.id]]
        if not asked:
            return {}
        bm25 = BM25Retriever(chunks)
        neighbours: dict[str, list[Chunk]] = {}
        for question in asked:
            wanted = rejected[question.id]
            hits = bm25.search(question.text, len(wanted), frozenset(by_id.keys() - wanted))
            ranked = [hit.chunk_id for hit in hits]
            neighbours[question.id] = [by_id[i] for i in (*ranked, *sorted(wanted.difference(ranked)))]
        return neighbours

    def labels(self, store: Store, verifier: str, questions: Sequence[Question]) -> HumanLabels:
        """How the verifier's stored verdicts compare with them.

        Golds are the vouched ones that ``questions`` were written for: people mostly review what a verifier
        was in doubt of, so its share of golds from review would say how pairs were picked.
        """
        own = {(q.id, target_id(q.evidence_chunks or (q.chunk_id or "",))) for q in questions}
        accepted = {
            j.pair: j.grade == GOLD
            for j in store.judgments.all()
            if j.judge_kind == "verifier" and j.judge == verifier and j.grade is not None
        }
        gold_pairs = own.intersection(j.pair for j in self.vouched)
        golds = [accepted[pair] for pair in gold_pairs if pair in accepted]
        return HumanLabels(len(golds), sum(golds))
