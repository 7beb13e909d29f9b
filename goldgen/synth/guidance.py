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


@dataclass(frozen=True, slots=True)
class Guidance:
    """Language and examples for the prompts."""

    examples: Sequence[str] = ()
    """Queries that people typed: their length and register are to be met, not their content."""
    seed: int = 0

    def language_line(self, language: str) -> str:
        """What to say for a language; nothing for one without a name here, and for English, the prompts'."""
        return f"Write the question in {NAMES[language]}.\n" if language in NAMES and language != "en" else ""

    def examples_block(self, chunk_id: str) -> str:
        """A few examples, the same ones for a chunk whenever it is asked about."""
        if not self.examples:
            return ""
        drawn = random.Random(stable_id(str(self.seed), chunk_id))
        shown = drawn.sample(self.examples, min(_SHOWN, len(self.examples)))
        lines = "\n".join(" ".join(text.split())[:_LONGEST] for text in shown)
        return (
            "Queries that real users typed. Write as they do, as short and as careless, and take nothing of "
            f"what they ask:\n{delimited('queries', lines)}\n\n"
        )
