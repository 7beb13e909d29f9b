"""Words as lexical search sees them."""

import re
import unicodedata

import regex

# Scripts written without spaces between words, and Hangul, whose words carry their particles.
# U+30FC, the long vowel mark of Katakana, belongs to no single script.
_UNSPACED = (
    "".join(
        rf"\p{{Script={script}}}"
        for script in ("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar")
    )
    + "\u30fc"
)
_SPACED = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+"
_RUN = regex.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|{_SPACED}(?:[._]{_SPACED})*", flags=regex.VERSION1)
_ASCII_RUN = re.compile(r"[a-z0-9]+(?:[._][a-z0-9]+)*")
_INNER = regex.compile(r"[._]")
_FORMAT = regex.compile(r"\p{Cf}+")


_SHORT_WORD = 3
STEM = 5
"""Letters by which words are compared."""


def words(text: str) -> list[str]:
    """The search terms of ``text`` in reading order, equal for every spelling that Unicode calls equal.

    A term is a run of letters, marks and digits in NFKC and folded case; all other characters part
    terms, so ``--flag`` is ``flag``. A name joined inside by single ``.`` or ``_`` gives itself and its
    parts: ``max_retries`` gives ``max_retries``, ``max`` and ``retries``, so that the exact name ranks
    first and the question "max retries" still finds it. Scripts without spaces give overlapping pairs
    of characters, and a single character where a run has only one, which needs no dictionary.
    """
    if text.isascii():
        # Most text: the same terms from a pattern that is several times faster.
        return [term for run in _ASCII_RUN.findall(text.lower()) for term in _with_parts(run)]
    terms: list[str] = []
    for match in _RUN.finditer(_folded(text)):
        run = match.group()
        if match.lastgroup:
            terms.extend(run[i : i + 2] for i in range(max(len(run) - 1, 1)))
        else:
            terms.extend(_with_parts(run))
    return terms


def _with_parts(run: str) -> list[str]:
    return [run, *_INNER.split(run)] if "." in run or "_" in run else [run]


def _folded(text: str) -> str:
    """Invisible format characters go first, so that what they parted can compose."""
    visible = _FORMAT.sub("", text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


def telling_words(text: str) -> set[str]:
    """Its numbers and longer words, which mostly carry what it is about; all words if it has none."""
    found = set(words(text))
    return {word for word in found if len(word) > _SHORT_WORD or word.isdigit()} or found


def stems(text: str) -> set[str]:
    """The beginnings of its words, which are the same for most inflected forms in many languages."""
    return {word[:STEM] for word in words(text)}


def telling_stems(text: str) -> set[str]:
    """The beginnings of its telling words."""
    return {word[:STEM] for word in telling_words(text)}


def shared_stems(question: str, text: str) -> float:
    """The share of the question's telling words that ``text`` has too, from 0 to 1, by their stems."""
    asked = telling_stems(question)
    return len(asked & stems(text)) / len(asked) if asked else 0.0
