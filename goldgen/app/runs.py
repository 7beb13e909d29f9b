"""The runs that a set keeps, and two of them compared."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from goldgen.app.comparison import PRIMARY
from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.run_differences import SettingChange, changed_settings, difference_sentences, shares_model
from goldgen.app.run_scores import hits_gone, scored_anew, scores_as_kept
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import DELTA, Difference, Measure, RunScores, compare
from goldgen.store import RANKING_DEPTH, StoredRun, open_store

_SHOWN = 5
_SHORTEST_ID = 8


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A kept run without its rankings."""

    id: str
    short_id: str
    """The beginning of the id that no other run of the set has."""
    created_at: datetime
    retriever: str
    """Its label."""
    name: str
    """As it was asked for: "rerank" where a stand-in is labelled otherwise."""
    means: dict[str, float | None]
    questions: int
    is_present_set: bool
    """Whether it was measured on the labels and chunks as they are now."""
    is_present_corpus: bool
    """Whether on the chunks as they are now; False too for a run of before that was kept."""
    set_fingerprint: str
    corpus_fingerprint: str
    evaluation_id: str

    @property
    def title(self) -> str:
        """How sentences name it."""
        return f"{self.retriever} ({self.short_id})"


@dataclass(frozen=True, slots=True)
class KeptRuns:
    set_fingerprint: str
    """Of the set as it is now."""
    corpus_fingerprint: str
    runs: tuple[RunSummary, ...]
    """The latest first."""


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that one run does better on than the other."""

    question_id: str
    text: str
    before: float
    after: float

    @property
    def gain(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What the run ``after`` has over the run ``before`` in one measure."""

    before: RunSummary
    after: RunSummary
    measure: str
    mean_before: float
    mean_after: float
    difference: Difference
    """After minus before."""
    questions: int
    gained: int
    lost: int
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    """By which labels, and what was left out."""
    gains: tuple[QuestionChange, ...]
    """The largest first."""
    losses: tuple[QuestionChange, ...]
    """The largest first."""
    settings: tuple[SettingChange, ...]
    """Those that differ."""


def runs(db: Path) -> KeptRuns:
    """All runs that the set keeps. Raises StoreError if there is no set."""
    with open_store(db, read_only=True) as store:
        golden, kept = load_golden(store), store.runs.all()
    return KeptRuns(golden.fingerprint, golden.corpus_fingerprint, run_summaries(kept, golden)[::-1])


def compare_runs(
    db: Path,
    before: str,
    after: str,
    *,
    measure: Measure = PRIMARY,
    delta: float = DELTA,
    common: bool = False,
) -> RunComparison:
    """Two kept runs, each named by the beginning of its id, or by its retriever's label for the latest one.

    On the present set, both kept rankings are scored anew; two runs on one earlier set are compared by the
    values kept with them, for its labels are not. Runs on different sets are compared only if ``common``:
    then both are scored on the present labels, over the questions that both have. Raises SettingsError for
    an unknown or ambiguous run, a measure deeper than the kept rankings or different sets, and
    EmptyResultError without common questions.
    """
    if measure.k is not None and measure.k > RANKING_DEPTH:
        raise SettingsError(
            f"{measure} looks at {measure.k} results, and runs keep {RANKING_DEPTH}; take a smaller cutoff"
        )
    with open_store(db, read_only=True) as store:
        golden, kept = load_golden(store), store.runs.all()
    summaries = run_summaries(kept, golden)
    first, second = find_run(before, summaries, db), find_run(after, summaries, db)
    if first == second:
        raise SettingsError(
            f"{before} and {after} are the same run, {first.title}; name two, by ids that goldgen runs shows"
        )
    if not common:
        _require_same_set(first, second)
    runs_by_id = {run.id: run for run in kept}
    pair = runs_by_id[first.id], runs_by_id[second.id]
    if common or first.is_present_set:
        scored = scored_anew(pair, golden, measure)
        notes = _common_notes((first, second), pair, golden, scored[1].question_ids) if common else ()
    else:
        scored = scores_as_kept(pair[0], golden, measure), scores_as_kept(pair[1], golden, measure)
        notes = ("both by the labels of their own time, which the set has no more",)
    difference = compare(*scored, measure, delta=delta)
    changes = _changes(*scored, measure, golden)
    shared = shares_model(pair[0], golden.judging_models), shares_model(pair[1], golden.judging_models)
    questions = len(scored[1].question_ids)
    return RunComparison(
        before=first,
        after=second,
        measure=str(measure),
        mean_before=scored[0].mean(measure),
        mean_after=scored[1].mean(measure),
        difference=difference,
        questions=questions,
        gained=sum(change.gain > 0 for change in changes),
        lost=sum(change.gain < 0 for change in changes),
        sentences=difference_sentences(
            (first.title, second.title), difference, str(measure), questions, shared=shared
        ),
        notes=notes,
        gains=_largest(change for change in changes if change.gain > 0),
        losses=_largest(change for change in changes if change.gain < 0),
        settings=changed_settings(pair[0].configuration, pair[1].configuration),
    )


def run_summaries(kept: Sequence[StoredRun], golden: GoldenSet) -> tuple[RunSummary, ...]:
    of_set, of_corpus = golden.fingerprint, golden.corpus_fingerprint
    length = _SHORTEST_ID
    while len({run.id[:length] for run in kept}) < len(kept):
        length += 1
    return tuple(
        RunSummary(
            id=run.id,
            short_id=run.id[:length],
            created_at=run.created_at,
            retriever=run.retriever,
            name=str(json.loads(run.configuration).get("retriever", run.retriever)),
            means=dict(zip(run.measures, run.means, strict=True)),
            questions=len(run.questions),
            is_present_set=run.set_fingerprint == of_set,
            is_present_corpus=run.set_fingerprint == of_set or run.corpus_fingerprint == of_corpus,
            set_fingerprint=run.set_fingerprint,
            corpus_fingerprint=run.corpus_fingerprint,
            evaluation_id=run.evaluation_id,
        )
        for run in kept
    )


def find_run(name: str, summaries: Sequence[RunSummary], db: Path) -> RunSummary:
    if not summaries:
        raise EmptyResultError(f"{db} keeps no run yet; run goldgen eval")
    labelled = [run for run in summaries if run.retriever == name] or [
        run for run in summaries if run.name == name
    ]
    if labelled:
        return labelled[-1]
    found = [run for run in summaries if name and run.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(run.title for run in (found or summaries)[::-1][:_SHOWN])
    if found:
        raise SettingsError(f"{name!r} begins the ids of {len(found)} runs: {shown}; write more of the id")
    raise SettingsError(
        f"{db} keeps no run {name!r}; the latest are {shown}; name one by its id or its retriever, as "
        "goldgen runs shows them"
    )


def _require_same_set(before: RunSummary, after: RunSummary) -> None:
    if before.set_fingerprint == after.set_fingerprint:
        return
    if not before.corpus_fingerprint or not after.corpus_fingerprint:
        differs = "the labels differ, or the corpus"
    elif before.corpus_fingerprint == after.corpus_fingerprint:
        differs = "other labels over the same corpus"
    else:
        differs = "the corpus differs, and the set with it"
    raise SettingsError(
        f"{before.title} and {after.title} were measured on different sets ({differs}); run goldgen eval for "
        "both, or score both on the present labels with --common"
    )


def _common_notes(
    named: Sequence[RunSummary], pair: Sequence[StoredRun], golden: GoldenSet, questions: Sequence[str]
) -> tuple[str, ...]:
    left_out = [f"{summary.questions - len(questions)} of {summary.title}" for summary in named]
    notes = [
        f"both scored anew on the present labels, over the {len(questions)} questions that both have; "
        f"questions left out: {', '.join(left_out)}"
    ]
    for summary, run in zip(named, pair, strict=True):
        gone, hits = hits_gone(run, questions, golden)
        if gone:
            notes.append(
                f"{gone} of {hits} hits of {summary.title} name chunks that the set has no more; they are "
                "not relevant"
            )
    return tuple(notes)


def _changes(
    before: RunScores, after: RunScores, measure: Measure, golden: GoldenSet
) -> list[QuestionChange]:
    texts = {draft.id: draft.text for draft in golden.drafts}
    earlier = dict(zip(before.question_ids, before.of(measure).tolist(), strict=True))
    return [
        QuestionChange(question_id, texts.get(question_id, ""), earlier[question_id], value)
        for question_id, value in zip(after.question_ids, after.of(measure).tolist(), strict=True)
    ]


def _largest(changes: Iterable[QuestionChange]) -> tuple[QuestionChange, ...]:
    return tuple(sorted(changes, key=lambda change: (-abs(change.gain), change.question_id))[:_SHOWN])
