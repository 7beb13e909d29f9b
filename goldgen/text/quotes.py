"""Quotes found in a text, whatever happened to white space, quotation marks or Markdown on the way."""

import re
from itertools import pairwise

from goldgen.text.folding import fold, fold_with_offsets
from goldgen.text.sentences import sentences
from goldgen.text.words import words

_ELISION = re.compile(r"\s*(?:\[\.{3}\]|\(\.{3}\)|\.{3,})\s*")
_SHORTEST = 12
_FEWEST_WORDS = 3
_FEWEST_WORDS_LEFT = 12
_MOST_WORDS = 0.8
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Offsets of ``quote`` in ``text`` after folding, or None.

    An elided quote ("first … last") is found only if its parts stand in order within one sentence or
    that sentence and the next.
    """
    folded = fold_with_offsets(text)
    parts = [part for part in _ELISION.split(fold(quote)) if part]
    if not parts:
        return None
    at = first = folded.text.find(parts[0])
    for part in parts:
        found = folded.text.find(part, at)
        if first < 0 or found < 0:
            return None
        at = found + len(part)
    start, end = folded.original_span(first, at)
    if len(parts) > 1 and _sentences_touched(text, start, end) > 2:
        return None
    return start, end


def is_substantial(quote: str, answer: str) -> bool:
    """Whether a quote says enough: 12 characters and 3 words, or else the whole answer."""
    folded = fold(quote)
    long_enough = len(folded) >= _SHORTEST and len(words(folded)) >= _FEWEST_WORDS
    return long_enough or (bool(folded) and folded == fold(answer))


def states(text: str, answer: str) -> bool:
    """Whether ``text`` has the answer: its words in a row, or all of its numbers and most of its words."""
    folded_text, folded_answer = fold(text), fold(answer).rstrip(".。")
    if not folded_answer:
        return False
    if _stands_in(folded_answer, folded_text):
        return True
    if not set(_NUMBER.findall(folded_answer)) <= set(_NUMBER.findall(folded_text)):
        return False
    wanted = set(words(answer))
    return bool(wanted) and len(wanted & set(words(text))) >= _MOST_WORDS * len(wanted)


def _stands_in(needle: str, text: str) -> bool:
    """A substring that does not cut a word or number: 20 does not stand in 200."""
    left = r"(?<!\w)" if needle[0].isalnum() and needle[0].isascii() else ""
    right = r"(?!\w)" if needle[-1].isalnum() and needle[-1].isascii() else ""
    return re.search(left + re.escape(needle) + right, text) is not None


def _sentences_touched(text: str, start: int, end: int) -> int:
    return sum(1 for a, b in sentences(text) if a < end and start < b)


def without_answer(text: str, answer: str, quote: str) -> str | None:
    """``text`` without the sentences that state ``answer`` or hold ``quote``; None if too little is left.

    What comes back is checked: the answer stands nowhere in it.
    """
    held = find_quote(text, quote)
    kept: list[tuple[int, int]] = []
    spans = sentences(text)
    for start, end in spans:
        in_quote = held is not None and start < held[1] and held[0] < end
        if not in_quote and not states(text[start:end], answer):
            kept.append((start, end))
    if len(kept) == len(spans) or not kept:
        return None
    pieces = [text[start:end] for start, end in kept]
    gaps = ["\n\n" if "\n\n" in text[a[1] : b[0]] else _gap(text[a[1] : b[0]]) for a, b in pairwise(kept)]
    remaining = "".join(piece + gap for piece, gap in zip(pieces, [*gaps, ""], strict=True))
    if states(remaining, answer) or len(words(remaining)) < _FEWEST_WORDS_LEFT:
        return None
    return remaining


def _gap(between: str) -> str:
    return "\n" if "\n" in between else " "
