"""Which document of the corpus a log means by a page."""

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:x?html?|mdx?|markdown|rst|txt|adoc|ipynb|pdf|docx|php|aspx?)$")
_INDEX = frozenset({"index", "_index", "readme", "default"})


def resolve_page(page: str, paths: Sequence[str]) -> str | None:
    """The one path of ``paths`` that ``page`` names, or None if none or more than one fits.

    ``page`` is a relative path or a URL, with or without extension. Host, query string, fragment, case and
    percent-encoding do not count, and an index page stands for its folder. The path that shares the longest
    ending with the page wins. An ending of one name counts only if it is the whole page or the whole path,
    for pages of different folders often share a file name.
    """
    if page in paths:
        return page
    parts = _parts(unquote(re.split(r"[?#]", _HOST.sub("", page, count=1), maxsplit=1)[0]))
    best: list[str] = []
    best_rank = (0, False)
    for path in paths:
        candidate = _parts(path)
        shared = _shared_ending(parts, candidate)
        if candidate != parts and (shared == 0 or (shared == 1 and min(len(parts), len(candidate)) > 1)):
            continue
        rank = (shared, candidate == parts)
        if rank > best_rank:
            best, best_rank = [], rank
        if rank == best_rank:
            best.append(path)
    return best[0] if len(best) == 1 else None


def _parts(path: str) -> tuple[str, ...]:
    """Names from the root, without extension; an index page has those of its folder."""
    folded = unicodedata.normalize("NFC", path).casefold().replace("\\", "/")
    parts = [part for part in folded.split("/") if part not in {"", "."}]
    if parts:
        parts[-1] = _EXTENSION.sub("", parts[-1])
        if parts[-1] in _INDEX:
            parts.pop()
    return tuple(parts)


def _shared_ending(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    while count < min(len(left), len(right)) and left[-1 - count] == right[-1 - count]:
        count += 1
    return count
