"""A gate for changes: an evaluation against a baseline and against floors, by bounds and not by means."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from goldgen.app.comparison import PRIMARY
from goldgen.app.gate_sentences import floor_sentence, loss_sentence, many, proof_sentence
from goldgen.app.named_report import NamedReport
from goldgen.app.reports import last_report, read_report
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import (
    FEW_CLUSTERS,
    Decision,
    Measure,
    Verdict,
    at_least,
    non_inferiority,
    questions_needed,
)
from goldgen.report.checks import Check
from goldgen.types import Scores

MARGIN = 0.02
_LEVEL = 0.95
_FINEST = 0.001
"""The least margin for which the questions needed are told; for a finer one nobody will have as many."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """A floor for the mean of one measure."""

    measure: Measure
    floor: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``R@5=0.85``. Raises SettingsError."""
        name, _, number = text.partition("=")
        try:
            floor = float(number)
        except ValueError:
            floor = 0.0
        if not 0 < floor <= 1:
            raise SettingsError(
                f"the minimum {text!r} is none; write MEASURE=FLOOR, such as R@5=0.85, with a floor above 0 "
                "and at most 1"
            )
        return cls(Measure.parse(name), floor)


@dataclass(frozen=True, slots=True)
class GateOptions:
    db: Path
    baseline: Path | None = None
    """A report file; None: only ``minimums`` are checked."""
    current: Path | None = None
    """A report file; None for the latest evaluation that the set keeps."""
    measure: Measure = PRIMARY
    margin: float = MARGIN
    """The loss in ``measure`` that is put up with."""
    retrievers: tuple[str, ...] = ()
    """By label or name; empty for those of the baseline or, without one, of the current evaluation."""
    minimums: tuple[Minimum, ...] = ()
    common: bool = False
    """Compare reports of different sets, over the questions that both have."""
    require_proven: bool = False


@dataclass(frozen=True, slots=True)
class GateReport:
    verdict: Verdict
    """A failed check fails the gate; else an open one leaves it inconclusive."""
    checks: tuple[Check, ...]
    notes: tuple[str, ...]
    """What limits the trust in the answer, a sentence each."""
    current: str
    """Where the evaluation came from, and when it was made."""
    set_fingerprint: str


def gate(options: GateOptions) -> GateReport:
    """Check each retriever against the baseline and the floors, and, where asked, the set itself.

    No bound is corrected for the number of checks: all must pass, so the gate lets a loss beyond the margin
    through no more often than a single check does. Source: Berger, Technometrics 1982 (intersection-union
    tests). Raises SettingsError, EmptyResultError or StoreError, in one line, if there is nothing to check
    or to compare, or if the reports are of different sets.
    """
    if options.baseline is None and not options.minimums and not options.require_proven:
        raise SettingsError("nothing to check; give --baseline FILE, --min R@5=0.85 or --require-proven")
    baseline = _read(options.baseline) if options.baseline else None
    current = _read(options.current) if options.current else _latest(options.db)
    notes = _pairing_notes(baseline, current, common=options.common) if baseline else ()
    checks: list[Check] = []
    for name in options.retrievers or (baseline or current).labels:
        if baseline:
            checks.append(_loss_check(name, baseline, current, options))
        checks.extend(_floor_check(name, current, minimum) for minimum in options.minimums)
    if options.require_proven:
        checks.append(_proof_check(current))
    if not checks:
        raise EmptyResultError(f"{current.name} has no retriever to check; evaluate one")
    return GateReport(
        verdict=_whole(checks),
        checks=tuple(checks),
        notes=(*notes, *_ungated(baseline, current, options), *_few_notes(checks)),
        current=f"{current.name}, made {current.report.created_at}",
        set_fingerprint=current.report.set_fingerprint,
    )


def _read(path: Path) -> NamedReport:
    return NamedReport(str(path), read_report(path))


def _latest(db: Path) -> NamedReport:
    return NamedReport(f"the latest evaluation in {db}", last_report(db))


def _whole(checks: Sequence[Check]) -> Verdict:
    verdicts = {check.verdict for check in checks}
    if "fail" in verdicts:
        return "fail"
    return "inconclusive" if "inconclusive" in verdicts else "pass"


def _pairing_notes(baseline: NamedReport, current: NamedReport, *, common: bool) -> tuple[str, ...]:
    """What to know of the pairs. Raises SettingsError if the reports do not compare."""
    before, now = baseline.report, current.report
    if before == now:
        raise SettingsError(
            f"{current.name} is the baseline {baseline.name} itself; run goldgen eval again after the change"
        )
    if before.threshold != now.threshold:
        raise SettingsError(
            f"{baseline.name} counts gold from grade {before.threshold:g} and {current.name} from "
            f"{now.threshold:g}; evaluate both alike"
        )
    if before.set_fingerprint == now.set_fingerprint:
        return ()
    if not common:
        corpus = before.corpus_fingerprint != now.corpus_fingerprint
        differs = "the corpus differs, and the set with it" if corpus else "other labels over the same corpus"
        raise SettingsError(
            f"{baseline.name} and {current.name} were measured on different sets ({differs}); evaluate the "
            "baseline's retrievers on this set and write the file anew, or compare the questions that both "
            "have with --common"
        )
    old = {outcome.question_id: outcome.golds for outcome in before.outcomes}
    both = [outcome for outcome in now.outcomes if outcome.question_id in old]
    changed = sum(
        {(gold.chunk_id, gold.grade) for gold in outcome.golds}
        != {(gold.chunk_id, gold.grade) for gold in old[outcome.question_id]}
        for outcome in both
    )
    return (
        f"the sets differ: only {many(len(both), 'question')} that both have "
        f"{'is' if len(both) == 1 else 'are'} compared with {baseline.name}; it has "
        f"{len(old) - len(both)} more, and {current.name} {len(now.outcomes) - len(both)} more",
        f"each report counts by the labels of its own time; of the questions that both have, {changed} "
        "changed in their golds",
    )


def _loss_check(name: str, baseline: NamedReport, current: NamedReport, options: GateOptions) -> Check:
    measure = str(options.measure)
    before = baseline.values(baseline.label(name), measure)
    label = current.label(name)
    now = current.values(label, measure)
    ids = [question_id for question_id in now if question_id in before]
    if not ids:
        raise EmptyResultError(
            f"{baseline.name} and {current.name} have no question in common; evaluate both on one set"
        )
    if not options.common and len(ids) != len(before | now):
        raise SettingsError(
            f"{baseline.name} and {current.name} claim the same set and hold different questions; "
            "write the baseline anew"
        )
    differences: Scores = np.array([now[i] - before[i] for i in ids], dtype=np.float64)
    clusters = [current.clusters[i] for i in ids]
    found = non_inferiority(differences, clusters, options.margin, level=_LEVEL)
    needed = _needed(differences, clusters, found, options.margin)
    sentence = loss_sentence(
        label, measure, baseline.name, found, questions=len(ids), needed=needed, level=_LEVEL
    )
    return Check(
        label, f"{measure} against {baseline.name}", found.verdict, sentence, len(ids), found, needed
    )


def _needed(differences: Scores, clusters: Sequence[str], found: Decision, margin: float) -> int | None:
    """The questions that show a loss of the margin, for an open check; None if there are as many already."""
    if found.verdict != "inconclusive" or margin < _FINEST:
        return None
    # Two-sided at twice the error is one-sided at the gate's level.
    needed = questions_needed(differences, clusters, delta=margin, alpha=2 * (1 - _LEVEL))
    return needed.questions if needed and needed.questions > len(differences) else None


def _floor_check(name: str, current: NamedReport, minimum: Minimum) -> Check:
    label, measure = current.label(name), str(minimum.measure)
    values = current.values(label, measure)
    if not values:
        raise EmptyResultError(f"{current.name} has no question with gold; run goldgen eval on a judged set")
    clusters = [current.clusters[question_id] for question_id in values]
    found = at_least(np.array(list(values.values())), clusters, minimum.floor, level=_LEVEL)
    sentence = floor_sentence(label, measure, found, questions=len(values), level=_LEVEL)
    return Check(label, f"{measure} at least {minimum.floor:g}", found.verdict, sentence, len(values), found)


def _proof_check(current: NamedReport) -> Check:
    """Every verifier that judged the set must be proven; a set that only people judged needs no proof."""
    proof = current.report.proof
    known = {verifier.name: verifier for verifier in proof.verifiers}
    judges = proof.judged_by or tuple(known)
    verdicts = {name: known[name].verdict if name in known else "unproven" for name in judges}
    verdict: Verdict = "pass" if judges or proof.human_verdicts else "inconclusive"
    if "failed" in verdicts.values():
        verdict = "fail"
    elif any(found != "proven" for found in verdicts.values()):
        verdict = "inconclusive"
    reasons = {
        name: known[name].reason if name in known else "no verification was finished" for name in judges
    }
    return Check("the set", "proven", verdict, proof_sentence(verdict, verdicts, reasons))


def _ungated(baseline: NamedReport | None, current: NamedReport, options: GateOptions) -> tuple[str, ...]:
    if baseline is None or options.retrievers:
        return ()
    gated = {current.label(name) for name in baseline.labels}
    others = [label for label in current.labels if label not in gated]
    return (f"not checked, for {baseline.name} does not have it: {', '.join(others)}",) if others else ()


def _few_notes(checks: Sequence[Check]) -> tuple[str, ...]:
    few = [check.decision.clusters for check in checks if check.decision and check.decision.few_clusters]
    if not few:
        return ()
    return (
        f"the questions come from {many(min(few), 'source')}, and fewer than {FEW_CLUSTERS} make the bounds "
        "rough: sample more documents",
    )
