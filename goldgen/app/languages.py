"""The language of a text, by its script and its function words."""

from collections.abc import Mapping

import regex

from goldgen.retrieve import detected_language

UNCLEAR = "not clear"
_LEAST_SHARE = 0.3
"""Of a text's letters, from which a script tells its language: names and code between are Latin."""
_LEAST_KANA = 0.02
_LETTER = regex.compile(r"\p{L}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_SCRIPTS: Mapping[str, "regex.Pattern[str]"] = {
    "ko": regex.compile(r"\p{Hangul}"),
    "th": regex.compile(r"\p{Thai}"),
    "el": regex.compile(r"\p{Greek}"),
    "he": regex.compile(r"\p{Hebrew}"),
    # Several languages share these, and function words tell Russian alone.
    "Arabic script": regex.compile(r"\p{Arabic}"),
    "Cyrillic script": regex.compile(r"\p{Cyrillic}"),
    "Devanagari script": regex.compile(r"\p{Devanagari}"),
}
_ARABIC = regex.compile(r"[\u0629\u0649\u064a\u0643\u0623\u0625]")
"""Letters of Arabic that other languages of its script write otherwise or not at all."""
_NOT_ARABIC = regex.compile(r"[\p{Arabic}--[\u0600-\u065f\u0670]--\p{M}--\p{P}]", flags=regex.VERSION1)
_LEAST_OTHER = 0.02
"""Of a text's letters: Arabic writes a foreign name with a letter of Persian now and then."""
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def language_of(text: str) -> str:
    """An ISO 639-1 code, the name of a script that several languages share, or "not clear"."""
    letters = len(_LETTER.findall(text))
    if not letters:
        return UNCLEAR
    if not text.isascii():
        if len(_HAN.findall(text)) >= _LEAST_SHARE * letters:
            return "ja" if len(_KANA.findall(text)) >= _LEAST_KANA * letters else "zh"
        for name, script in _SCRIPTS.items():
            if len(script.findall(text)) >= _LEAST_SHARE * letters:
                return _within(name, text, letters)
    return detected_language([text]) or UNCLEAR


def _within(name: str, text: str, letters: int) -> str:
    """The language of a text in one script; the script's name where the language is not clear."""
    if name == "Arabic script":
        others = len(_NOT_ARABIC.findall(text))
        return "ar" if _ARABIC.search(text) and others < _LEAST_OTHER * letters else name
    return (detected_language([text]) or name) if "script" in name else name
