"""Which files a corpus has. Every entry met is found once, to be loaded or skipped with a reason."""

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from goldgen.corpus.selection import Ignores, Patterns, Selection
from goldgen.errors import CorpusError

_Kind = Literal["folder", "file", "other", "nothing"]
_ELSEWHERE = "a link to what is read elsewhere"
_DEEPEST = 100
"""Folders in each other; each costs Python a few calls within calls."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be read, or (with ``skip``) an entry that is not, and why."""

    path: Path
    relative: str
    """To the root, NFC, with forward slashes."""
    skip: str = ""


def walk(root: Path, inside: Path | None = None, selection: Selection | None = None) -> list[Found]:
    """All entries below ``root``, or of them those in ``inside``, sorted by their relative path.

    Folders and links that are skipped count as one entry. A file that is named itself is read, whatever
    the selection says. Raises CorpusError if ``root`` or ``inside`` does not exist, or if ``inside`` is not
    in ``root``; SettingsError for a pattern that is none.
    """
    start = inside or root
    for path in (root, start):
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file or folder; check the path")
    base = root if root.is_dir() else root.parent
    if not start.absolute().is_relative_to(base.absolute()):
        raise CorpusError(f"{start}: is not inside the corpus root {root}; name a path below it")
    relative = relative_name(start.absolute().relative_to(base.absolute()).as_posix())
    if start.is_file():
        return [Found(start, relative)]
    found = _Walker(base, selection or Selection()).entries(start, "" if relative == "." else relative)
    return _with_unique_names(sorted(found, key=lambda entry: (entry.relative, str(entry.path))))


def relative_name(name: str) -> str:
    """A name as ids are made of it: NFC, and bytes that are no UTF-8 written out, such as ``\\xe9``."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))


def _kind(child: os.DirEntry[str]) -> _Kind:
    """What an entry is, or what its link leads to: nothing, if that is gone, a loop or may not be seen."""
    try:
        if child.is_dir():
            return "folder"
        if child.is_file():
            return "file"
        return "other" if not child.is_symlink() or Path(child.path).exists() else "nothing"
    except OSError:
        return "nothing"


def _with_unique_names(entries: list[Found]) -> list[Found]:
    """Two names that are one after NFC would get one id."""
    seen: set[str] = set()
    unique: list[Found] = []
    for entry in entries:
        twice = entry.relative in seen
        unique.append(replace(entry, skip="a second file of this name") if twice else entry)
        seen.add(entry.relative)
    return unique


class _Walker:
    """Follows links out of the root, but none twice, so that a loop ends."""

    def __init__(self, base: Path, selection: Selection) -> None:
        self._base = base
        self._real_base = base.resolve()
        self._patterns = Patterns(selection)
        self._gitignore = selection.gitignore
        self._visited: set[Path] = set()
        """What was reached through links: real paths. Everything else is reached by its own path alone."""

    def entries(self, folder: Path, relative: str) -> Iterator[Found]:
        """Everything below ``folder``, which is the root or in it."""
        ignores = Ignores.above(self._base) if self._gitignore else Ignores()
        above = self._base
        for part in folder.absolute().relative_to(self._base.absolute()).parts:
            ignores = self._deeper(ignores, above)
            above /= part
        yield from self._below(folder, relative, ignores, linked=False)

    def _below(self, folder: Path, relative: str, ignores: Ignores, *, linked: bool) -> Iterator[Found]:
        if relative.count("/") >= _DEEPEST:
            yield Found(folder, relative, f"a folder below more than {_DEEPEST} others is not read")
            return
        try:
            with os.scandir(folder) as listed:
                children = sorted(listed, key=lambda child: child.name)
        except OSError as error:
            yield Found(folder, relative, f"the folder cannot be read ({error.strerror})")
            return
        ignores = self._deeper(ignores, folder)
        for child in children:
            path = Path(child.path)
            name = relative_name(child.name)
            below = f"{relative}/{name}" if relative else name
            kind = _kind(child)
            is_folder = kind == "folder"
            reason = self._reason_to_skip(child, path, below, ignores, kind)
            through_link = linked or child.is_symlink()
            if not reason and through_link:
                reason = self._reason_seen(path)
            if reason or not is_folder:
                yield Found(path, below, reason)
            else:
                yield from self._below(path, below, ignores, linked=through_link)

    def _deeper(self, ignores: Ignores, folder: Path) -> Ignores:
        return ignores.with_those_of(folder) if self._gitignore else ignores

    def _reason_to_skip(
        self, child: os.DirEntry[str], path: Path, relative: str, ignores: Ignores, kind: _Kind
    ) -> str:
        if child.name.startswith("."):
            return "hidden"
        if kind in ("nothing", "other"):
            return "a link to nothing, or to itself" if kind == "nothing" else "neither a file nor a folder"
        reason = self._patterns.reason_to_skip(relative, is_folder=kind == "folder")
        if not reason and ignores.holds_for(path, is_folder=kind == "folder"):
            reason = "ignored by .gitignore"
        if not reason and child.is_symlink():
            reason = self._reason_to_skip_target(path.resolve())
        return reason

    def _reason_to_skip_target(self, target: Path) -> str:
        if self._real_base.is_relative_to(target):
            return _ELSEWHERE
        # What a link shows of a hidden folder (as in a Kubernetes config map) is read through it.
        return _ELSEWHERE if target.is_relative_to(self._real_base) and self._is_walked(target) else ""

    def _is_walked(self, target: Path) -> bool:
        """Whether something in the root is reached by its own path, too."""
        ignores = Ignores.above(self._real_base) if self._gitignore else Ignores()
        path = self._real_base
        for part in target.relative_to(self._real_base).parts:
            ignores = self._deeper(ignores, path)
            path /= part
            relative = relative_name(path.relative_to(self._real_base).as_posix())
            is_folder = path.is_dir()
            if (
                part.startswith(".")
                or self._patterns.reason_to_skip(relative, is_folder=is_folder)
                or ignores.holds_for(path, is_folder=is_folder)
            ):
                return False
        return True

    def _reason_seen(self, path: Path) -> str:
        real = path.resolve()
        if real in self._visited:
            return _ELSEWHERE
        self._visited.add(real)
        return ""
