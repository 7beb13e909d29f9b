"""What the tests of review do with a set: verdicts put in and read, queues and samples opened."""

from dataclasses import replace
from pathlib import Path

from stored_sets import human

from goldgen.app.review import ReviewOptions, open_review
from goldgen.app.review_queue import Show
from goldgen.store import open_store
from goldgen.types import Judgment


def put(db: Path, *judgments: Judgment) -> None:
    with open_store(db) as store:
        for judgment in judgments:
            store.judgments.put([judgment])


def stored(db: Path) -> list[Judgment]:
    with open_store(db, read_only=True) as store:
        return store.judgments.all()


def by(judge: str, question: str, target: str, grade: int, *, sampled: bool = False) -> Judgment:
    return replace(human(question, target, grade), judge=judge, sampled=sampled)


def targets(db: Path, show: Show | None = None, *, seed: int = 0, reviewer: str = "ann") -> list[str]:
    with open_review(ReviewOptions(db, reviewer, show, seed=seed)) as review:
        return [item.passage.id for item in review.session.items]


def drawn(
    db: Path, size: int, *, seed: int | None = None, reviewer: str = "ann", again: bool = False
) -> list[str]:
    with open_review(ReviewOptions(db, reviewer, sample=size, seed=seed, again=again)) as review:
        return [item.passage.id for item in review.session.items]
