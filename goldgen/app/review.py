"""Reviewing: a person grades pairs without knowing what the verifier said of them.

``ReviewSession`` is the whole of it as a value; ``Review`` keeps each step of one in a store.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from goldgen.app.review_queue import (
    ReviewItem,
    Show,
    draw_sample,
    keep_sample_seed,
    review_items,
    review_queue,
    sample_seed,
    trusted,
)
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.store.judgments import StoredJudgment
from goldgen.types import GOLD, Judgment
from goldgen.verify.agreement import UNBLINDED, Pair, is_unblinded
from goldgen.verify.trusted import TrustedFigure

SAMPLE_SIZE = 50


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    db: Path
    reviewer: str
    """Under this name the verdicts are stored; a person has one verdict a pair."""
    show: Show | None = None
    """None: the pairs in dispute, those proposed and those unjudged."""
    sample: int | None = None
    """Accepted pairs to draw; means ``show`` "sample"."""
    seed: int | None = None
    """Of the order, by default 0; of a sample by default that of the set's first, which alone its error rate
    is told from."""
    again: bool = False
    """Also pairs that the reviewer graded before. They know now what the verifier said, so the new verdict
    counts for the set, and for no figure of people."""


@dataclass(frozen=True, slots=True)
class ReviewSession:
    """Where a person is in a queue of pairs. Each step gives a new session."""

    reviewer: str
    items: tuple[ReviewItem, ...]
    sampled: bool = False
    """The items are the set's random sample of the accepted."""
    done: tuple[Judgment | None, ...] = ()
    """The verdict on each item so far, None for one that was skipped."""
    revealed: frozenset[Pair] = frozenset()
    """Pairs whose grade was taken back: whoever graded them knows what the verifier said."""

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
        """What ``grade`` makes of the current item; raises as it does.

        One that is given again is marked as such: it was not given blind.
        """
        item = self.current
        if item is None or grade not in range(GOLD + 1):
            raise SettingsError(f"cannot grade with {grade}: grades are 0 to {GOLD}, of an item that is left")
        again = item.pair in self.revealed or item.by(self.reviewer) is not None
        return replace(
            _evidence(item, grade),
            judge=self.reviewer,
            judge_kind="human",
            grade=grade,
            reason=": ".join(filter(None, (UNBLINDED, note))) if again else note,
            sampled=self.sampled and not again,
        )

    def skip(self) -> "ReviewSession":
        """Leave the current item without a verdict."""
        return self if self.current is None else replace(self, done=(*self.done, None))

    def undo(self) -> "ReviewSession":
        """Take the last step back, so that its item is the current one; the same before the first."""
        if self.last is None:
            return self
        item, verdict = self.last
        revealed = self.revealed if verdict is None else self.revealed | {item.pair}
        return replace(self, done=self.done[:-1], revealed=revealed)


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
    """The error rate of the accepted pairs by the random sample; None if none was read."""
    next_step: str


class Review:
    """A session over a store: what a step does is committed before it returns."""

    def __init__(
        self, store: Store, session: ReviewSession, show: Show | None, draw: Sequence[ReviewItem] = ()
    ) -> None:
        """``draw``: the set's sample with what the reviewer graded of it before; empty without a draw."""
        self._store = store
        self._show = show
        self._draw = draw
        self._replaced: list[StoredJudgment | None] = []
        """What stood in the store before each step that graded."""
        self.session = session
        self._count_in_sample()

    def grade(self, grade: int, note: str = "") -> None:
        verdict = self.session.verdict(grade, note)
        self._replaced.append(self._store.judgments.stored(verdict))
        self._store.judgments.put([verdict])
        self.session = self.session.grade(grade, note)
        self._count_in_sample()

    def skip(self) -> None:
        self.session = self.session.skip()
        self._count_in_sample()

    def undo(self) -> bool:
        """Take the last step back, with any earlier verdict brought back; False before the first."""
        if self.session.last is None:
            return False
        _, verdict = self.session.last
        if verdict is not None:
            replaced = self._replaced.pop()
            if replaced is None:
                self._store.judgments.remove(verdict)
            else:
                self._store.judgments.restore(replaced)
        self.session = self.session.undo()
        return True

    def _count_in_sample(self) -> None:
        """At the end of a draw, let it include what the reviewer graded of it before.

        Not earlier: pairs are often looked at first because they are doubtful, and a sample that ended with
        them would hold too many of that kind.
        """
        if self.session.current is not None:
            return
        for item in self._draw:
            earlier = item.by(self.session.reviewer)
            stored = self._store.judgments.stored(earlier) if earlier else None
            if stored and not is_unblinded(stored.judgment):
                counted = replace(stored.judgment, sampled=True)
                self._store.judgments.restore(replace(stored, judgment=counted))

    def report(self) -> ReviewReport:
        session = self.session
        left = len(session.items) - len(session.done)
        return ReviewReport(
            reviewer=session.reviewer,
            show=self._show or "disputed, proposed, unjudged",
            grades=session.counts,
            skipped=session.done.count(None),
            left=left,
            trusted=trusted(self._store, review_items(self._store)),
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
        draw: tuple[ReviewItem, ...] = ()
        if show == "sample":
            seed, is_the_sets = _seed_of_sample(store, options.seed)
            items = draw_sample(store, options.sample or SAMPLE_SIZE, seed)
            draw = items if is_the_sets else ()
        else:
            items, is_the_sets = review_queue(store, show, options.seed or 0), False
        if not options.again:
            items = tuple(item for item in items if item.by(options.reviewer) is None)
        yield Review(store, ReviewSession(options.reviewer, items, sampled=is_the_sets), show, draw)


def _seed_of_sample(store: Store, wanted: int | None) -> tuple[int, bool]:
    """The seed to draw by, and whether it is the set's: whoever tried several could choose a figure."""
    kept = sample_seed(store)
    if kept is None:
        kept = wanted or 0
        keep_sample_seed(store, kept)
    seed = kept if wanted is None else wanted
    return seed, seed == kept


def _next_step(left: int, session: ReviewSession) -> str:
    if left:
        return f"goldgen review again: {left} pairs are left"
    if not session.sampled:
        return f"goldgen review --sample {SAMPLE_SIZE}: only the set's own sample tells its error rate"
    return "goldgen agreement: how far people and verifiers agree"
