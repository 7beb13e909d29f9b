"""Evaluation runs: what each retriever found for each question, and how it scored."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from goldgen.store.connection import Connection
from goldgen.types import Hit, Ranking

RANKING_DEPTH = 50
"""How many hits of a ranking are kept."""

_RUN_COLUMNS = (
    "id",
    "created_at",
    "retriever",
    "measures",
    "means",
    "configuration_json",
    "set_fingerprint",
    "corpus_fingerprint",
    "evaluation_id",
)
_QUESTION_COLUMNS = ("run_id", "position", "question_id", "measured", "chunk_ids", "scores")


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question of a run."""

    question_id: str
    values: tuple[float | None, ...]
    """In the order of the run's measures; None: not defined, as for a question without gold."""
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One retriever measured on one golden set."""

    id: str
    created_at: datetime
    """With a time zone; it comes back in UTC."""
    retriever: str
    measures: tuple[str, ...]
    means: tuple[float | None, ...]
    """In the order of ``measures``."""
    questions: tuple[QuestionResult, ...]
    configuration: str
    """JSON: all that is needed to run it again."""
    set_fingerprint: str
    """The hash of the judgments and chunks that it was measured on."""
    corpus_fingerprint: str = ""
    """The hash of the chunks alone."""
    evaluation_id: str = ""
    """The evaluation that it was part of."""


class Runs:
    """All runs on this set, the earlier first."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, run: StoredRun) -> None:
        """Store a run, each ranking cut at ``RANKING_DEPTH``; one with the same id is replaced."""
        created_at = run.created_at.astimezone(UTC).replace(tzinfo=None)
        row = (
            run.id,
            created_at,
            run.retriever,
            list(run.measures),
            _floats(run.means),
            run.configuration,
            run.set_fingerprint,
            run.corpus_fingerprint,
            run.evaluation_id,
        )
        with self._connection.transaction():
            self._connection.delete("run_questions", "run_id", [run.id])
            self._connection.save_rows("runs", _RUN_COLUMNS, [row])
            self._connection.save_rows(
                "run_questions",
                _QUESTION_COLUMNS,
                [_question_row(run.id, place, result) for place, result in enumerate(run.questions)],
            )

    def all(self) -> list[StoredRun]:
        return self._load("")

    def latest(self) -> dict[str, StoredRun]:
        """The last run of each retriever, by the retriever's label."""
        last = "qualify row_number() over (partition by retriever order by created_at desc, id desc) = 1"
        return {run.retriever: run for run in self._load(last)}

    def rankings(self, evaluation_id: str, question_id: str) -> dict[str, Ranking]:
        """What each retriever of one evaluation found for one question, by the retriever's label."""
        found = self._connection.rows(
            "select retriever, chunk_ids, scores from runs join run_questions on id = run_id "
            "where evaluation_id = ? and question_id = ? order by retriever",
            [evaluation_id, question_id],
        )
        return {retriever: tuple(map(Hit, chunk_ids, scores)) for retriever, chunk_ids, scores in found}

    def _load(self, condition: str) -> list[StoredRun]:
        runs = self._connection.rows(
            f"select {', '.join(_RUN_COLUMNS)} from runs {condition} order by created_at, id"
        )
        questions: defaultdict[str, list[QuestionResult]] = defaultdict(list)
        for run_id, _, question_id, measured, chunk_ids, scores in self._connection.rows(
            f"select {', '.join(_QUESTION_COLUMNS)} from run_questions "
            "where run_id in (select unnest(?)) order by run_id, position",
            [[row[0] for row in runs]],
        ):
            ranking = tuple(Hit(chunk_id, score) for chunk_id, score in zip(chunk_ids, scores, strict=True))
            questions[run_id].append(QuestionResult(question_id, tuple(measured), ranking))
        return [
            StoredRun(
                id=run_id,
                created_at=created_at.replace(tzinfo=UTC),
                retriever=retriever,
                measures=tuple(measures),
                means=tuple(means),
                questions=tuple(questions[run_id]),
                configuration=configuration,
                set_fingerprint=of_set,
                corpus_fingerprint=of_corpus,
                evaluation_id=evaluation_id,
            )
            for (
                run_id,
                created_at,
                retriever,
                measures,
                means,
                configuration,
                of_set,
                of_corpus,
                evaluation_id,
            ) in runs
        ]


def _question_row(run_id: str, place: int, result: QuestionResult) -> tuple[object, ...]:
    hits = result.ranking[:RANKING_DEPTH]
    return (
        run_id,
        place,
        result.question_id,
        _floats(result.values),
        [hit.chunk_id for hit in hits],
        [float(hit.score) for hit in hits],
    )


def _floats(measured: Sequence[float | None]) -> list[float | None]:
    # NumPy's scalars become Python's own.
    return [None if value is None else float(value) for value in measured]
