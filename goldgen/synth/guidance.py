"""What a generator is told of the language and the register to write in."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.prompts import delimited
from goldgen.text import stable_id

_SHOWN = 4
_LONGEST = 200
NAMES: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""In English, by ISO 639-1 code."""


def language_line(language: str, what: str) -> str:
    """What to say for a language, by its code or whatever else it is known by; nothing if it is empty, and
    nothing for English, which the prompts are in."""
    if language in ("", "en"):
        return ""
    return f"Write the {what} in {NAMES.get(language, 'the language of the text, not in English')}.\n"


@dataclass(frozen=True, slots=True)
class Guidance:
    """Language and examples for the prompts."""

    examples: Sequence[str] = ()
    """Queries that people typed: their length and register are to be met, not their content. One that stands
    there more often is shown more often."""
    seed: int = 0

    def language_line(self, language: str) -> str:
        """What to say for a language; see ``language_line``."""
        return language_line(language, "question")

    def examples_block(self, chunk_id: str) -> str:
        """A few examples, the same ones for a chunk whenever it is asked about."""
        if not self.examples:
            return ""
        drawn = random.Random(stable_id(str(self.seed), chunk_id))
        shown = dict.fromkeys(drawn.sample(self.examples, min(_SHOWN, len(self.examples))))
        lines = "\n".join(" ".join(text.split())[:_LONGEST] for text in shown)
        return (
            "Queries that real users typed. Write as they do, as short and as careless, and take nothing of "
            f"what they ask:\n{delimited('queries', lines)}\n\n"
        )
