"""Measuring retrievers on the golden set."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from goldgen.app.difficulty import keep_ranks
from goldgen.app.evaluation_report import Circumstances, report_of
from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.measuring import Measured, measure_retriever, measure_run_file
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import MEASURED, RetrieverFactory, SearchOptions
from goldgen.app.selecting import selected
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import DELTA, Measure, Report, report_to_json
from goldgen.retrieve import SearchFunction
from goldgen.store import QuestionResult, Store, StoredEvaluation, StoredRun, open_store
from goldgen.text import stable_id

CUTOFFS = (1, 3, 5, 10)
MEASURES = (
    *(Measure(name, k) for name in ("P", "R", "RR", "AP", "nDCG") for k in CUTOFFS),
    Measure("Success", 10),
    Measure("Judged", 10),
)
"""What every evaluation measures."""
BUDGET = 2000


@dataclass(frozen=True, slots=True)
class EvalOptions:
    db: Path
    retrievers: tuple[str, ...] = ()
    """Built-in ones, ``module:function`` or ``http://…``. Empty, and no ``runs`` or ``own`` either: bm25,
    dense, hybrid and rerank."""
    search: SearchOptions = field(default_factory=SearchOptions)
    models: ModelSettings = field(default_factory=ModelSettings)
    delta: float = DELTA
    """The difference in nDCG@10 worth seeing, for which the questions needed are told."""
    runs: tuple[Path, ...] = ()
    """Files of hits: TREC, CSV, TSV, JSONL or Parquet."""
    own: Mapping[str, SearchFunction] = field(default_factory=dict[str, SearchFunction])
    """Functions ``(question, k)`` by the names that they are to have in the report."""
    measures: tuple[str, ...] = ()
    """Further measures, such as ``AllGold@5`` or ``bpref``."""
    budget: int = BUDGET
    """Tokens of context, for which the number of results is chosen."""
    selection: str = ""
    """Name of the selection to measure on; empty: all golden questions."""


def evaluate(options: EvalOptions, reporter: Reporter | None = None) -> Report:
    """Search every golden question with every retriever, score and compare, and keep runs and report.

    Raises EmptyResultError if the set has no question with gold, SettingsError for an unknown measure or
    retriever, RetrieverError for one of the user's own that fails, ModelError if a model cannot be had.
    """
    reporter = reporter or Silent()
    measures = (*MEASURES, *(m for m in map(Measure.parse, options.measures) if m not in MEASURES))
    with open_store(options.db, create=False) as store:
        golden = load_golden(store)
        if options.selection:
            golden = selected(store, golden, options.selection)
        if not golden.golden:
            raise EmptyResultError(
                f"{options.db} has no question with a gold chunk; run goldgen synth PATH, then goldgen verify"
            )
        files = [measure_run_file(path, golden, measures) for path in options.runs]
        names = (*options.retrievers, *options.own) or (() if files else MEASURED)
        measured: list[Measured] = []
        with RetrieverFactory(
            options.models, store.vectors, reporter, options.search, options.own
        ) as factory:
            for name in dict.fromkeys(names):
                measured.append(measure_retriever(name, factory, golden, measures, reporter))
            language = factory.language
        measured = _with_own_labels([*measured, *files])
        now = datetime.now(UTC)
        run_ids = {found.label: stable_id(found.name, now.isoformat()) for found in measured}
        circumstances = Circumstances(now.isoformat(), language, options.delta, options.budget, run_ids)
        with reporter.phase("comparing", None):
            report = report_of(store, golden, measured, circumstances)
        keep_ranks(store, golden, measured)
        _keep(store, measured, golden, options, report, now)
    return report


def _with_own_labels(measured: Sequence[Measured]) -> list[Measured]:
    """Each with a label of its own: a file may be called like a retriever."""
    labels: set[str] = set()
    named: list[Measured] = []
    for found in measured:
        label = found.label if found.label not in labels else found.name
        if label in labels:
            raise SettingsError(f"{label} is given twice; name each retriever and each run once")
        labels.add(label)
        named.append(replace(found, label=label))
    return named


def _keep(
    store: Store,
    measured: Sequence[Measured],
    golden: GoldenSet,
    options: EvalOptions,
    report: Report,
    now: datetime,
) -> None:
    evaluation_id = stable_id("evaluation", now.isoformat())
    for result, found in zip(report.retrievers, measured, strict=True):
        scores = found.scores
        configuration = {
            "retriever": found.name,
            "models": sorted(found.models),
            "search": asdict(options.search) | {"language": report.language},
            "selection": options.selection,
        }
        store.runs.add(
            StoredRun(
                id=result.run_id,
                created_at=now,
                retriever=found.label,
                measures=tuple(map(str, scores.measures)),
                means=tuple(map(scores.mean, scores.measures)),
                questions=tuple(
                    QuestionResult(question_id, tuple(values), found.run.get(question_id, ()))
                    for question_id, values in zip(scores.question_ids, scores.values.tolist(), strict=True)
                ),
                configuration=json.dumps(configuration),
                set_fingerprint=golden.fingerprint,
                corpus_fingerprint=golden.corpus_fingerprint,
                evaluation_id=evaluation_id,
            )
        )
    store.evaluations.add(StoredEvaluation(evaluation_id, now, golden.fingerprint, report_to_json(report)))
