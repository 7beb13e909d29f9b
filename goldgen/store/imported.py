"""A collection that was made elsewhere: its documents, its questions, and the grades that came with them."""

import json
from collections.abc import Mapping, Sequence

from goldgen.store.connection import Connection
from goldgen.types import Chunk, Document, Question

_DOCUMENT_COLUMNS = ("id", "path", "text", "title", "metadata_json")
_GRADE_COLUMNS = ("question_id", "chunk_id", "grade")


class Imported:
    """The grades of an imported collection, which are not bound to goldgen's scale from 0 to 3."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def replace(
        self,
        documents: Sequence[tuple[Document, Chunk]],
        questions: Sequence[Question],
        grades: Mapping[str, Mapping[str, float]],
        facts: Mapping[str, str],
    ) -> None:
        """Put a whole collection in place of all documents, questions and grades, or change nothing.

        Each document is one chunk. ``grades``: question id to chunk id to grade. ``facts`` go to the set's
        meta in the same transaction.
        """
        rows = [(d.id, d.path, d.text, d.title, json.dumps(dict(d.metadata))) for d, _ in documents]
        graded = [
            (question_id, chunk_id, grade)
            for question_id, of_question in grades.items()
            for chunk_id, grade in of_question.items()
        ]
        with self._connection.transaction():
            for table in ("chunks", "documents", "questions", "imported_grades"):
                self._connection.rows(f"delete from {table}")
            self._connection.save_rows("documents", _DOCUMENT_COLUMNS, rows)
            self._connection.save("chunks", [chunk for _, chunk in documents])
            self._connection.save("questions", questions)
            self._connection.save_rows("imported_grades", _GRADE_COLUMNS, graded)
            self._connection.save_rows("meta", ("key", "value"), list(facts.items()))

    def grades(self) -> dict[str, dict[str, float]]:
        """Question id to chunk id to grade; questions without any are not named."""
        grades: dict[str, dict[str, float]] = {}
        for question_id, chunk_id, grade in self._connection.rows(
            f"select {', '.join(_GRADE_COLUMNS)} from imported_grades order by question_id, chunk_id"
        ):
            grades.setdefault(question_id, {})[chunk_id] = grade
        return grades
