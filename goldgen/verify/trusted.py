"""The trusted figure: the share of wrong ones among the accepted, by people who read a random sample."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goldgen.text import stable_id
from goldgen.types import GOLD, Judgment
from goldgen.verify.agreement import Pair, is_unblinded
from goldgen.verify.estimates import Interval, wilson


@dataclass(frozen=True, slots=True)
class TrustedFigure:
    """The error rate of the pairs that the verifiers accept now, by the sample that people have read.

    The sample is the beginning of ``sample_order``, up to the last pair that was graded in a draw. Chunks
    that are gold without a verdict of their own, by evidence or as twins, are in no such pair.
    """

    pairs: int
    """Graded pairs of the sample, by people who did not know the verifier's word."""
    wrong: int
    share: Interval | None
    """Wilson's 95% interval, pairs taken as independent; None as long as it is ``withheld``."""
    accepted: int
    """Pairs that are accepted now: what the sample stands for."""
    missing: int
    """Pairs of the sample without a grade: accepted since it was drawn, or skipped."""
    unblinded: int
    """Pairs of the sample that were graded again after the reveal: left out."""
    outdated: int
    """Drawn pairs that are no longer accepted; they count neither way."""
    people: tuple[str, ...]
    withheld: str
    """Why there is no share, and what to do; empty if there is one."""


def sample_order(pairs: Collection[Pair], seed: int) -> list[Pair]:
    """The pairs in a random order that the seed decides: each of its beginnings is a random sample.

    A pair's place among the others depends on nothing else, so one that comes later finds its place too.
    """
    return sorted(pairs, key=lambda pair: stable_id("review", str(seed), *pair))


def trusted_figure(
    judgments: Sequence[Judgment], accepted: Collection[Pair], seed: int
) -> TrustedFigure | None:
    """The share of wrong ones among ``accepted``; None if no draw was graded.

    A pair counts once, by the word of whoever graded it last. It does not matter why it was read: being part
    of the sample is up to ``sample_order`` alone. While a pair of the sample waits for a grade the share is
    withheld, for what was accepted later may be worse than the rest. ``judgments``: all of them, a judge's
    later ones after its earlier.
    """
    drawn = {judgment.pair for judgment in judgments if judgment.sampled}
    if not drawn:
        return None
    order = sample_order(accepted, seed)
    end = max((place for place, pair in enumerate(order, 1) if pair in drawn), default=0)
    human = [j for j in judgments if j.judge_kind == "human" and j.grade is not None]
    last = {j.pair: j for j in human if not is_unblinded(j)}
    graded = [last[pair] for pair in order[:end] if pair in last]
    unblinded = len({j.pair for j in human}.intersection(order[:end])) - len(graded)
    missing = end - len(graded) - unblinded
    wrong = sum(judgment.grade != GOLD for judgment in graded)
    withheld = _withheld(end, len(graded), missing, len(order))
    return TrustedFigure(
        pairs=len(graded),
        wrong=wrong,
        share=None if withheld else wilson(wrong, len(graded)),
        accepted=len(order),
        missing=missing,
        unblinded=unblinded,
        outdated=len(drawn.difference(order)),
        people=tuple(sorted({judgment.judge for judgment in graded})),
        withheld=withheld,
    )


def _withheld(end: int, graded: int, missing: int, accepted: int) -> str:
    if missing:
        return (
            f"not known: of the sample, {graded} of {accepted} accepted pairs are graded and {missing}, "
            f"accepted since or skipped, are not; goldgen review --sample {end}"
        )
    return "" if graded else "not known: no drawn pair is accepted any more; goldgen review --sample 50"
