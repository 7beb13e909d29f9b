"""Which retriever proposed which chunk for which question, and at which rank."""

from collections.abc import Sequence

from goldgen.store.connection import Connection
from goldgen.types import Pooled


class Pool:
    """Candidates for labels. What a retriever proposes for a question replaces what it proposed before."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, pooled: Sequence[Pooled]) -> None:
        """Store candidates in place of those that the same retrievers had for the same questions."""
        if not pooled:
            return
        pairs = sorted({(item.question_id, item.source) for item in pooled})
        latest = {(item.question_id, item.source, item.chunk_id): item for item in pooled}
        with self._connection.transaction():
            self._connection.rows(
                "delete from pool where (question_id, source) in (select (unnest(?), unnest(?)))",
                [[question for question, _ in pairs], [source for _, source in pairs]],
            )
            self._connection.save("pool", list(latest.values()))

    def all(self) -> list[Pooled]:
        """By question, retriever and rank."""
        return self._connection.load(Pooled, "pool", "order by question_id, source, rank")
