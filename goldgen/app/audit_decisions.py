"""Whether written and real questions decide alike between retrievers, by the kept runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from goldgen.app.comparison import PRIMARY
from goldgen.app.golden import GoldenSet
from goldgen.app.run_differences import shares_model
from goldgen.app.run_scores import rankings
from goldgen.app.runs import RunSummary, find_run, run_summaries
from goldgen.evaluation import DAGGER, DELTA, RunScores, paired_differences, score_run
from goldgen.evaluation.origins import FEWEST_CLUSTERS, OriginContrast, OriginSample, contrast
from goldgen.store import StoredRun
from goldgen.types import Origin, Scores

WRITTEN: Origin = "synthetic"
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Decision:
    """Two retrievers on written and on real questions; ``contrast.first`` is of the written ones."""

    better: str
    """That with the higher mean over the questions of both origins."""
    worse: str
    real: Origin
    contrast: OriginContrast
    """Of better minus worse: "both favour b" favours ``better``."""
    is_reserved: bool
    """One of the two shares a model with judging or pooling, which favours it."""
    verdict: str
    """That of ``contrast`` with the retriever's name, and with why it cannot be told."""

    @property
    def pair(self) -> str:
        return f"{self.better} and {self.worse}"


@dataclass(frozen=True, slots=True)
class Decisions:
    """Every pair of runs; ``notes`` tell what was left out, and why nothing is compared if so."""

    runs: tuple[str, ...]
    level: float
    """Of each interval: all of them together hold at 95% (Bonferroni)."""
    found: tuple[Decision, ...]
    notes: tuple[str, ...]


def decisions(
    golden: GoldenSet, kept: Sequence[StoredRun], wanted: Sequence[str], real: Sequence[Origin], db: Path
) -> Decisions:
    """Each pair of runs on written against real questions, in nDCG@10, scored anew on the present labels.

    ``wanted`` names runs as ``compare_runs`` does; empty: the latest of each retriever on the present chunks.
    Raises SettingsError for a run that is not there or not clear.
    """
    chosen, notes = _chosen(golden, kept, wanted, db)
    names = tuple(f"{run.retriever}{_dagger(run, golden)}" for run in chosen)
    if len(set(names)) < len(names):
        names = tuple(f"{name} ({run.id[:8]})" for name, run in zip(names, chosen, strict=True))
    if len(chosen) < 2:
        return Decisions(
            names, _CONFIDENCE, (), (*notes, "two runs are needed: goldgen eval with two retrievers")
        )
    both = set(rankings(chosen[0])).intersection(*(rankings(run) for run in chosen[1:]))
    questions = [item for item in golden.golden if item.question.id in both]
    origins: dict[str, Origin] = {item.question.id: item.question.origin for item in questions}
    missing = len(golden.golden) - len(questions)
    if missing:
        notes += (f"{missing} golden questions that not all of these runs have are left out",)
    compared: list[Origin] = [origin for origin in real if origin in origins.values()]
    if WRITTEN not in origins.values() or not compared:
        without = WRITTEN if WRITTEN not in origins.values() else " or ".join(real)
        return Decisions(names, _CONFIDENCE, (), (*notes, f"no measured {without} question has gold"))
    scores = [
        score_run([item.judged for item in questions], rankings(run), [PRIMARY], threshold=golden.threshold)
        for run in chosen
    ]
    pairs = list(combinations(range(len(chosen)), 2))
    level = 1 - (1 - _CONFIDENCE) / (len(pairs) * len(compared))
    found: list[Decision] = []
    for origin in compared:
        for a, b in pairs:
            differences = paired_differences(scores[a], scores[b], PRIMARY)
            if float(differences.mean()) < 0:
                a, b, differences = b, a, -differences
            seen = contrast(
                _sample(scores[b], differences, origins, WRITTEN),
                _sample(scores[b], differences, origins, origin),
                level=level,
            )
            reserved = any(name.endswith(DAGGER) or f"{DAGGER} (" in name for name in (names[a], names[b]))
            few = seen.clusters[0] < FEWEST_CLUSTERS
            said = _verdict(names[b], few, origin, seen)
            found.append(Decision(names[b], names[a], origin, seen, reserved, said))
    return Decisions(names, level, tuple(found), notes)


def _chosen(
    golden: GoldenSet, kept: Sequence[StoredRun], wanted: Sequence[str], db: Path
) -> tuple[list[StoredRun], tuple[str, ...]]:
    summaries = run_summaries(kept, golden)
    by_id = {run.id: run for run in kept}
    if wanted:
        return [by_id[key] for key in dict.fromkeys(find_run(name, summaries, db).id for name in wanted)], ()
    latest: dict[str, RunSummary] = {summary.retriever: summary for summary in summaries}
    present = [by_id[summary.id] for summary in latest.values() if summary.is_present_corpus]
    other = [name for name, summary in latest.items() if not summary.is_present_corpus]
    note = f"runs on other chunks are left out: {', '.join(other)}"
    return present, (note,) if other else ()


def _dagger(run: StoredRun, golden: GoldenSet) -> str:
    return DAGGER if shares_model(run, golden.judging_models) else ""


def _sample(
    scores: RunScores, differences: Scores, origins: Mapping[str, Origin], which: Origin
) -> OriginSample:
    places = [i for i, question_id in enumerate(scores.question_ids) if origins[question_id] == which]
    return OriginSample(differences[places], [scores.clusters[i] for i in places])


def _verdict(better: str, written_few: bool, real: Origin, seen: OriginContrast) -> str:
    if seen.verdict == "both favour b":
        return f"both favour {better}{', by unlike amounts' if seen.apart.sign else ''}"
    if seen.verdict == "no difference":
        return f"alike within {DELTA:g}"
    if seen.verdict == "cannot tell" and min(seen.clusters) < FEWEST_CLUSTERS:
        return f"cannot tell: too few {WRITTEN if written_few else real} questions"
    return seen.verdict
