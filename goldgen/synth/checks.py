"""What code looks for in a draft before a verifier is paid to."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldgen.text import fold
from goldgen.text.deixis import points_away
from goldgen.text.quotes import says_something
from goldgen.text.sentences import heading_above, sentences
from goldgen.text.signposts import only_points
from goldgen.text.words import telling_words, words
from goldgen.types import Chunk, Question

_SHORTEST_QUESTION = 8
_MOST_KEYWORDS = 7
"""Two to five are asked for; a name may be several."""
_DEFAULT = re.compile(r"\bdefaults?\b")
_DEFAULT_STATED = re.compile(r"\b(?:defaults?|unless|otherwise|initial(?:ly)?)\b")
"""Weak generators like to ask for a default where the text states a value and no default."""
_NAMELESS = frozenset({"", "not clear"})
_UNNAMED = "another language"
"""Than English, of a text whose language has no function words or script by which it is told."""
_ACCENTED = 0.03
"""Of a text's letters, from which it is taken for such a language: English borrows fewer."""
_TOLD = frozenset(
    {"da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "sv", "zh", "ja", "ko", "th", "el", "he"}
)
"""Languages that are told from all others. What should be in any other may be taken for a related one, as
Catalan for Spanish, and is refused only for being in English or in another script."""
_SCRIPT = {"ar": "Arabic script", "fa": "Arabic script", "ru": "Cyrillic script", "uk": "Cyrillic script",
    "bg": "Cyrillic script", "hi": "Devanagari script"}  # fmt: skip
"""Of languages that share theirs: a short question may be told by its script alone."""
_OWN_SCRIPT = frozenset({"zh", "ja", "ko", "th", "el", "he", *_SCRIPT, *_SCRIPT.values()})
"""Languages that no text in ASCII letters is in."""


@dataclass(frozen=True, slots=True)
class DraftChecks:
    """Finds the reason why a draft is not kept."""

    language_of: Callable[[str], str] = lambda _: ""
    """Of a text: a code, a script's name, or "" or "not clear"."""
    language: str = ""
    """That questions are to be in; empty: that of their chunk."""
    is_too_general: Callable[[str, str], bool] = lambda _question, _text: False
    """Whether a question would fit many other texts as well as its own."""

    def wanted_language(self, chunk: Chunk) -> str:
        """What questions about it are to be in: a code, the name of a script, or "another language" than
        English; empty if that is not known."""
        found = self.language or self.language_of(chunk.text)
        if found in _NAMELESS:
            return _UNNAMED if _is_accented(chunk.text) else ""
        return found

    def problem(self, question: Question, chunk: Chunk, kept: Sequence[Question] = ()) -> str:
        """Why a draft that one chunk is to answer is not kept, beside ``kept``; empty if it is."""
        asked = fold(question.text)
        return (
            self.wording_problem(question, chunk, kept)
            or _answer_problem(question, asked)
            or _evidence_problem(question)
            or ("too general" if self.is_too_general(question.text, chunk.full_text) else "")
            or _default_problem(question, chunk, asked)
        )

    def wording_problem(self, question: Question, chunk: Chunk, kept: Sequence[Question] = ()) -> str:
        """The same of the question alone, whatever its answer."""
        asked = fold(question.text)
        if not asked:
            return "nothing to ask in this style"
        if len(asked) < _shortest(asked) or not any(c.isalpha() for c in asked):
            return "not a question"
        if points_away(question.text):
            return "points at the passage"
        if _is_copied(question.text, fold(chunk.full_text)):
            return "copied from the passage"
        if question.style == "keywords" and not _are_keywords(question.text):
            return "a sentence and no keywords"
        if any(question.id == other.id for other in kept):
            return "asked twice"
        wanted = self.wanted_language(chunk)
        if wanted and self._is_foreign(question.text, wanted):
            return "in another language"
        return ""

    def _is_foreign(self, text: str, wanted: str) -> bool:
        if text.isascii() and wanted in _OWN_SCRIPT:
            return True
        found = self.language_of(text)
        if found in _NAMELESS or _SCRIPT.get(found, found) == _SCRIPT.get(wanted, wanted):
            return False
        return wanted in _TOLD or found == "en" or found in _OWN_SCRIPT or wanted in _OWN_SCRIPT


def _is_copied(question: str, text: str) -> bool:
    """Whether every sentence of it stands in the text, be it one of them, several, or one twice."""
    said = [fold(question[start:end]).rstrip("?.。？") for start, end in sentences(question)]
    return all(sentence in text for sentence in said)


def _are_keywords(text: str) -> bool:
    return len(words(text)) <= _MOST_KEYWORDS and not text.rstrip().endswith(("?", "？"))


def _is_accented(text: str) -> bool:
    """Whether more than a few of its letters are no ASCII letters."""
    letters = [c for c in text if c.isalpha()]
    return sum(not c.isascii() for c in letters) > _ACCENTED * len(letters)


def _shortest(asked: str) -> int:
    """Scripts without spaces say in three signs what takes eight letters elsewhere."""
    return _SHORTEST_QUESTION if asked.isascii() else 3


def _answer_problem(question: Question, asked: str) -> str:
    answer = fold(question.answer)
    if not says_something(question.answer):
        return "no answer"
    if (len(answer) > 3 and answer in asked) or not telling_words(answer) - set(words(asked)):
        return "the answer stands in the question"
    return ""


def _evidence_problem(question: Question) -> str:
    quote = question.quote.strip()
    if not quote:
        return "no evidence in the chunk"
    if only_points(quote):
        return "its evidence only points elsewhere"
    # An answer that stands in it is stated all the same: "The default is 30 s, as here:".
    if quote.endswith((":", "：")) and 2 * len(question.answer) > len(quote):
        return "its evidence only introduces what follows"
    return ""


def _default_problem(question: Question, chunk: Chunk, asked: str) -> str:
    if not _DEFAULT.search(asked):
        return ""
    # The question's evidence under its headings.
    heading = heading_above(chunk.text, chunk.text.find(question.quote))
    stated = fold(f"{chunk.context} {heading} {question.quote}")
    return "" if _DEFAULT_STATED.search(stated) else "asks for a default that its evidence does not state"
