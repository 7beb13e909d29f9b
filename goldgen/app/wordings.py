"""One wording of each draft in the set, though runs of synth may word it differently."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from goldgen.store import Store
from goldgen.synth import LITERAL, ChunkQuestions
from goldgen.types import Question


@dataclass(frozen=True, slots=True)
class Wordings:
    """What the set holds before a run, to tell which questions the run words anew.

    Another wording of a question is its draft, or a rewording with the same evidence, answer and style. The
    newest stands and the others go. But one with a verdict, be it of a model or of a person, never goes: it
    stands, and the new wording stays out. So it does where the call that rewords failed.
    """

    by_chunk: Mapping[str, Sequence[Question]]
    judged: frozenset[str]
    """Ids of the questions with a verdict, be it a failed one, or that a person parted from another."""
    rewrite_hash: str
    """Of the prompt that rewords."""

    @classmethod
    def of(cls, store: Store, rewrite_hash: str) -> "Wordings":
        by_chunk: defaultdict[str, list[Question]] = defaultdict(list)
        for question in store.questions.all("synthetic"):
            if question.chunk_id and not question.evidence_chunks:
                by_chunk[question.chunk_id].append(question)
        judged = {judgment.question_id for judgment in store.judgments.all()}
        parted = {key for pair in store.duplicates.parted() for key in pair}
        return cls(by_chunk, frozenset(judged | parted), rewrite_hash)

    def settled(self, outcome: ChunkQuestions) -> ChunkQuestions:
        """The same with the wordings that stand, the ids of those that go, and how many new ones stay out."""
        stored = self.by_chunk.get(outcome.chunk.id, ())
        made = {question.id for question in outcome.questions}
        left = [q for q in stored if q.id not in made]
        questions: list[Question] = []
        gone: set[str] = set()
        stood = 0
        for question, draft in zip_longest(outcome.questions, outcome.drafts):
            older = [q for q in left if draft and self._is_wording(q, draft)]
            left = [q for q in left if q not in older]
            standing = [q for q in older if q.id in self.judged] or (older[:1] if outcome.failure else [])
            gone |= {q.id for q in older if q not in standing}
            if draft and standing and question.id not in self.judged:
                stood += 1
                gone.add(question.id)
                questions += [_flagged(q, question, draft) for q in standing]
            else:
                questions.append(question)
        replaced = tuple(q.id for q in stored if q.id in gone)
        return replace(outcome, questions=tuple(questions), replaced=replaced, stood=stood)

    def _is_wording(self, stored: Question, draft: Question) -> bool:
        return stored.id == draft.id or (
            stored.prompt_hash == self.rewrite_hash and _evidence(stored) == _evidence(draft)
        )


def _flagged(standing: Question, new: Question, draft: Question) -> Question:
    """A draft that was to be reworded is as literal as it was, though it stands."""
    if standing.id == draft.id != new.id and LITERAL not in standing.flags:
        return replace(standing, flags=(*standing.flags, LITERAL))
    return standing


def _evidence(question: Question) -> tuple[str, str, str, str]:
    return question.style, question.answer, question.quote, question.model
