"""The pairs with a known verdict that the last verification run was measured on."""

from collections.abc import Sequence

from goldgen.store.connection import Connection
from goldgen.types import Control


class Controls:
    """Controls belong to one verification run: the next run's take their place."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, controls: Sequence[Control]) -> None:
        """Store the controls of a verification run in place of the last run's."""
        with self._connection.transaction():
            self._connection.rows("delete from controls")
            self._connection.save("controls", list({item.id: item for item in controls}.values()))

    def all(self) -> list[Control]:
        return self._connection.load(Control, "controls", "order by id")
