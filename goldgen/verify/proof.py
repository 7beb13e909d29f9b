"""What the controls prove of a verifier, and what share of its golds is expected to be wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from goldgen.types import Control, ControlKind, Proof
from goldgen.types.judging import GOLD
from goldgen.verify.controls import HARD_KINDS

SPECIFICITY_FLOOR = 0.9
FEWEST_HARD_CONTROLS = 40
_FEWEST_FOR_ACCEPTANCE = 20
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class KindResult:
    """Specificity on one kind of control; unjudged ones count neither way."""

    kind: ControlKind
    judged: int
    rejected: int
    unjudged: int
    specificity: Interval | None
    """None if no control of the kind was judged."""


@dataclass(frozen=True, slots=True)
class VerifierProof:
    """The verdict on the verifier of one run, with the figures it rests on."""

    verdict: Proof
    reason: str
    kinds: tuple[KindResult, ...]
    floor: float
    acceptance: float | None
    """Share of the judged drafts that were accepted."""
    wrong_golds: Interval | None
    """Expected share of accepted pairs that do not answer: an estimate, see ``expected_wrong_share``."""


def wilson(successes: int, total: int) -> Interval:
    """Wilson's 95% score interval of a proportion (Wilson 1927); ``total`` must be positive."""
    share = successes / total
    z2 = _Z95**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def expected_wrong_share(specificity: float, acceptance: float) -> float:
    """(1 - spec)(1 - prevalence) / a, with prevalence = (a + spec - 1) / (sens + spec - 1) and sens = 1.

    Sensitivity is not known without human labels. 1 gives the largest share, so the figure errs on the
    careful side; it assumes that drafts which do not answer are like the controls.
    """
    if acceptance <= 0:
        return 0.0
    prevalence = min(1.0, max(0.0, (acceptance + specificity - 1) / specificity)) if specificity else 0.0
    return min(1.0, (1 - specificity) * (1 - prevalence) / acceptance)


def prove(controls: Sequence[Control], accepted: int, judged: int, floor: float) -> VerifierProof:
    """Judge the judge by its controls; ``accepted`` of ``judged`` drafts became gold."""
    present = {control.kind for control in controls}
    kinds = tuple(_kind_result(kind, controls) for kind in (*HARD_KINDS, "easy") if kind in present)
    acceptance = accepted / judged if judged else None
    hard = [result for result in kinds if result.kind in HARD_KINDS]
    verdict, reason = _verdict(hard, accepted, judged, floor)
    worst = _worst(hard)
    wrong = None
    if worst is not None and acceptance is not None:
        shares = [expected_wrong_share(s, acceptance) for s in (worst.estimate, worst.high, worst.low)]
        wrong = Interval(shares[0], min(shares), max(shares))
    return VerifierProof(verdict, reason, kinds, floor, acceptance, wrong)


def _kind_result(kind: ControlKind, controls: Sequence[Control]) -> KindResult:
    grades = [control.grade for control in controls if control.kind == kind]
    judged = [grade for grade in grades if grade is not None]
    rejected = sum(grade < GOLD for grade in judged)
    specificity = wilson(rejected, len(judged)) if judged else None
    return KindResult(kind, len(judged), rejected, len(grades) - len(judged), specificity)


def _worst(hard: Sequence[KindResult]) -> Interval | None:
    found = [result.specificity for result in hard if result.specificity is not None]
    return min(found, key=lambda interval: interval.estimate, default=None)


def _verdict(hard: Sequence[KindResult], accepted: int, judged: int, floor: float) -> tuple[Proof, str]:
    if judged >= _FEWEST_FOR_ACCEPTANCE and accepted == 0:
        return "failed", f"it accepted none of {judged} drafts: a judge that always says no is no judge"
    intervals = {r.kind: r.specificity for r in hard if r.specificity is not None}
    total = sum(result.judged for result in hard)
    below = [kind for kind, interval in intervals.items() if interval.high < floor]
    if below:
        return "failed", f"specificity on {below[0]} controls is below {floor:g} even at its upper bound"
    if total < FEWEST_HARD_CONTROLS or "answer_deleted" not in intervals:
        return "unproven", f"{total} hard controls; at least {FEWEST_HARD_CONTROLS} are needed"
    unsure = [kind for kind, interval in intervals.items() if interval.low <= floor]
    if unsure:
        return "unproven", f"the interval on {unsure[0]} controls still holds the floor of {floor:g}"
    return "proven", f"specificity on every hard kind is above {floor:g} even at its lower bound"
