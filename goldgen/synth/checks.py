"""What code looks for in a draft before a verifier is paid to."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldgen.text import fold
from goldgen.text.deixis import points_away
from goldgen.text.quotes import says_something
from goldgen.text.sentences import heading_above
from goldgen.text.words import telling_words, words
from goldgen.types import Chunk, Question

_SHORTEST_QUESTION = 8
_DEFAULT = re.compile(r"\bdefaults?\b")
_DEFAULT_STATED = re.compile(r"\b(?:defaults?|unless|otherwise|initial(?:ly)?)\b")
"""Weak generators like to ask for a default where the text states a value and no default."""
_NAMELESS = frozenset({"", "not clear"})
_OWN_SCRIPT = re.compile(r"(?:zh|ja|ko|th|el|he|ru|.* script)\Z")
"""Languages that no text in ASCII letters is in."""


@dataclass(frozen=True, slots=True)
class DraftChecks:
    """Finds the reason why a draft is not kept."""

    language_of: Callable[[str], str] = lambda _: ""
    """Of a text: a code, a script's name, or "" or "not clear"."""
    language: str = ""
    """That questions are to be in; empty: that of their chunk."""

    def wanted_language(self, chunk: Chunk) -> str:
        """What questions about it are to be in; empty if that is not known."""
        found = self.language or self.language_of(chunk.text)
        return "" if found in _NAMELESS else found

    def problem(self, question: Question, chunk: Chunk, kept: Sequence[Question] = ()) -> str:
        """Why a draft that one chunk is to answer is not kept, beside ``kept``; empty if it is."""
        asked = fold(question.text)
        return (
            self.wording_problem(question, chunk, kept)
            or _answer_problem(question, asked)
            or ("no evidence in the chunk" if not question.quote else "")
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
        if asked.rstrip("?.") in fold(chunk.full_text):
            return "copied from the passage"
        if any(question.id == other.id for other in kept):
            return "asked twice"
        wanted = self.wanted_language(chunk)
        if wanted and self._is_foreign(question.text, wanted):
            return "in another language"
        return ""

    def _is_foreign(self, text: str, wanted: str) -> bool:
        if text.isascii() and _OWN_SCRIPT.match(wanted):
            return True
        found = self.language_of(text)
        return found not in _NAMELESS and found != wanted


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


def _default_problem(question: Question, chunk: Chunk, asked: str) -> str:
    if not _DEFAULT.search(asked):
        return ""
    # The question's evidence under its headings.
    heading = heading_above(chunk.text, chunk.text.find(question.quote))
    stated = fold(f"{chunk.context} {heading} {question.quote}")
    return "" if _DEFAULT_STATED.search(stated) else "asks for a default that its evidence does not state"
