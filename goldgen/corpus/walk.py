"""Which files a corpus has. Every entry met is found once, to be loaded or skipped with a reason."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldgen.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be read, or (with ``skip``) an entry that is not, and why."""

    path: Path
    relative: str
    """To the root, NFC, with forward slashes."""
    skip: str = ""


def walk(root: Path, inside: Path | None = None) -> list[Found]:
    """All entries below ``root``, or of them those in ``inside``, sorted by their relative path.

    Hidden folders and links into the root count as one entry. Raises CorpusError if ``root`` or
    ``inside`` does not exist, or if ``inside`` is not in ``root``.
    """
    start = inside or root
    for path in (root, start):
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file or folder; check the path")
    base = root if root.is_dir() else root.parent
    if not start.absolute().is_relative_to(base.absolute()):
        raise CorpusError(f"{start}: is not inside the corpus root {root}; name a path below it")
    found = _Walker(base).entries(start) if start.is_dir() else iter([Found(start, _relative(start, base))])
    return _with_unique_names(sorted(found, key=lambda entry: (entry.relative, str(entry.path))))


def _relative(path: Path, base: Path) -> str:
    return unicodedata.normalize("NFC", path.absolute().relative_to(base.absolute()).as_posix())


def _with_unique_names(entries: list[Found]) -> list[Found]:
    """Two names that are one after NFC would get one id."""
    seen: set[str] = set()
    unique: list[Found] = []
    for entry in entries:
        twice = entry.relative in seen
        unique.append(Found(entry.path, entry.relative, "a second file of this name") if twice else entry)
        seen.add(entry.relative)
    return unique


class _Walker:
    """Follows links out of the root, but none twice, so that a loop ends."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._real_base = base.resolve()
        self._visited: set[Path] = set()

    def entries(self, folder: Path) -> Iterator[Found]:
        self._visited.add(folder.resolve())
        try:
            children = sorted(folder.iterdir())
        except OSError as error:
            yield self._found(folder, f"the folder cannot be read ({error.strerror})")
            return
        for child in children:
            reason = self._reason_to_skip(child)
            if reason:
                yield self._found(child, reason)
            elif child.is_dir():
                yield from self.entries(child)
            else:
                self._visited.add(child.resolve())
                yield self._found(child)

    def _found(self, path: Path, skip: str = "") -> Found:
        return Found(path, _relative(path, self._base), skip)

    def _reason_to_skip(self, path: Path) -> str:
        if path.name.startswith("."):
            return "hidden"
        if path.is_symlink():
            return self._reason_to_skip_link(path)
        return "" if path.is_dir() or path.is_file() else "neither a file nor a folder"

    def _reason_to_skip_link(self, link: Path) -> str:
        if not link.exists():  # False for a link to itself, too
            return "a link to nothing, or to itself"
        target = link.resolve()
        if target in self._visited or self._real_base.is_relative_to(target):
            return "a link to what is read elsewhere"
        inner = target.relative_to(self._real_base).parts if target.is_relative_to(self._real_base) else None
        # What a link shows of a hidden folder (as in a Kubernetes config map) is read through it.
        if inner is not None and not any(part.startswith(".") for part in inner):
            return "a link to what is read elsewhere"
        return "" if target.is_dir() or target.is_file() else "neither a file nor a folder"
