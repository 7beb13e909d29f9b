"""Reviewing: a person grades pairs without knowing what the verifier said of them.

``ReviewSession`` is the whole of it as a value; ``Review`` keeps each step of one in a store.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from goldgen.app.review_queue import ReviewItem, Show, draw_sample, review_queue
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.types import GOLD, Judgment
from goldgen.verify.agreement import TrustedFigure, trusted_figure

SAMPLE_SIZE = 50


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    db: Path
    reviewer: str
    """Under this name the verdicts are stored; a person has one verdict a pair."""
    show: Show | None = None
    """None: the pairs in dispute, then those proposed, then those unjudged."""
    sample: int | None = None
    """Accepted pairs to draw; means ``show`` "sample"."""
    seed: int = 0
    again: bool = False
    """Also pairs that the reviewer graded before."""


@dataclass(frozen=True, slots=True)
class ReviewSession:
    """Where a person is in a queue of pairs. Each step gives a new session."""

    reviewer: str
    items: tuple[ReviewItem, ...]
    sampled: bool = False
    """The items are a random sample of the accepted."""
    done: tuple[Judgment | None, ...] = ()
    """The verdict on each item so far, None for one that was skipped."""

    @property
    def current(self) -> ReviewItem | None:
        """The item to grade; None at the end."""
        return self.items[len(self.done)] if len(self.done) < len(self.items) else None

    @property
    def last(self) -> tuple[ReviewItem, Judgment | None] | None:
        """The item of the last step and its verdict; None before the first."""
        return (self.items[len(self.done) - 1], self.done[-1]) if self.done else None

    @property
    def counts(self) -> Mapping[int, int]:
        """Grade to number of items."""
        grades = Counter(verdict.grade for verdict in self.done if verdict is not None)
        return {grade: grades[grade] for grade in range(GOLD, -1, -1)}

    def grade(self, grade: int, note: str = "") -> "ReviewSession":
        """Grade the current item from 0 to 3. Raises SettingsError for another grade or without an item."""
        return replace(self, done=(*self.done, self.verdict(grade, note)))

    def verdict(self, grade: int, note: str = "") -> Judgment:
        """What ``grade`` makes of the current item; raises as it does."""
        item = self.current
        if item is None or grade not in range(GOLD + 1):
            raise SettingsError(f"cannot grade with {grade}: grades are 0 to {GOLD}, of an item that is left")
        return replace(
            _evidence(item, grade),
            judge=self.reviewer,
            judge_kind="human",
            grade=grade,
            reason=note,
            sampled=self.sampled,
        )

    def skip(self) -> "ReviewSession":
        """Leave the current item without a verdict."""
        return self if self.current is None else replace(self, done=(*self.done, None))

    def undo(self) -> "ReviewSession":
        """Take the last step back, so that its item is the current one; the same before the first."""
        return replace(self, done=self.done[:-1])


def _evidence(item: ReviewItem, grade: int) -> Judgment:
    """What is stored besides the verdict: a gold keeps the verifier's evidence, if that called it gold too.

    By it the gold is found again when the documents are cut into other chunks.
    """
    bare = Judgment(item.question.id, item.passage.id, "", document_id=item.passage.document_id)
    machine = item.verifier
    if grade < GOLD or machine is None or not item.verifier_says_gold:
        return bare
    return replace(
        bare,
        document_id=machine.document_id or bare.document_id,
        quote=machine.quote,
        start=machine.start,
        end=machine.end,
        parts=machine.parts,
    )


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a person did in one sitting."""

    reviewer: str
    show: str
    grades: Mapping[int, int]
    """Grade to number of pairs."""
    skipped: int
    left: int
    """Pairs that were not reached."""
    trusted: TrustedFigure | None
    """The error rate of the accepted pairs by all random samples so far; None if there was none."""
    next_step: str


class Review:
    """A session over a store: what a step does is committed before it returns."""

    def __init__(self, store: Store, session: ReviewSession, show: Show | None) -> None:
        self._store = store
        self._show = show
        self.session = session

    def grade(self, grade: int, note: str = "") -> None:
        self._store.judgments.put([self.session.verdict(grade, note)])
        self.session = self.session.grade(grade, note)

    def skip(self) -> None:
        self.session = self.session.skip()

    def undo(self) -> bool:
        """Take the last step back, with any earlier verdict brought back; False before the first."""
        if self.session.last is None:
            return False
        item, verdict = self.session.last
        earlier = item.by(self.session.reviewer)
        if verdict is not None and earlier is not None:
            self._store.judgments.put(_in_its_place(item, earlier))
        elif verdict is not None:
            self._store.judgments.remove(verdict)
        self.session = self.session.undo()
        return True

    def report(self) -> ReviewReport:
        session = self.session
        left = len(session.items) - len(session.done)
        return ReviewReport(
            reviewer=session.reviewer,
            show=self._show or "disputed, proposed, unjudged",
            grades=session.counts,
            skipped=session.done.count(None),
            left=left,
            trusted=trusted_figure(self._store.judgments.all()),
            next_step=_next_step(left, session),
        )


@contextmanager
def open_review(options: ReviewOptions) -> Generator[Review]:
    """A review that goes on until the block ends. No other process can use the set meanwhile.

    Raises StoreError if there is no set, EmptyResultError if it has no questions, SettingsError for a
    sample that is not to be drawn from the accepted.
    """
    show: Show | None = "sample" if options.sample is not None else options.show
    if options.sample is not None and options.show not in (None, "sample"):
        raise SettingsError(f"--sample draws from the accepted pairs; leave --show {options.show} out")
    with open_store(options.db, create=False) as store:
        if not store.questions.all():
            raise EmptyResultError(f"{options.db} has no questions to review; run goldgen synth PATH first")
        if show == "sample":
            items = draw_sample(store, options.sample or SAMPLE_SIZE, options.seed)
            _count_in_sample(store, items, options.reviewer)
        else:
            items = review_queue(store, show, options.seed)
        if not options.again:
            items = tuple(item for item in items if item.by(options.reviewer) is None)
        yield Review(store, ReviewSession(options.reviewer, items, sampled=show == "sample"), show)


def _count_in_sample(store: Store, items: Sequence[ReviewItem], reviewer: str) -> None:
    """Let verdicts that the reviewer gave before count where the draw falls on their pairs.

    Without them the sample would lack just the pairs that were looked at first, such as the disputed ones.
    """
    for item in items:
        verdict = item.by(reviewer)
        if verdict is not None and not verdict.sampled:
            store.judgments.put(_in_its_place(item, replace(verdict, sampled=True)))


def _in_its_place(item: ReviewItem, verdict: Judgment) -> list[Judgment]:
    """A verdict, and those of people who spoke after it: stored in this order, the last word stays theirs."""
    return [verdict, *item.after(verdict.judge)]


def _next_step(left: int, session: ReviewSession) -> str:
    if left:
        return f"goldgen review again: {left} pairs are left"
    if not session.sampled:
        return f"goldgen review --sample {SAMPLE_SIZE}: only a random sample tells the set's error rate"
    return "goldgen agreement: how far people and verifiers agree"
