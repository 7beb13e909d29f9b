"""When chunks that answer together are gold, and what must be judged to know it."""

from collections.abc import Mapping, Sequence

from goldgen.types import GOLD, Judgment, Question
from goldgen.verify.judging import evidence_set_id, proper_parts, target_id


def set_targets(question: Question) -> tuple[str, ...]:
    """The ids that must be judged for a question with an evidence set: the set's and its proper parts'.

    Empty for a question that one chunk is to answer.
    """
    members = question.evidence_chunks
    if len(members) < 2:
        return ()
    return (evidence_set_id(members), *map(target_id, proper_parts(members)))


def is_gold_set(
    question: Question,
    judgments: Sequence[Judgment],
    grades: Mapping[str, float],
    human: Mapping[str, float],
) -> bool:
    """Whether the question's evidence set answers together and no proper part of it alone.

    ``judgments`` are those of the question, ``grades`` those that its chunks have for themselves: one with
    grade 3 is gold by itself and makes no set. ``human``: what people said of chunks or their twins. A human
    who gives every chunk of the set grade 3 makes it gold without more; one who gives the set less than 3, or
    a chunk of it 0, unmakes it. Grade 1 or 2 from a human for a chunk alone agrees with the set.
    """
    members = question.evidence_chunks
    if len(members) < 2:
        return False
    verdicts = {judgment.target_id: judgment for judgment in judgments}
    whole, *parts = (verdicts.get(target) for target in set_targets(question))
    is_refused = whole is not None and whole.judge_kind == "human" and whole.grade not in (None, GOLD)
    if is_refused or any(human.get(chunk) == 0 for chunk in members):
        return False
    if all(human.get(chunk) == GOLD for chunk in members):
        return True
    return (
        _grade(whole) == GOLD
        and all(grade is not None and grade < GOLD for grade in map(_grade, parts))
        and all(grades.get(chunk, 0) < GOLD for chunk in members)
    )


def _grade(judgment: Judgment | None) -> int | None:
    return judgment.grade if judgment else None
