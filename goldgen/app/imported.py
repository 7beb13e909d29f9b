"""What a set that was made elsewhere keeps about where it came from."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from goldgen.errors import SettingsError
from goldgen.store import Store

_KEY = "imported"


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """The collection that a set holds in place of documents and questions of its own."""

    name: str
    source: str
    """Path of the file of qrels when it was read."""
    gold_from: float
    """The grade from which a document is gold."""
    labels: int
    """Grades kept."""
    left_out: int
    """Grades of queries or documents that the collection does not have."""

    @property
    def facts(self) -> Mapping[str, str]:
        """For the store's meta."""
        return {_KEY: json.dumps(asdict(self))}

    @property
    def marks(self) -> tuple[str, ...]:
        """What limits the trust in its labels, a sentence each."""
        mark = f"imported: labels of {self.name}, not verified by goldgen"
        if not self.left_out:
            return (mark,)
        told = f"{self.left_out:,} of {self.labels + self.left_out:,} labels"
        return mark, f"incomplete: {told} name queries or documents that {self.name} does not have"


def imported_set(store: Store) -> ImportedSet | None:
    """The collection that the set holds; None for a set of goldgen's own making."""
    kept = store.meta.get(_KEY)
    return None if kept is None else ImportedSet(**json.loads(kept))


def refuse_imported(store: Store) -> None:
    """Raises SettingsError if the set holds an imported collection, to which nothing is added."""
    imported = imported_set(store)
    if imported is not None:
        raise SettingsError(
            f"{store.path} holds the imported collection {imported.name}, whose questions and labels stay "
            "as they came; give --db another file for a set of your own"
        )
