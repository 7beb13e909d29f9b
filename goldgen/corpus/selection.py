"""Which files a team wants read: patterns in and out, and what git ignores."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from goldgen.corpus.decode import decode
from goldgen.errors import SettingsError

_EVERYTHING = re.compile(r"(!?)(?!/\*/?$)/?(?:\*\*/)*\*\*?(/?)")
_INSIDE = re.compile(r"(?<=/)\*\*(?=/?$)")
"""Two stars as the last part of a pattern."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns are those of .gitignore, relative to the root of the corpus."""

    include: tuple[str, ...] = ()
    """Of the files to read; empty: all."""
    exclude: tuple[str, ...] = ()
    """Of files and folders to leave out, even if they are included."""
    gitignore: bool = True
    """Whether what .gitignore files name is left out."""


class Patterns:
    """A selection, ready to be asked about paths below the root, with forward slashes."""

    def __init__(self, selection: Selection) -> None:
        """Raises SettingsError for what is no pattern."""
        self._include = _chosen("--include", selection.include)
        self._exclude = _chosen("--exclude", selection.exclude)

    def reason_to_skip(self, relative: str, *, is_folder: bool) -> str:
        if self._exclude is not None and self._exclude.match_file(f"{relative}/" if is_folder else relative):
            return "named by --exclude"
        if is_folder or self._include is None or self._include.match_file(relative):
            return ""
        return "not named by --include"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The .gitignore files that hold for a folder: the deepest that says anything decides."""

    files: tuple[tuple[Path, GitIgnoreSpec], ...] = ()
    """Folder of each, the deepest last."""

    @classmethod
    def above(cls, base: Path) -> "Ignores":
        """Those of the folders above, up to the repository's top; none if they ignore ``base`` itself.

        For a folder that is named, such as one of built pages, is wanted.
        """
        base = base.absolute()
        parents = list(base.parents)
        top = next((folder for folder in (base, *parents) if (folder / ".git").exists()), base)
        found = cls()
        for folder in reversed(parents):
            if folder.is_relative_to(top):
                found = found.with_those_of(folder)
        on_the_way = [folder for folder in (base, *parents) if folder.is_relative_to(top) and folder != top]
        return cls() if any(found.holds_for(folder, is_folder=True) for folder in on_the_way) else found

    def with_those_of(self, folder: Path) -> "Ignores":
        spec = _read(folder / ".gitignore")
        return self if spec is None else Ignores((*self.files, (folder.absolute(), spec)))

    def holds_for(self, path: Path, *, is_folder: bool) -> bool:
        """Whether git would ignore the path itself, if it ignores no folder on the way to it."""
        absolute = path.absolute()
        for folder, spec in reversed(self.files):
            if not absolute.is_relative_to(folder) or absolute == folder:
                continue
            relative = unicodedata.normalize("NFC", absolute.relative_to(folder).as_posix())
            said = _last_word(spec, f"{relative}/" if is_folder else relative)
            if said is not None:
                return said
        return False


def _chosen(flag: str, patterns: Sequence[str]) -> GitIgnoreSpec | None:
    bad = [pattern for pattern in patterns if not _is_pattern(pattern)]
    if bad:
        raise SettingsError(f"{flag} {bad[0]!r} is no pattern; write it as in .gitignore, such as 'drafts/'")
    return _spec(patterns) if patterns else None


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        text = decode(path.read_bytes())
    except OSError:  # mostly because there is none
        return None
    # Git passes over what is no pattern, too.
    return _spec(filter(_is_pattern, text.splitlines())) if text else None


def _last_word(spec: GitIgnoreSpec, entry: str) -> bool | None:
    """What the last pattern that matches says; None if none does.

    The whole entry must match: pathspec also takes what lies in a folder for named by the folder's pattern,
    and to git ``!a`` brings back the folder a and not what other patterns ignore in it.
    """
    for pattern in reversed(list(spec.patterns)):
        if pattern.regex is not None and pattern.regex.fullmatch(entry):
            return pattern.include
    return None


def _spec(patterns: Iterable[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(_by_entry(unicodedata.normalize("NFC", pattern)) for pattern in patterns)


def _by_entry(pattern: str) -> str:
    """The same to git, and to pathspec one that matches entries whole, which those of stars alone do not."""
    everything = _EVERYTHING.fullmatch(pattern)
    return f"{everything[1]}?*{everything[2]}" if everything else _INSIDE.sub("**/*", pattern)


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
