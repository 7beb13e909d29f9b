"""From a text to the terms that lexical search compares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from goldgen.errors import RetrieverError
from goldgen.retrieve.languages import STOP_WORDS, detected_language
from goldgen.text.words import words

_STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
LANGUAGES = tuple(_STEMMERS)
"""ISO 639-1 codes of the languages with a stemmer and stop words."""


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str:  # noqa: N802  the library's name
        ...


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How words become terms. By default they are the words of ``goldgen.text.words`` as they stand.

    These are folded by Unicode (NFKC, case), and in Chinese, Japanese, Korean and Thai are overlapping pairs
    of characters. ``stem`` cuts words to their Snowball stem; names with digits, dots or underscores stay
    whole. ``drop_stop_words`` leaves function words out of the question, unless it has no others; all are
    indexed, so that a corpus of nothing else can be searched too. Raises RetrieverError for a language
    that is not in ``LANGUAGES`` where one of them is asked for.
    """

    language: str | None = None
    """ISO 639-1, as "en"."""
    stem: bool = False
    drop_stop_words: bool = False

    def __post_init__(self) -> None:
        if (self.stem or self.drop_stop_words) and self.language not in _STEMMERS:
            raise RetrieverError(
                f"there are no stemmer and stop words for language {self.language!r}; "
                f"choose from {', '.join(LANGUAGES)}, or search plain words"
            )

    def term_of(self) -> Callable[[str], str]:
        """A function from a word to its term. It keeps no memory of words."""
        if not self.stem or self.language is None:
            return str
        import snowballstemmer

        stemmer = cast(_Stemmer, snowballstemmer.stemmer(_STEMMERS[self.language]))
        return lambda word: stemmer.stemWord(word) if word.isalpha() else word

    def question_words(self, question: str) -> list[str]:
        """The words that are looked for, in reading order, repeated where the question repeats them."""
        found = words(question)
        if not self.drop_stop_words or self.language is None:
            return found
        stop_words = STOP_WORDS[self.language]
        return [word for word in found if word not in stop_words] or found


def analyzer_for(texts: Sequence[str], *, stem: bool = True, drop_stop_words: bool = True) -> Analyzer:
    """The analyzer for the language of a corpus; plain words where that is not clear (see detected_language).

    Texts are taken from the whole corpus, evenly, so that its first pages do not decide alone.
    """
    step = max(1, len(texts) // 1000)
    language = detected_language(texts[::step])
    return Analyzer(language, stem, drop_stop_words) if language else Analyzer()
