"""How hard questions are, and named selections of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.store.connection import Connection


@dataclass(frozen=True, slots=True)
class GoldRank:
    """Where the best gold of a question stands in the results of one retriever."""

    question_id: str
    retriever: str
    rank: int | None
    """From 1; None if it is not among the first ``depth``."""
    depth: int


class Selections:
    """Ranks by question and retriever; selections by name."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put_ranks(self, ranks: Sequence[GoldRank]) -> None:
        """Store ranks; one of the same question and retriever is replaced."""
        with self._connection.transaction():
            self._connection.save("gold_ranks", ranks)

    def ranks(self) -> list[GoldRank]:
        """By question and retriever."""
        return self._connection.load(GoldRank, "gold_ranks", "order by question_id, retriever")

    def put(self, name: str, question_ids: Sequence[str]) -> None:
        """Store a selection in place of the one of that name."""
        rows = [(name, place, question_id) for place, question_id in enumerate(question_ids)]
        with self._connection.transaction():
            self._connection.delete("selections", "name", [name])
            self._connection.save_rows("selections", ("name", "place", "question_id"), rows)

    def get(self, name: str) -> tuple[str, ...]:
        """The questions of a selection in their order; empty if there is none of that name."""
        sql = "select question_id from selections where name = ? order by place"
        return tuple(question_id for (question_id,) in self._connection.rows(sql, [name]))

    def names(self) -> tuple[str, ...]:
        return tuple(
            name for (name,) in self._connection.rows("select distinct name from selections order by 1")
        )
