"""Whole evaluations as they were reported, so that a report can be made again without a search."""

from dataclasses import dataclass
from datetime import UTC, datetime

from goldgen.store.connection import Connection


@dataclass(frozen=True, slots=True)
class StoredEvaluation:
    """One evaluation of some retrievers."""

    id: str
    created_at: datetime
    """With a time zone; it comes back in UTC."""
    set_fingerprint: str
    report: str
    """JSON."""


class Evaluations:
    """All evaluations on this set."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, evaluation: StoredEvaluation) -> None:
        """Store an evaluation; one with the same id is replaced."""
        created_at = evaluation.created_at.astimezone(UTC).replace(tzinfo=None)
        row = (evaluation.id, created_at, evaluation.set_fingerprint, evaluation.report)
        with self._connection.transaction():
            self._connection.save_rows(
                "evaluations", ("id", "created_at", "set_fingerprint", "report_json"), [row]
            )

    def latest(self) -> StoredEvaluation | None:
        """The last one; None if nothing was evaluated yet."""
        rows = self._connection.rows(
            "select id, created_at, set_fingerprint, report_json from evaluations "
            "order by created_at desc, id desc limit 1"
        )
        if not rows:
            return None
        key, created_at, fingerprint, report = rows[0]
        return StoredEvaluation(key, created_at.replace(tzinfo=UTC), fingerprint, report)
