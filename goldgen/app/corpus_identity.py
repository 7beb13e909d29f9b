"""What a set knows about its corpus: its name and place, how it is selected and cut."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, cast

from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import CorpusError
from goldgen.store import Store
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES
from goldgen.tabular import SqlSource

CORPUS_KEY = "corpus"
"""In the store's meta."""

Kind = Literal["", "files", "table", "query"]
_KINDS: Mapping[Kind, str] = {"files": "files", "table": "a table of chunks", "query": "chunks by query"}


@dataclass(frozen=True, slots=True)
class CorpusIdentity:
    """``name`` is a part of all ids. How to select and cut holds until a load is told otherwise."""

    name: str
    root: str
    """On this machine: the folder that paths are relative to, or the database, without its password."""
    kind: Kind = ""
    """Empty in sets of earlier versions, where it may be files or a table."""
    query: str = ""
    chunking: ChunkOptions = field(default_factory=ChunkOptions)
    selection: Selection = field(default_factory=Selection)

    def keep(self, store: Store) -> None:
        store.meta.set(CORPUS_KEY, json.dumps(asdict(self)))


def stored_identity(store: Store) -> CorpusIdentity | None:
    """What the set holds; None if no corpus was loaded yet."""
    stored = store.meta.get(CORPUS_KEY)
    if stored is None:
        return None
    known: dict[str, Any] = json.loads(stored)
    selection: dict[str, Any] = known.get("selection", {})
    return CorpusIdentity(
        name=str(known["name"]),
        root=str(known["root"]),
        kind=known.get("kind", ""),
        query=str(known.get("query", "")),
        chunking=ChunkOptions(**_fields_of(ChunkOptions, known.get("chunking", {}))),
        selection=Selection(
            include=tuple(cast("list[str]", selection.get("include", ()))),
            exclude=tuple(cast("list[str]", selection.get("exclude", ()))),
            gitignore=bool(selection.get("gitignore", True)),
        ),
    )


def identity_of(
    store: Store,
    source: Path | SqlSource,
    given_name: str,
    chunking: ChunkOptions | None,
    selection: Selection | None,
) -> CorpusIdentity:
    """The corpus that a load of ``source`` gives: the set's own, or a new one if it has none.

    ``source``, if it is a path, is absolute. None: as at the last load. Raises CorpusError if the set holds
    another corpus.
    """
    known = stored_identity(store)
    if isinstance(source, SqlSource):
        found = _of_query(store, known, source, given_name)
    else:
        found = _of_path(store, known, source, given_name)
    return replace(
        found,
        chunking=chunking or (known.chunking if known else ChunkOptions()),
        selection=selection or (known.selection if known else Selection()),
    )


def _of_query(
    store: Store, known: CorpusIdentity | None, source: SqlSource, given_name: str
) -> CorpusIdentity:
    name, place = given_name or source.name, source.place
    if known is None:
        return CorpusIdentity(unicodedata.normalize("NFC", name), place, "query", source.query)
    _require(store, known, "query", given_name)
    if place != known.root and given_name != known.name:
        raise CorpusError(
            f"{store.path} holds the corpus {known.name!r} from {known.root}, and this is {place}; give "
            f"--db another file for another corpus, or --name {known.name!r} if it is the same"
        )
    return replace(known, root=place, kind="query", query=source.query)


def _of_path(store: Store, known: CorpusIdentity | None, path: Path, given_name: str) -> CorpusIdentity:
    kind: Kind = "table" if path.is_file() and path.suffix.lower() in TABLE_SUFFIXES else "files"
    root = path if path.is_dir() else path.parent
    if known is None:
        name = unicodedata.normalize("NFC", given_name or root.name or "corpus")
        return CorpusIdentity(name, str(root), kind)
    _require(store, known, kind, given_name)
    if path.is_relative_to(known.root):
        return replace(known, kind=kind)
    same_name = given_name == known.name or unicodedata.normalize("NFC", root.name) == known.name
    if not Path(known.root).exists() and same_name:  # it has moved
        return replace(known, root=str(root), kind=kind)
    raise CorpusError(
        f"{store.path} holds the corpus {known.name!r} from {known.root}, and {path} is not in it; "
        "give --db another file for another corpus"
    )


def _require(store: Store, known: CorpusIdentity, kind: Kind, given_name: str) -> None:
    if given_name and unicodedata.normalize("NFC", given_name) != known.name:
        raise CorpusError(
            f"{store.path} holds the corpus {known.name!r}; give --db another file for {given_name!r}"
        )
    if known.kind not in ("", kind):
        raise CorpusError(
            f"{store.path} holds the corpus {known.name!r}, made of {_KINDS[known.kind]}, and not of "
            f"{_KINDS[kind]}; give --db another file"
        )


def _fields_of(kind: type[ChunkOptions], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that this version knows."""
    return {item.name: values[item.name] for item in fields(kind) if item.name in values}
