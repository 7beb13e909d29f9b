"""Verdicts on pairs of a question and a chunk or near miss. A pair without a grade is unjudged."""

from collections.abc import Sequence
from datetime import UTC, datetime

from goldgen.store.connection import Connection, columns, values
from goldgen.types import Judgment


class Judgments:
    """One verdict for each question, target, kind of judge and judge."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, judgments: Sequence[Judgment]) -> None:
        """Store verdicts; a judge's new verdict on the same pair replaces its old one."""
        latest = {(item.question_id, item.target_id, item.judge_kind, item.judge): item for item in judgments}
        now = datetime.now(UTC).replace(tzinfo=None)
        with self._connection.transaction():
            last = self._connection.rows("select coalesce(max(sequence), 0) from judgments")[0][0]
            self._connection.save_rows(
                "judgments",
                (*columns(Judgment), "sequence", "judged_at"),
                [(*values(item), last + place, now) for place, item in enumerate(latest.values(), start=1)],
            )

    def all(self) -> list[Judgment]:
        """Every verdict by question and target, the earlier first."""
        return self._connection.load(Judgment, "judgments", "order by question_id, target_id, sequence")

    def effective(self) -> list[Judgment]:
        """The one verdict that counts for each pair.

        That is the latest grade by a human; without one, the latest verifier's word, even if it is
        "unjudged": an older verifier's grade never stands in for it.
        """
        return self._connection.load(
            Judgment,
            "judgments",
            """
            qualify row_number() over (
                partition by question_id, target_id
                order by judge_kind = 'human' and grade is not null desc,
                         judge_kind = 'verifier' desc,
                         sequence desc
            ) = 1
            order by question_id, target_id
            """,
        )
