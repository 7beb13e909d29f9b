import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.text.words import words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("pass --max-time now", ["pass", "max", "time", "now"]),
        ("max_retries", ["max_retries", "max", "retries"]),
        ("v2.1.", ["v2.1", "v2", "1"]),
        ("__init__.py", ["init", "py"]),
        ("ﬁle STRASSE Straße", ["file", "strasse", "strasse"]),
        ("don't don’t", ["don", "t", "don", "t"]),
        ("co\u00adoperate zero\u200bwidth", ["cooperate", "zerowidth"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("東京都", ["東京", "京都"]),
        ("水 2024年", ["水", "2024", "年"]),
        ("ｻｰﾊﾞｰ", ["サー", "ーバ", "バー"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("ไทย", ["ไท", "ทย"]),
        ("... !?", []),
        ("", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert words(text) == terms


def test_a_name_is_found_by_itself_and_by_its_parts() -> None:
    page = set(words("Set `server.max_retries` to 3."))
    assert page >= set(words("max retries"))
    assert page >= set(words("server.max_retries"))


@given(st.text())
@settings(deadline=None)
def test_decomposed_and_composed_text_give_the_same_terms(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(st.text())
@settings(deadline=None)
def test_terms_are_not_empty_and_hold_no_space(text: str) -> None:
    assert all(term and not any(character.isspace() for character in term) for term in words(text))


@given(st.text(st.characters(max_codepoint=127)) | st.text("aB1._- "))
@settings(deadline=None)
def test_plain_text_has_the_same_terms_beside_other_text(text: str) -> None:
    assert words(f"{text} é") == [*words(text), "é"]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
@settings(deadline=None)
def test_every_ascii_letter_and_digit_is_in_a_term(text: str) -> None:
    letters = [character for character in text.casefold() if character.isalnum()]
    parts = [term for term in words(text) if "." not in term and "_" not in term]
    assert "".join(parts) == "".join(letters)
