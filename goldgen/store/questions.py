"""Questions, the near misses written for them, and the drafts that did not become questions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.store.connection import Connection
from goldgen.text import stable_id
from goldgen.types import NearMiss, Origin, Question


@dataclass(frozen=True, slots=True)
class Rejection:
    """A draft that a stage turned down, kept so that nothing is dropped uncounted."""

    stage: str
    text: str
    """The rejected draft itself."""
    chunk_id: str | None
    """The chunk it was written from; None for a log query."""
    reason: str


class Questions:
    """Questions and near misses come back in the order of their ids, equal on every machine."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, questions: Sequence[Question]) -> None:
        """Store questions; one with the same id is replaced, the count ``asked`` included."""
        with self._connection.transaction():
            self._connection.save("questions", list({item.id: item for item in questions}.values()))

    def remove(self, question_ids: Sequence[str]) -> None:
        """Take questions out, and the near misses and candidates for labels that they have."""
        with self._connection.transaction():
            for table, column in (
                ("questions", "id"),
                ("near_misses", "question_id"),
                ("pool", "question_id"),
            ):
                self._connection.delete(table, column, question_ids)

    def all(self, origin: Origin | None = None) -> list[Question]:
        tail = "where origin = coalesce(?, origin) order by id"
        return self._connection.load(Question, "questions", tail, [origin])

    def drafted_chunks(self) -> frozenset[str]:
        """The chunks that have questions or rejected drafts."""
        sql = "select chunk_id from questions union select chunk_id from rejections where stage = 'synth'"
        return frozenset(chunk_id for (chunk_id,) in self._connection.rows(sql) if chunk_id)

    def get(self, question_id: str) -> Question | None:
        return next(iter(self._connection.load(Question, "questions", "where id = ?", [question_id])), None)

    def add_near_misses(self, near_misses: Sequence[NearMiss]) -> None:
        """Store near misses; one with the same id is replaced."""
        with self._connection.transaction():
            self._connection.save("near_misses", list({item.id: item for item in near_misses}.values()))

    def replace_near_misses(self, chunk_ids: Sequence[str], near_misses: Sequence[NearMiss]) -> None:
        """Store the near misses of some chunks in place of those that these had."""
        with self._connection.transaction():
            self._connection.delete("near_misses", "chunk_id", chunk_ids)
            self._connection.save("near_misses", list({item.id: item for item in near_misses}.values()))

    def near_misses(self) -> list[NearMiss]:
        return self._connection.load(NearMiss, "near_misses", "order by id")

    def add_rejections(self, rejections: Sequence[Rejection]) -> None:
        """Store rejected drafts; the same ones again, as after a restart, change nothing.

        Equal drafts of one call count each; a draft that comes again with another reason is updated.
        """
        seen: Counter[tuple[str, str, str]] = Counter()
        rows: list[tuple[str | None, ...]] = []
        for item in rejections:
            draft = (item.stage, item.chunk_id or "", item.text)
            seen[draft] += 1
            rows.append(
                (stable_id(*draft, str(seen[draft])), item.stage, item.text, item.chunk_id, item.reason)
            )
        with self._connection.transaction():
            self._connection.save_rows("rejections", ("id", "stage", "text", "chunk_id", "reason"), rows)

    def rejections(self, stage: str) -> dict[str, int]:
        """How many drafts of a stage were rejected for each reason, the most frequent first."""
        return dict(
            self._connection.rows(
                "select reason, count(*) from rejections where stage = ? group by reason order by 2 desc, 1",
                [stage],
            )
        )

    def rejected(self, stage: str) -> list[Rejection]:
        """The rejected drafts themselves."""
        return self._connection.load(Rejection, "rejections", "where stage = ? order by id", [stage])
