"""Questions that are one with another in nearly the same words, and those that people have parted."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.store.connection import Connection


@dataclass(frozen=True, slots=True)
class QuestionDuplicate:
    """A question that another one stands for."""

    question_id: str
    kept_id: str
    found_by: str
    """"words" or "embedding", see ``goldgen.text.near_duplicates``."""
    similarity: float


class Duplicates:
    """Groups of questions as stars: each member with the one that is kept, which is in no other group."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def replace(self, duplicates: Sequence[QuestionDuplicate]) -> None:
        """Store what was found among all questions, in place of what was found before."""
        with self._connection.transaction():
            self._connection.run_script("delete from question_duplicates")
            # DuckDB keeps deleted keys in its index until the transaction ends: hence replace, not new.
            self._connection.save("question_duplicates", duplicates)

    def all(self) -> list[QuestionDuplicate]:
        return self._connection.load(QuestionDuplicate, "question_duplicates", "order by question_id")

    def part(self, first_id: str, second_id: str) -> None:
        """Keep that the two are not one question."""
        with self._connection.transaction():
            self._connection.save_rows(
                "parted_questions", ("first_id", "second_id"), [sorted((first_id, second_id))]
            )

    def join(self, first_id: str, second_id: str) -> None:
        """Take ``part`` back."""
        with self._connection.transaction():
            self._connection.rows(
                "delete from parted_questions where first_id = ? and second_id = ?",
                sorted((first_id, second_id)),
            )

    def parted(self) -> frozenset[tuple[str, str]]:
        """Pairs of ids, the smaller first."""
        return frozenset(self._connection.rows("select first_id, second_id from parted_questions"))
