"""Folding: the form in which two spellings of the same words are equal, with the way back.

Folded are compatibility forms and ligatures (NFKC), case, quotation marks, dashes, Markdown marks,
hyphens at a line's end, invisible characters and runs of white space.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc", "'") | dict.fromkeys(
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f", '"'
)
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
_SAME = _QUOTES | _DASHES
_MARKDOWN = frozenset("*_`|>\\~")
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text; ``starts[i]`` and ``ends[i]`` are the original offsets of its character i."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The original offsets (end exclusive) behind a non-empty folded span."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """The folded form of ``text``, stripped. The texts folded last are remembered."""
    return fold_with_offsets(text).text


def fold_with_offsets(text: str) -> FoldedText:
    """Fold ``text`` and keep, for each folded character, where it came from."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        if _is_line_end_hyphen(text, start, characters) or _is_heading_mark(text, start):
            continue
        for character in _folded_cluster(cluster):
            if character == " " and (not characters or characters[-1] == " "):
                if characters:
                    ends[-1] = end
                continue
            if character != " " and _joins_broken_word(text, start, characters):
                _drop_last(characters, starts, ends)
            characters.append(character)
            starts.append(start)
            ends.append(end)
    while characters and characters[-1] == " ":
        _drop_last(characters, starts, ends)
    return FoldedText("".join(characters), tuple(starts), tuple(ends))


def _drop_last(*lists: list[str] | list[int]) -> None:
    for values in lists:
        values.pop()


def _clusters(text: str) -> list[tuple[int, int]]:
    """A base character with the combining marks after it, so that NFKC can compose them."""
    clusters: list[tuple[int, int]] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not unicodedata.combining(text[index]):
            clusters.append((start, index))
            start = index
    return clusters if text else []


def _folded_cluster(cluster: str) -> str:
    out: list[str] = []
    for character in unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold()):
        if character in _INVISIBLE or character in _MARKDOWN:
            continue
        out.append(" " if character.isspace() else _SAME.get(character, character))
    return "".join(out)


def _is_line_end_hyphen(text: str, index: int, before: list[str]) -> bool:
    """``exam-\\nple``: a hyphen between a letter and a line break that goes on with a lower-case letter."""
    if text[index] not in "-\u2010" or not before or not before[-1].isalpha():
        return False
    rest = text[index + 1 : index + 40]
    stripped = rest.lstrip(" \t\r\n")
    return "\n" in rest[: len(rest) - len(stripped)] and stripped[:1].islower()


def _is_heading_mark(text: str, index: int) -> bool:
    """A number sign at the start of a line; elsewhere it belongs to a name, as in C#."""
    return text[index] == "#" and not text[text.rfind("\n", 0, index) + 1 : index].strip("# \t>")


def _joins_broken_word(text: str, index: int, before: list[str]) -> bool:
    """Whether the space just written stands for the line break after a dropped hyphen."""
    if not before or before[-1] != " ":
        return False
    back = index - 1
    while back >= 0 and text[back].isspace():
        back -= 1
    return back > 0 and _is_line_end_hyphen(text, back, ["a" if text[back - 1].isalpha() else " "])
