"""What every reader of a format gives: Markdown text, a title, metadata."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

PLACEHOLDER = "[data]"
"""Stands for bytes that no one reads: images in base64, minified code."""

UNKNOWN_LETTER = "□"
"""Stands for a letter of which a file does not say which it is."""

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.+=-]+)*,[A-Za-z0-9+/=%_.~-]{200,}")
_DATA_SVG = re.compile(r"data:image/svg\+xml[^,\n]{0,40},\s*<svg\b")
_DATA_SVG_END = re.compile("</svg>")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{200,}={0,2}")
_BASE64_LINES = re.compile(
    r"^(?P<indent>[ \t>]*)(?:[A-Za-z0-9+/_-]{60,100}\n[ \t>]*){3,}[A-Za-z0-9+/_-]{1,100}={0,2}[ \t]*$",
    re.MULTILINE,
)
_MINIFIED_LENGTH = 2_000
_MINIFIED_SPACES = 0.1
"""Share of white space and marks between cells below which a long line is code for machines; English prose
has 0.17."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's text as Markdown (or plain text), without what only frames it."""

    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file gives no text, in words for the user."""

    reason: str


def without_blobs(text: str) -> str:
    """The text with a placeholder for each data URI, run or block of base64, and minified line."""
    text = _DATA_URI.sub(PLACEHOLDER, text)
    text = between(text, _DATA_SVG, _DATA_SVG_END, _hidden)
    text = _BASE64_LINES.sub(_placeholder, _BASE64.sub(_placeholder, text))
    return "\n".join(PLACEHOLDER if _is_minified(line) else line for line in text.split("\n"))


def between(
    text: str,
    opening: re.Pattern[str],
    closing: re.Pattern[str],
    change: Callable[[re.Match[str], re.Match[str]], str],
) -> str:
    """The text with what stands from each opening to the next closing mark replaced by what ``change`` gives.

    One pattern for all of it would look for the end of the text again from each mark that is never closed.
    """
    parts: list[str] = []
    at = 0
    while (first := opening.search(text, at)) and (last := closing.search(text, first.end())):
        parts += [text[at : first.start()], change(first, last)]
        at = last.end()
    return "".join([*parts, text[at:]])


def _hidden(_first: re.Match[str], _last: re.Match[str]) -> str:
    return PLACEHOLDER


def _placeholder(match: re.Match[str]) -> str:
    """Long paths, names and rules have marks between words; bytes have none, or digits throughout."""
    found = match[0]
    is_bytes = re.search("[A-Za-z]", found) and (re.search("[0-9]", found) or not re.search("[/_-]", found))
    return match.groupdict().get("indent", "") + PLACEHOLDER if is_bytes else found


def _is_minified(line: str) -> bool:
    if len(line) <= _MINIFIED_LENGTH:
        return False
    # Chinese, Japanese and Thai are written without spaces, so the rule is for ASCII alone.
    ascii_share = sum(character.isascii() for character in line) / len(line)
    between_words = sum(character.isspace() or character == "|" for character in line)  # wide tables
    return ascii_share > 0.9 and between_words < _MINIFIED_SPACES * len(line)


def not_markup(text: str) -> str:
    """Text of another format whose lines begin with what Markdown would take for a heading or a fence."""
    return re.sub(r"^(?=#{1,6}\s|```|~~~)", r"\\", text, flags=re.MULTILINE)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, its first row as the header; short rows are filled up."""
    width = max(map(len, rows))
    cells = [[" ".join(cell.split()).replace("|", r"\|") for cell in row] for row in rows]
    head, *body = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in cells]
    return "\n".join([head, "|" + " --- |" * width, *body])


def fenced(code: str, language: str = "") -> str:
    """A block of code between marks that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{code.strip(chr(10)).rstrip()}\n{mark}"
