"""What every reader of a format gives: Markdown text, a title, metadata."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

PLACEHOLDER = "[data]"
"""Stands for bytes that no one reads: images in base64, minified code."""

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.+=-]+)*,[A-Za-z0-9+/=%_.~-]{200,}")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{200,}={0,2}")
_MINIFIED_LENGTH = 5_000
_MINIFIED_SPACES = 0.1
"""Share of white space below which a long line is code for machines; English prose has 0.17."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's text as Markdown (or plain text), without what only frames it."""

    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


def without_blobs(text: str) -> str:
    """The text with a placeholder for each data URI, base64 run and minified line."""
    text = _BASE64.sub(PLACEHOLDER, _DATA_URI.sub(PLACEHOLDER, text))
    return "\n".join(PLACEHOLDER if _is_minified(line) else line for line in text.split("\n"))


def _is_minified(line: str) -> bool:
    if len(line) <= _MINIFIED_LENGTH:
        return False
    # Chinese, Japanese and Thai are written without spaces, so the rule is for ASCII alone.
    ascii_share = sum(character.isascii() for character in line) / len(line)
    return ascii_share > 0.9 and sum(map(str.isspace, line)) < _MINIFIED_SPACES * len(line)
