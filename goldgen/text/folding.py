"""Folding: the form in which two spellings of the same words are equal, with the way back.

Folded are compatibility forms and ligatures (NFKC), case, quotation marks, dashes, Markdown marks,
hyphens at a line's end, invisible characters and runs of white space.
"""

import re
import string
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import regex

_SAME = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
)
_MARKDOWN = frozenset("*_`>\\~")
_HIDDEN = ("Cc", "Cf", "Cs")
# A character with what NFKC may compose with it: marks, vowels and finals of Hangul, half-width marks of
# Katakana. Invisible and control characters go along, for they must not part the two.
_CLUSTER = regex.compile(
    r".[\p{M}\u1160-\u11ff\uff9e\uff9f\uffc2-\uffdc\p{Cf}\p{Cs}\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]*",
    flags=regex.DOTALL,
)
_JOINING_ASCII = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_HYPHENS = "-\u2010"
_ASCII = str.maketrans(string.ascii_uppercase + "|", string.ascii_lowercase + " ", "".join(_MARKDOWN))
_HYPHEN_AND_BREAK = re.compile(r"-[ \t\r]*\n")
# The same as _is_line_end_hyphen, which looks 39 characters ahead.
_ASCII_LINE_END_HYPHEN = re.compile(
    r"([A-Za-z][*_`>\\~]*)-(?=[ \t\r\n]{1,38}[a-z])[ \t\r]*\n[ \t\r]*(?=[a-z])"
)
_ASCII_LINE_START = re.compile(r"^[\s|*_`>\\~#]+", re.MULTILINE)


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
    return _folded_ascii(text) if _is_plain(text) else fold_with_offsets(text).text


def fold_with_offsets(text: str) -> FoldedText:
    """Fold ``text`` and keep, for each folded character, where it came from."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at_line_start, in_broken_word = True, False
    for start, cluster in _clusters(text):
        end = start + len(cluster)
        at_line_start = at_line_start or cluster[0] == "\n"
        if cluster[0] in _HYPHENS and _is_line_end_hyphen(text, start, characters):
            in_broken_word = True
            continue
        for character in _folded_cluster(cluster):
            if character == " ":
                if in_broken_word or not characters:
                    continue
                if characters[-1] == " ":
                    ends[-1] = end
                    continue
            elif character == "#" and at_line_start:
                # The mark of a heading; elsewhere it belongs to a name, as in C#.
                continue
            else:
                at_line_start = in_broken_word = False
            characters.append(character)
            starts.append(start)
            ends.append(end)
    if characters and characters[-1] == " ":
        for values in (characters, starts, ends):
            values.pop()
    return FoldedText("".join(characters), tuple(starts), tuple(ends))


def _clusters(text: str) -> Iterable[tuple[int, str]]:
    """Each cluster and where it begins; in ASCII without control characters each character is one."""
    if _is_plain(text):
        return enumerate(text)
    return ((found.start(), found.group()) for found in _CLUSTER.finditer(text))


def _is_plain(text: str) -> bool:
    """Whether it is ASCII without control characters."""
    return text.isascii() and not _JOINING_ASCII.search(text)


def _folded_ascii(text: str) -> str:
    """Plain text, which most is, folded in a few passes rather than character by character."""
    if _HYPHEN_AND_BREAK.search(text):
        text = _ASCII_LINE_END_HYPHEN.sub(r"\1", text)
    if "#" in text:
        text = _ASCII_LINE_START.sub(" ", text)
    return " ".join(text.translate(_ASCII).split())


@lru_cache(maxsize=4096)
def _folded_cluster(cluster: str) -> str:
    visible = "".join(c for c in cluster if c.isspace() or unicodedata.category(c) not in _HIDDEN)
    same = unicodedata.normalize("NFC", visible).translate(_SAME)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", same).casefold()).translate(_SAME)
    if folded[:1] in _MARKDOWN:
        # With its marks, which would otherwise settle on the character before.
        return ""
    return "".join(" " if c.isspace() or c == "|" else c for c in folded if c not in _MARKDOWN)


def _is_line_end_hyphen(text: str, index: int, before: list[str]) -> bool:
    """``exam-\\nple``: a hyphen between a letter and a line break that goes on with a lower-case letter."""
    if not before or not before[-1].isalpha():
        return False
    rest = text[index + 1 : index + 40]
    stripped = rest.lstrip(" \t\r\n")
    return rest[: len(rest) - len(stripped)].count("\n") == 1 and stripped[:1].islower()
