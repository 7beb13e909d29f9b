"""How many tokens a text is likely to be, without the model's own tokeniser."""

_ASCII_CHARACTERS_A_TOKEN = 4.0
_TOKENS_OF_ANOTHER_CHARACTER = 0.8
_MOST_CHARACTERS_A_TOKEN = 8


def estimated_tokens(text: str) -> int:
    """An estimate for comparing and planning: one for four ASCII characters, 0.8 for each other character."""
    others = len(text) - sum(map(str.isascii, text)) if not text.isascii() else 0
    ascii_characters = len(text) - others
    return round(ascii_characters / _ASCII_CHARACTERS_A_TOKEN + others * _TOKENS_OF_ANOTHER_CHARACTER)


def fewest_tokens(text: str) -> int:
    """Fewer tokens than any current model makes of ordinary text: one for eight characters."""
    return len(text) // _MOST_CHARACTERS_A_TOKEN
