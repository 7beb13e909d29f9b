"""Facts about the set as a whole: the corpus's name and root, the models, the proof."""

from goldgen.store.connection import Connection


class Meta:
    """Texts by key."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> str | None:
        rows = self._connection.rows("select value from meta where key = ?", [key])
        return rows[0][0] if rows else None

    def set(self, key: str, value: str) -> None:
        with self._connection.transaction():
            self._connection.save_rows("meta", ("key", "value"), [(key, value)])
