"""What logs say of each query, and the traffic that each query of the set stands for. All of it scrubbed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from goldgen.store.connection import Connection

_COLUMNS = (
    "question_id", "text", "asked", "first_seen", "last_seen", "variants", "pages", "unclicked", "rewritten",
    "rewritten_to", "liked", "disliked",
)  # fmt: skip
_BATCH = 50_000


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One query in one log, or in all of them."""

    question_id: str
    text: str
    asked: int
    first_seen: datetime | None = None
    """With a time zone; it comes back in UTC."""
    last_seen: datetime | None = None
    variants: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    unclicked: int = 0
    rewritten: int = 0
    """How often it was asked again in other words within minutes, after no click."""
    rewritten_to: tuple[str, ...] = ()
    """Ids of the questions that it became."""
    liked: int = 0
    disliked: int = 0


class Logs:
    """The logs added so far. A log is known by the hash of its content."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def replace(self, log: str, queries: Sequence[LoggedQuery]) -> None:
        """Store what a log says, in place of what was stored of it."""
        with self._connection.transaction():
            self._connection.delete("log_queries", "log", [log])
            for at in range(0, len(queries), _BATCH):
                rows = [(log, *_row(query)) for query in queries[at : at + _BATCH]]
                # DuckDB keeps deleted keys in its index until the transaction ends: hence replace, not new.
                self._connection.save_rows("log_queries", ("log", *_COLUMNS), rows)

    def asked(self) -> dict[str, int]:
        """How often each query was asked, over all logs."""
        return {
            key: int(asked)
            for key, asked in self._connection.rows(
                # A query that an older goldgen counted and did not keep has no text.
                "select question_id, sum(asked) from log_queries group by question_id having max(text) <> ''"
            )
        }

    def totals(self, question_ids: Sequence[str] | None = None) -> list[LoggedQuery]:
        """Each query over all logs, most often asked first; of equals, the smaller id. None: all."""
        wanted = "" if question_ids is None else "where question_id in (select unnest(?))"
        found = self._connection.rows(
            f"""
            select question_id, arg_max(text, asked), sum(asked), min(first_seen), max(last_seen),
                list_distinct(flatten(list(variants))), list_distinct(flatten(list(pages))),
                sum(unclicked), sum(rewritten), list_distinct(flatten(list(rewritten_to))),
                sum(liked), sum(disliked)
            from log_queries {wanted} group by question_id order by 3 desc, 1
            """,
            [] if question_ids is None else [list(question_ids)],
        )
        return [_query(row) for row in found]

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Store the traffic that each query of the sample stands for, in place of the weights before."""
        with self._connection.transaction():
            self._connection.run_script("delete from log_weights")
            self._connection.save_rows("log_weights", ("question_id", "weight"), list(weights.items()))

    def weights(self) -> dict[str, float]:
        """By question id. They sum up to the traffic of all logs; a question that is missing stands for none.

        A metric of the traffic is sum(weight * value) / sum(weight) over the log questions that are measured.
        """
        return dict(self._connection.rows("select question_id, weight from log_weights order by question_id"))


def _row(query: LoggedQuery) -> tuple[object, ...]:
    return (
        query.question_id, query.text, query.asked, _naive(query.first_seen), _naive(query.last_seen),
        query.variants, query.pages, query.unclicked, query.rewritten, query.rewritten_to, query.liked,
        query.disliked,
    )  # fmt: skip


def _query(row: tuple[object, ...]) -> LoggedQuery:
    key, text, asked, first, last, variants, pages, unclicked, rewritten, became, liked, disliked = row
    return LoggedQuery(
        str(key), str(text), _int(asked), _aware(first), _aware(last), _texts(variants), _texts(pages),
        _int(unclicked), _int(rewritten), _texts(became), _int(liked), _int(disliked),
    )  # fmt: skip


def _int(value: object) -> int:
    return int(str(value))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(sorted(map(str, value))) if isinstance(value, list) else ()  # pyright: ignore[reportUnknownArgumentType] -- DuckDB gives lists of unknown items


def _naive(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment else None


def _aware(moment: object) -> datetime | None:
    return moment.replace(tzinfo=UTC) if isinstance(moment, datetime) else None
