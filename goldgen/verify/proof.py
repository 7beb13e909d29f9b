"""What the controls prove of a verifier, and what share of its golds is expected to be wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt

from goldgen.types import GOLD, Control, ControlKind, Proof
from goldgen.verify.calibration import STRICT_SPECIFICITY
from goldgen.verify.controls import HARD_KINDS

SPECIFICITY_FLOOR = 0.9
FEWEST_HARD_CONTROLS = 40
FEWEST_HUMAN_GOLDS = 10
"""Below it a measured sensitivity says less than the careful assumption of 1."""
_FEWEST_FOR_ACCEPTANCE = 20
_ALWAYS_YES = 0.1
"""Specificity on every hard kind up to which a judge is said to accept whatever it is shown."""
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Proportion:
    """A counted share with Wilson's 95% interval."""

    count: int
    total: int
    share: Interval


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
class HumanLabels:
    """What people said of pairs that the verifier judged too."""

    golds: int = 0
    """Pairs that a human graded gold, whatever the verifier said of them."""
    golds_accepted: int = 0
    sampled: int = 0
    """Pairs drawn at random from those that the verifier accepted, and graded by a human."""
    sampled_wrong: int = 0


@dataclass(frozen=True, slots=True)
class StrictProof:
    """Whether the stricter judge may complete labels."""

    kinds: tuple[KindResult, ...]
    specificity: Interval | None
    """On the worst hard kind; None if the controls are too few to tell."""
    is_shown: bool
    reason: str


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
    assumptions: tuple[str, ...] = ()
    """What the estimate takes for granted, a phrase each."""
    sensitivity: Proportion | None = None
    """Share accepted of the human golds; None where it is assumed to be 1."""
    trusted: Proportion | None = None
    """The trusted figure: share wrong of a random human sample of accepted pairs; None without a sample."""
    strict: StrictProof | None = None
    """Of the stricter judge; None for a verifier that may not complete labels."""


def wilson(successes: int, total: int) -> Interval:
    """Wilson's 95% score interval of a proportion (Wilson 1927); ``total`` must be positive."""
    share = successes / total
    z2 = _Z95**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def proportion(count: int, total: int) -> Proportion | None:
    """None of none."""
    return Proportion(count, total, wilson(count, total)) if total else None


def prevalence(specificity: float, acceptance: float, sensitivity: float = 1.0) -> float:
    """Share of the judged that truly answer: (a + spec - 1) / (sens + spec - 1), within 0 and 1.

    Source: Rogan and Gladen, "Estimating prevalence from the results of a screening test", 1978. 0, the
    careful side, for a judge that is no better than chance, whose acceptance tells nothing.
    """
    gain = sensitivity + specificity - 1
    return min(1.0, max(0.0, (acceptance + specificity - 1) / gain)) if gain > 0 else 0.0


def expected_wrong_share(specificity: float, acceptance: float, sensitivity: float = 1.0) -> float:
    """(1 - spec)(1 - prevalence) / a: the share of accepted pairs that do not answer.

    A sensitivity of 1 gives the largest share, so it is the careful assumption where human labels do not
    tell. All of it assumes that drafts which do not answer are like the controls.
    """
    if acceptance <= 0:
        return 0.0
    share = (1 - specificity) * (1 - prevalence(specificity, acceptance, sensitivity)) / acceptance
    return min(1.0, share)


def expected_wrong_interval(
    specificity: Interval, acceptance: Interval, sensitivity: Interval = Interval(1.0, 1.0, 1.0)
) -> Interval:
    """``expected_wrong_share`` at the estimates, with the bounds over the corners of all intervals."""
    estimate = expected_wrong_share(specificity.estimate, acceptance.estimate, sensitivity.estimate)
    corners = product(*((found.low, found.high) for found in (specificity, acceptance, sensitivity)))
    shares = [estimate, *(expected_wrong_share(*corner) for corner in corners)]
    return Interval(estimate, min(shares), max(shares))


def prove(
    controls: Sequence[Control],
    accepted: int,
    judged: int,
    floor: float,
    human: HumanLabels | None = None,
) -> VerifierProof:
    """Judge the judge by its controls; ``accepted`` of ``judged`` drafts became gold.

    ``human`` labels, where there are some, give its sensitivity and the trusted figure.
    """
    human = human or HumanLabels()
    kinds = kind_results(controls)
    hard = [result for result in kinds if result.kind in HARD_KINDS]
    verdict, reason = _verdict(hard, accepted, judged, floor)
    acceptance = accepted / judged if judged else None
    enough = human.golds >= FEWEST_HUMAN_GOLDS
    sensitivity = proportion(human.golds_accepted, human.golds) if enough else None
    worst = _worst(hard)
    return VerifierProof(
        verdict=verdict,
        reason=reason,
        kinds=kinds,
        floor=floor,
        acceptance=acceptance,
        wrong_golds=_wrong_golds(worst, proportion(accepted, judged), sensitivity),
        assumptions=_assumptions(worst, sensitivity, human.golds),
        sensitivity=sensitivity,
        trusted=proportion(human.sampled_wrong, human.sampled),
    )


def prove_strict(controls: Sequence[Control]) -> StrictProof:
    """Whether the stricter judge, whose grades ``controls`` hold, shows a specificity of 0.99.

    By the estimate and not by the lower bound, which would take 381 controls without one mistake; the
    interval stands beside it.
    """
    kinds = kind_results(controls)
    hard = [result for result in kinds if result.kind in HARD_KINDS]
    total = sum(result.judged for result in hard)
    worst = _worst(hard)
    specificity = worst.specificity if worst else None
    if worst is None or specificity is None or total < FEWEST_HARD_CONTROLS:
        reason = f"{total} hard controls; at least {FEWEST_HARD_CONTROLS} are needed"
        return StrictProof(kinds, None, False, reason)
    is_shown = specificity.estimate >= STRICT_SPECIFICITY
    reached = f"specificity {specificity.estimate:.3g} on {worst.kind} controls"
    reason = reached if is_shown else f"{reached}; {STRICT_SPECIFICITY} is needed"
    return StrictProof(kinds, specificity, is_shown, reason)


def kind_results(controls: Sequence[Control]) -> tuple[KindResult, ...]:
    """The specificity on each kind of control there is, the hard kinds first."""
    present = {control.kind for control in controls}
    return tuple(_kind_result(kind, controls) for kind in (*HARD_KINDS, "easy") if kind in present)


def _kind_result(kind: ControlKind, controls: Sequence[Control]) -> KindResult:
    grades = [control.grade for control in controls if control.kind == kind]
    judged = [grade for grade in grades if grade is not None]
    rejected = sum(grade < GOLD for grade in judged)
    specificity = wilson(rejected, len(judged)) if judged else None
    return KindResult(kind, len(judged), rejected, len(grades) - len(judged), specificity)


def _worst(hard: Sequence[KindResult]) -> KindResult | None:
    found = [(result.specificity.estimate, result) for result in hard if result.specificity is not None]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _wrong_golds(
    worst: KindResult | None, acceptance: Proportion | None, sensitivity: Proportion | None
) -> Interval | None:
    if worst is None or worst.specificity is None or acceptance is None:
        return None
    known = sensitivity.share if sensitivity else Interval(1.0, 1.0, 1.0)
    return expected_wrong_interval(worst.specificity, acceptance.share, known)


def _assumptions(worst: KindResult | None, sensitivity: Proportion | None, golds: int) -> tuple[str, ...]:
    few = f" ({golds} human golds; {FEWEST_HUMAN_GOLDS} are needed to measure it)" if golds else ""
    found = f"sensitivity assumed 1{few}"
    if sensitivity is not None:
        found = f"sensitivity {sensitivity.share.estimate:.2f} from {sensitivity.total} human golds"
    alike = f"drafts that do not answer pass as often as {worst.kind} controls" if worst else ""
    return (found, alike) if alike else (found,)


def _verdict(hard: Sequence[KindResult], accepted: int, judged: int, floor: float) -> tuple[Proof, str]:
    if judged >= _FEWEST_FOR_ACCEPTANCE and accepted == 0:
        return "failed", f"it accepted none of {judged} drafts: a judge that always says no is no judge"
    tested = [(result, result.specificity) for result in hard if result.specificity is not None]
    total = sum(result.judged for result, _ in tested)
    below = [result for result, interval in tested if interval.high < floor]
    if below and all(interval.estimate <= _ALWAYS_YES for _, interval in tested):
        passed = total - sum(result.rejected for result, _ in tested)
        return "failed", (
            f"it accepted {passed} of {total} texts that do not answer: "
            "a judge that always says yes is no judge"
        )
    if below:
        kind, passed = below[0].kind, below[0].judged - below[0].rejected
        return "failed", (
            f"it accepted {passed} of {below[0].judged} {kind} controls: "
            f"specificity is below {floor:g} even at its upper bound"
        )
    if total < FEWEST_HARD_CONTROLS or all(result.kind != "answer_deleted" for result, _ in tested):
        return "unproven", f"{total} hard controls; at least {FEWEST_HARD_CONTROLS} are needed"
    unsure = [result.kind for result, interval in tested if _leaves_doubt(result, interval, floor)]
    if unsure:
        return "unproven", f"the interval on {unsure[0]} controls still holds the floor of {floor:g}"
    return "proven", f"specificity on every hard kind is above {floor:g} even at its lower bound"


def _leaves_doubt(result: KindResult, interval: Interval, floor: float) -> bool:
    """Whether a kind of control withholds proof.

    Neighbours come from people, a few at a time. Too few to prove anything even if all were rejected, they
    count by their estimate: else the first label would take a proof away.
    """
    if result.kind == "neighbour" and wilson(result.judged, result.judged).low <= floor:
        return interval.estimate < floor
    return interval.low <= floor
