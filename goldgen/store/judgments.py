"""Verdicts on pairs of a question and a chunk, near miss or evidence set. Without a grade: unjudged."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from goldgen.store.connection import Connection, columns, quoted
from goldgen.types import AnsweredPart, Judgment

_COLUMNS = tuple("parts_json" if name == "parts" else name for name in columns(Judgment))


@dataclass(frozen=True, slots=True)
class StoredJudgment:
    """A verdict with its place among the others."""

    judgment: Judgment
    sequence: int
    """Grows with every verdict; clocks can run backwards."""
    judged_at: datetime
    """UTC."""


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
                (*_COLUMNS, "sequence", "judged_at"),
                [(*_row(item), last + place, now) for place, item in enumerate(latest.values(), start=1)],
            )

    def stored(self, judgment: Judgment) -> StoredJudgment | None:
        """What is stored of that judge on that pair; None if there is nothing."""
        rows = self._connection.rows(
            f"select {quoted((*_COLUMNS, 'sequence', 'judged_at'))} from judgments "
            "where (question_id, target_id, judge_kind, judge) = (?, ?, ?, ?)",
            _key(judgment),
        )
        if not rows:
            return None
        *values, sequence, judged_at = rows[0]
        found = _judgment(dict(zip(columns(Judgment), values, strict=True)))
        return StoredJudgment(found, int(sequence), judged_at)

    def restore(self, stored: StoredJudgment) -> None:
        """Store a verdict in the place and with the time that it has, whatever came after it."""
        with self._connection.transaction():
            self._connection.save_rows(
                "judgments",
                (*_COLUMNS, "sequence", "judged_at"),
                [(*_row(stored.judgment), stored.sequence, stored.judged_at)],
            )

    def remove(self, judgment: Judgment) -> None:
        """Take one judge's verdict on one pair back; nothing happens if it is not there."""
        with self._connection.transaction():
            self._connection.rows(
                "delete from judgments where (question_id, target_id, judge_kind, judge) = (?, ?, ?, ?)",
                _key(judgment),
            )

    def all(self) -> list[Judgment]:
        """Every verdict by question and target, the earlier first."""
        return self._load("order by question_id, target_id, sequence")

    def effective(self) -> list[Judgment]:
        """The one verdict that counts for each pair.

        That is the latest grade by a human; without one, the latest verifier's word, even if it is
        "unjudged": an older verifier's grade never stands in for it.
        """
        return self._load(
            """
            qualify row_number() over (
                partition by question_id, target_id
                order by judge_kind = 'human' and grade is not null desc,
                         judge_kind = 'verifier' desc,
                         sequence desc
            ) = 1
            order by question_id, target_id
            """
        )

    def _load(self, tail: str) -> list[Judgment]:
        rows = self._connection.rows(f"select {quoted(_COLUMNS)} from judgments {tail}")
        return [_judgment(dict(zip(columns(Judgment), row, strict=True))) for row in rows]


def _key(item: Judgment) -> list[str]:
    return [item.question_id, item.target_id, item.judge_kind, item.judge]


def _row(item: Judgment) -> tuple[object, ...]:
    values = {name: getattr(item, name) for name in columns(Judgment)}
    values["parts"] = json.dumps([asdict(part) for part in item.parts], ensure_ascii=False)
    return tuple(values.values())


def _judgment(values: dict[str, Any]) -> Judgment:
    values["parts"] = tuple(AnsweredPart(**part) for part in json.loads(values["parts"]))
    values["votes"] = tuple(values["votes"])
    return Judgment(**values)
