"""Sizes of spans of one text, in characters or in estimated tokens, without measuring the text again."""

from itertools import accumulate
from typing import Literal, Protocol

SizeUnit = Literal["tokens", "characters"]

# As ``estimated_tokens``, without its rounding: four ASCII characters a token, 0.8 tokens any other.
ASCII_CHARACTERS_A_TOKEN = 4
_ASCII, _OTHER, _TOKEN = 5, 16, 20


class Measure(Protocol):
    def __call__(self, start: int, end: int) -> float:
        """The size of the text between two offsets."""
        ...


def measure_of(text: str, unit: SizeUnit) -> Measure:
    """Measures spans of ``text``; sizes of neighbouring spans add up."""
    if unit == "characters":
        return lambda start, end: end - start
    if text.isascii():
        return lambda start, end: (end - start) / ASCII_CHARACTERS_A_TOKEN
    others = list(accumulate(map(_is_other, text), initial=0))
    return lambda start, end: (
        (_ASCII * (end - start) + (_OTHER - _ASCII) * (others[end] - others[start])) / _TOKEN
    )


def surely_fitting(limit: int, unit: SizeUnit) -> int:
    """So many characters of any kind measure ``limit`` at most; at least one."""
    return limit if unit == "characters" else max(1, limit * _TOKEN // _OTHER)


def _is_other(character: str) -> bool:
    return not character.isascii()
