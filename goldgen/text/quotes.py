"""Quotes found in a text, whatever happened to white space, quotation marks or Markdown on the way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
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
_LATIN = re.compile(r"[0-9a-z\u00df-\u024f\u1e00-\u1eff]")
_NUMBER_BEFORE = re.compile(r"\d[.,:]")
_NUMBER_AFTER = re.compile(r"[.,:]\d")
_EMPTY_WORD = re.compile(r"an?|and|are|as|at|be|by|for|from|in|is|it|of|on|or|the|that|this|to|was|with")


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Offsets of ``quote`` in ``text`` after folding, or None. It may not cut a word or a number.

    An elided quote ("first … last") is found only if its parts stand in order within one sentence or
    that sentence and the next.
    """
    parts = [part for part in _ELISION.split(fold(quote)) if part]
    if not parts:
        return None
    folded = fold_with_offsets(text)
    spans = sentences(text) if len(parts) > 1 else []
    for first, last in _places(parts[0], folded.text):
        for part in parts[1:]:
            _, last = next(_places(part, folded.text, last), (0, 0))
            if not last:
                return None
        start, end = folded.original_span(first, last)
        if sum(a < end and start < b for a, b in spans) <= 2:
            return start, end
    return None


def is_substantial(quote: str, answer: str) -> bool:
    """Whether a quote says enough: 12 characters and 3 words, or else the whole answer."""
    folded = fold(quote)
    long_enough = len(folded) >= _SHORTEST and len(words(folded)) >= _FEWEST_WORDS
    return long_enough or (says_something(quote) and folded == fold(answer))


def says_something(text: str) -> bool:
    """Whether ``text`` has a word besides "the" and the like."""
    return any(_EMPTY_WORD.fullmatch(word) is None for word in words(text))


def numbers(text: str) -> frozenset[str]:
    """The numbers of ``text`` as they are written: 3.5, 10:30, 5,000."""
    return frozenset(_NUMBER.findall(fold(text)))


@dataclass(frozen=True, slots=True)
class Wording:
    """What a text is compared by; made once for a text that is compared with many."""

    folded: str
    numbers: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Wording":
        return cls(fold(text), numbers(text), frozenset(words(text)))

    def states(self, answer: "Wording") -> bool:
        """Whether it has the answer: its words in a row, or all of its numbers and most of its words."""
        needle = answer.folded.strip(" .。\"'")
        if not needle:
            return False
        if any(_places(needle, self.folded)):
            return True
        wanted = answer.words
        return (
            answer.numbers <= self.numbers
            and len(wanted) > 1
            and len(wanted & self.words) >= _MOST_WORDS * len(wanted)
        )


def states(text: str, answer: str) -> bool:
    """Whether ``text`` has the answer: its words in a row, or all of its numbers and most of its words."""
    return Wording.of(text).states(Wording.of(answer))


def _places(needle: str, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Where ``needle`` cuts no word or number: 20 stands neither in 200 nor in 1.20.

    Only Latin letters and digits go on a word: in 期間は30日 the scripts part what no space does.
    """
    while (start := text.find(needle, start)) >= 0:
        end = start + len(needle)
        if _goes_on_before(text, start) or _goes_on_after(text, end):
            start += 1
        else:
            yield start, end
            start = end


def _goes_on_before(text: str, start: int) -> bool:
    first = text[start]
    if not (first.isascii() and first.isalnum()):
        return False
    in_number = first.isdigit() and _NUMBER_BEFORE.match(text, max(start - 2, 0), start)
    return bool(in_number or _LATIN.match(text, max(start - 1, 0), start))


def _goes_on_after(text: str, end: int) -> bool:
    last = text[end - 1]
    if not (last.isascii() and last.isalnum()):
        return False
    return bool((last.isdigit() and _NUMBER_AFTER.match(text, end)) or _LATIN.match(text, end))


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
