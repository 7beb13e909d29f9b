"""What the controls prove of a verifier, and what share of its golds is expected to be wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goldgen.types import GOLD, Control, ControlKind, Proof
from goldgen.verify.calibration import STRICT_SPECIFICITY
from goldgen.verify.controls import HARD_KINDS
from goldgen.verify.estimates import Interval, Proportion, expected_wrong_interval, proportion, wilson

SPECIFICITY_FLOOR = 0.9
FEWEST_HARD_CONTROLS = 40
_FEWEST_OF_OTHER_KINDS = 20
"""Of a kind that construction gives, before a judge may count as strict; answer_deleted needs them all."""
FEWEST_HUMAN_GOLDS = 10
"""Below it a measured sensitivity says less than the careful assumption of 1."""
_FEWEST_FOR_ACCEPTANCE = 20
_ALWAYS_YES = 0.1
"""Specificity on every hard kind up to which a judge is said to accept whatever it is shown."""


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
    """Pairs that a human called gold before any verifier had a word on them."""
    golds_accepted: int = 0


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
    """Share accepted of the vouched human golds; None where it is assumed to be 1."""
    strict: StrictProof | None = None
    """Of the stricter judge; None for a verifier that may not complete labels."""


def prove(
    controls: Sequence[Control],
    accepted: int,
    judged: int,
    floor: float,
    human: HumanLabels | None = None,
) -> VerifierProof:
    """Judge the judge by its controls; ``accepted`` of ``judged`` drafts became gold.

    ``human`` labels, where there are enough, give its sensitivity.
    """
    human = human or HumanLabels()
    kinds = kind_results(controls)
    hard = [result for result in kinds if result.kind in HARD_KINDS]
    verdict, reason = _verdict(hard, accepted, judged, floor)
    acceptance = accepted / judged if judged else None
    sensitivity, assumed = _sensitivity(human, acceptance)
    worst = _worst(hard)
    return VerifierProof(
        verdict=verdict,
        reason=reason,
        kinds=kinds,
        floor=floor,
        acceptance=acceptance,
        wrong_golds=_wrong_golds(worst, proportion(accepted, judged), sensitivity),
        assumptions=_assumptions(worst, assumed),
        sensitivity=sensitivity,
    )


def prove_strict(
    controls: Sequence[Control], looked: Sequence[Control] = (), verdict: Proof = "unproven"
) -> StrictProof:
    """Whether the stricter judge's specificity is estimated at 0.99, for a verifier that did not fail.

    ``controls`` hold the grades of the first judge, ``looked`` those of the second look, if there is one, at
    the ones that it accepted. One that either left without a verdict counts as accepted: what fails must
    not make a judge strict. By the estimate and not by the lower bound, which would take 381
    controls without one mistake; the interval stands beside it.
    """
    again = {control.id: control.grade for control in looked}
    after = [replace(control, grade=_after_look(control, again)) for control in controls]
    kinds = kind_results(after)
    worst = _worst([result for result in kinds if result.kind in HARD_KINDS])
    specificity = worst.specificity if worst else None
    if missing := _too_few(kinds):
        return StrictProof(kinds, None, False, missing)
    assert worst is not None and specificity is not None
    found = (
        f"{worst.rejected} of {worst.judged} {worst.kind} controls rejected: estimate "
        f"{specificity.estimate:.2f} (95% {specificity.low:.2f} to {specificity.high:.2f})"
    )
    if verdict == "failed":
        return StrictProof(kinds, specificity, False, f"the verifier failed its controls; {found}")
    is_shown = specificity.estimate >= STRICT_SPECIFICITY
    return StrictProof(
        kinds, specificity, is_shown, found if is_shown else f"{found}; {STRICT_SPECIFICITY} is needed"
    )


def _after_look(control: Control, again: Mapping[str, int | None]) -> int | None:
    """The strict judge's grade; gold where either look gave none."""
    grade = control.grade if control.grade != GOLD else again.get(control.id)
    return GOLD if grade is None else grade


def _too_few(kinds: Sequence[KindResult]) -> str:
    """Which kind has too few judged controls for a judge to count as strict; empty if none has.

    A table of chunks has no other chunk of a document, and neighbours are as many as people have labelled.
    """
    judged = {result.kind: result.judged for result in kinds}
    needed: dict[ControlKind, int] = {"answer_deleted": FEWEST_HARD_CONTROLS}
    if "same_document" in judged:
        needed["same_document"] = _FEWEST_OF_OTHER_KINDS
    for kind, fewest in needed.items():
        if judged.get(kind, 0) < fewest:
            return f"{judged.get(kind, 0)} {kind} controls judged; at least {fewest} are needed"
    return ""


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


def _sensitivity(human: HumanLabels, acceptance: float | None) -> tuple[Proportion | None, str]:
    """The measured sensitivity, None where 1 must be assumed, and what to say of it.

    Below the acceptance it would put the share that answers above 1, and so the share of wrong golds at 0.
    """
    if human.golds < FEWEST_HUMAN_GOLDS:
        few = f" ({human.golds} vouched human golds; {FEWEST_HUMAN_GOLDS} are needed to measure it)"
        return None, f"sensitivity assumed 1{few if human.golds else ''}"
    found = proportion(human.golds_accepted, human.golds)
    measured = human.golds_accepted / human.golds
    if acceptance is not None and measured < acceptance:
        return None, (
            f"sensitivity assumed 1 ({measured:.2f} of {human.golds} vouched human golds is below the "
            f"acceptance of {acceptance:.2f}, which would mean that more than all drafts answer)"
        )
    return found, f"sensitivity {measured:.2f} from {human.golds} vouched human golds"


def _assumptions(worst: KindResult | None, found: str) -> tuple[str, ...]:
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
