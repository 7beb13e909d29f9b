"""How far the judges of a set agree, and what people's verdicts say of it."""

from dataclasses import dataclass
from pathlib import Path

from goldgen.store import open_store
from goldgen.verify.agreement import (
    AgainstPeople,
    Agreement,
    JudgeName,
    TrustedFigure,
    against_people,
    agreements,
    disputes,
    trusted_figure,
)


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair that one judge calls gold and another does not."""

    question_id: str
    question: str
    target_id: str
    """The id of a chunk, a near miss or an evidence set."""
    grades: tuple[tuple[JudgeName, int], ...]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement of every two judges, what people say of the verifiers and of the set."""

    agreements: tuple[Agreement, ...]
    verifiers: tuple[AgainstPeople, ...]
    trusted: TrustedFigure | None
    """None: nobody has read a random sample."""
    disputed: int
    """Pairs in dispute, listed or not."""
    disputes: tuple[DisputedPair, ...]
    """The widest apart first."""
    judges: tuple[JudgeName, ...]
    """Everyone who graded a pair."""


def agreement(db: Path, limit: int = 20) -> AgreementReport:
    """Compare the judges of a set, and list ``limit`` (0: all) of the pairs in dispute.

    Raises StoreError if there is no set.
    """
    with open_store(db, read_only=True) as store:
        judgments = store.judgments.all()
        texts = {question.id: question.text for question in store.questions.all()}
    found = disputes(judgments)
    return AgreementReport(
        agreements=agreements(judgments),
        verifiers=against_people(judgments),
        trusted=trusted_figure(judgments),
        disputed=len(found),
        disputes=tuple(
            DisputedPair(d.question_id, texts.get(d.question_id, ""), d.target_id, d.grades)
            for d in found[: limit or None]
        ),
        judges=tuple(sorted({JudgeName(j.judge_kind, j.judge) for j in judgments if j.grade is not None})),
    )
