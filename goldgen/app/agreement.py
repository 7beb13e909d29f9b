"""How far the judges of a set agree, and what people's verdicts say of it."""

from dataclasses import dataclass
from pathlib import Path

from goldgen.app.review_queue import ReviewItem, review_items, trusted
from goldgen.store import open_store
from goldgen.types import GOLD
from goldgen.verify.agreement import (
    AgainstPeople,
    Agreement,
    JudgeName,
    against_people,
    agreements,
    is_unblinded,
    says_gold,
)
from goldgen.verify.trusted import TrustedFigure


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair on which judges, or the votes of one, differ in what counts: gold or not."""

    question_id: str
    question: str
    target_id: str
    """The id of a chunk, a near miss or an evidence set."""
    grades: tuple[tuple[JudgeName, int], ...]
    """Of each judge; what a verifier proposes as gold has grade 3."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement of every two judges, what people say of the verifiers and of the set."""

    agreements: tuple[Agreement, ...]
    verifiers: tuple[AgainstPeople, ...]
    trusted: TrustedFigure | None
    """None: nobody has read a random sample."""
    unblinded: int
    """Verdicts that people gave again once they knew the verifier's: in no figure here."""
    disputed: int
    """Pairs that wait for a person's word, listed or not: those of ``goldgen review --show disputed``."""
    disputes: tuple[DisputedPair, ...]
    """The widest apart first."""
    overruled: int
    """Pairs on which people say otherwise than the verifier, listed or not: these are settled."""
    overruled_pairs: tuple[DisputedPair, ...]
    """The widest apart first."""
    judges: tuple[JudgeName, ...]
    """Everyone who graded a pair."""


def agreement(db: Path, limit: int = 20) -> AgreementReport:
    """Compare the judges of a set, and list ``limit`` (0: all) of the pairs in dispute and of the overruled.

    Raises StoreError if there is no set.
    """
    with open_store(db, read_only=True) as store:
        judgments, items = store.judgments.all(), review_items(store)
        figure = trusted(store, items)
    disputed = _pairs([item for item in items if item.is_disputed])
    overruled = _pairs([item for item in items if item.is_overruled])
    return AgreementReport(
        agreements=agreements(judgments),
        verifiers=against_people(judgments),
        trusted=figure,
        unblinded=sum(map(is_unblinded, judgments)),
        disputed=len(disputed),
        disputes=disputed[: limit or None],
        overruled=len(overruled),
        overruled_pairs=overruled[: limit or None],
        judges=tuple(sorted({JudgeName(j.judge_kind, j.judge) for j in judgments if j.grade is not None})),
    )


def _pairs(items: list[ReviewItem]) -> tuple[DisputedPair, ...]:
    return tuple(
        sorted(map(_pair, items), key=lambda p: (min(g for _, g in p.grades), p.question_id, p.target_id))
    )


def _pair(item: ReviewItem) -> DisputedPair:
    grades = [
        (JudgeName(verdict.judge_kind, verdict.judge), GOLD if says_gold(verdict) else verdict.grade)
        for verdict in item.verdicts
        if verdict.grade is not None
    ]
    return DisputedPair(item.question.id, item.question.text, item.passage.id, tuple(sorted(grades)))
