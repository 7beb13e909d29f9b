"""Synthetic questions held against those that people asked: in wording, difficulty, and what they decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldgen.app.audit_decisions import WRITTEN, Decisions, decisions
from goldgen.app.audit_verdict import Contrasted, TellingFigures, verdict
from goldgen.app.golden import load_golden
from goldgen.app.question_figures import FEATURES, Described, QuestionFigures, described, figures
from goldgen.app.vocabulary import vocabulary
from goldgen.errors import EmptyResultError
from goldgen.evaluation.telling import telling_apart
from goldgen.store import open_store
from goldgen.text.leakage import LeakageMeter
from goldgen.types import Origin

REAL: tuple[Origin, ...] = ("log", "manual")
_ORIGINS: tuple[Origin, ...] = (WRITTEN, *REAL)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    db: Path
    runs: tuple[str, ...] = ()
    """Kept runs to compare, by the beginning of an id or by a retriever's label for its latest; empty: the
    latest run of each retriever."""


@dataclass(frozen=True, slots=True)
class AuditReport:
    verdict: str
    """What a reader should do, in plain words."""
    figures: Mapping[Origin, QuestionFigures]
    against: tuple[Contrasted, ...]
    """Synthetic questions against those of each other origin."""
    decisions: Decisions
    marks: tuple[str, ...]
    """What limits the trust in the set."""


def audit(options: AuditOptions) -> AuditReport:
    """Compare the synthetic questions of a set with those from logs and by hand. The set stays as it is.

    Each question counts once, however often it was asked. Raises EmptyResultError if there are none to
    compare, SettingsError for a run that is not there.
    """
    with open_store(options.db, read_only=True) as store:
        golden = load_golden(store)
        every: dict[Origin, Described] = {origin: described(golden, origin) for origin in _ORIGINS}
        found: dict[Origin, Described] = {
            origin: questions for origin, questions in every.items() if questions.items
        }
        _require_two(found, options.db)
        meter = LeakageMeter(chunk.full_text for chunk in golden.chunks)
        of_origin: dict[Origin, QuestionFigures] = {
            origin: figures(each, golden, store, meter) for origin, each in found.items()
        }
        kept = store.runs.all()
    real: list[Origin] = [origin for origin in REAL if origin in found]
    decided = decisions(golden, kept, options.runs, real, options.db)
    against = tuple(_contrasted(found[WRITTEN], found[origin], origin) for origin in real)
    return AuditReport(verdict(of_origin, against, decided), of_origin, against, decided, golden.marks)


def _require_two(found: Mapping[Origin, Described], db: Path) -> None:
    if WRITTEN not in found:
        raise EmptyResultError(f"{db} has no synthetic questions to audit; run goldgen synth PATH")
    if len(found) == 1:
        raise EmptyResultError(
            f"{db} has no questions of people to hold the synthetic ones against; run goldgen logs add FILE"
        )


def _contrasted(written: Described, real: Described, origin: Origin) -> Contrasted:
    is_real = [False] * len(written.items) + [True] * len(real.items)
    told = telling_apart(
        np.concatenate([written.features, real.features]), is_real, (*written.clusters, *real.clusters)
    )
    return Contrasted(
        origin,
        vocabulary(written.texts, real.texts),
        None if told is None else TellingFigures(told.area, told.low, told.high, _named(told.weights)),
    )


def _named(weights: Sequence[float]) -> dict[str, float]:
    """Feature to weight, the strongest first."""
    named = zip(FEATURES, weights, strict=True)
    return dict(sorted(named, key=lambda item: -abs(item[1])))
