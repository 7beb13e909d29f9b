import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goldgen.text import fold, fold_with_offsets

# Characters that folding treats in a way of its own, so that examples are full of them.
SPECIAL = st.text(
    "aB1 .\n\t#-*_`|>\\~'’´“″–"
    "\u2011\u00ad\u200b\u200e\ufeff\u0301\u0345éÉßﬁｶﾞ각\u1100\u1161\u11a8ম\u09c7\u09be\0İ"
)
TEXT = st.text() | SPECIAL


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The  Plan\n\tcosts", "the plan costs"),
        ("oﬃce ﬁle ½ ™", "office file 1⁄2 tm"),
        ("it’s ‘a’ don´t ″x″ „y“ «z»", 'it\'s \'a\' don\'t "x" "y" "z"'),
        ("a – b — c\u2011d −5", "a - b - c-d -5"),
        ("**bold** _it_ `code` ~~no~~ \\* x", "bold it code no x"),
        ("exam-\nple and exam-\r\n  ple", "example and example"),
        ("*exam*-\nple", "example"),
        ("north-\nAmerica, 5-\nday, a -\nb", "north- america, 5- day, a - b"),
        ("cut-\n\noff", "cut- off"),
        (
            "zero\u200bwidth soft\u00adhyphen \u200eright\u200f \ufeffmark nul\0l",
            "zerowidth softhyphen right mark null",
        ),
        ("|Basic|30 days|", "basic 30 days"),
        ("## Title\n> # Quoted", "title quoted"),
        ("C# is not C", "c# is not c"),
        ("STRASSE", fold("Straße")),
        ("ｶﾞ Ａ１", "ガ a1"),
        ("", ""),
        (" \n *", ""),
    ],
)
def test_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_c_sharp_is_not_c() -> None:
    assert fold("C#") != fold("C")
    assert fold("\u200b# Title") == fold("Title")


@given(TEXT)
@example("*#x")
@example("＃x")
@example("a*\u0301")
@settings(deadline=None)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXT)
@example("각 বো")
@example("\u1ffd")
@settings(deadline=None)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(TEXT)
@settings(deadline=None)
def test_nothing_is_left_to_strip_or_collapse(text: str) -> None:
    folded = fold(text)
    assert folded == folded.strip()
    assert "  " not in folded
    assert all(character == " " or not character.isspace() for character in folded)


PLAIN = st.text("aB1 .\n\t\r\x0b\x1c#-*_`|>\\~'") | st.text(st.characters(max_codepoint=127))
HYPHENATED = st.tuples(PLAIN, st.sampled_from(["a-\nb", "A*-\n b", "#-\nb", "a-\n\nb"]), PLAIN).map("".join)


@given(PLAIN | HYPHENATED)
@example("a-\n" + 37 * " " + "b")
@example("a-\n" + 38 * " " + "b")
@settings(deadline=None)
def test_plain_text_folds_the_same_with_offsets_and_without(text: str) -> None:
    assert fold(text) == fold_with_offsets(text).text


@given(TEXT)
@settings(deadline=None)
def test_offsets_lead_back_to_what_was_folded(text: str) -> None:
    folded = fold_with_offsets(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert list(folded.ends) == sorted(folded.ends)
    for character, start, end in zip(folded.text, folded.starts, folded.ends, strict=True):
        assert 0 <= start < end <= len(text)
        if character == " ":
            assert fold(f"x{text[start:end]}x")[1] == " "
        else:
            # The x keeps a number sign from standing at the start of a line.
            assert character in fold(f"x{text[start:end]}")


@given(TEXT, st.data())
@settings(deadline=None)
def test_the_original_of_a_span_folds_to_the_span(text: str, data: st.DataObject) -> None:
    folded = fold_with_offsets(text)
    if not folded.text:
        return
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    a, b = folded.original_span(start, end)
    assert folded.text[start:end].strip() in f"#{fold(text[a:b])}"


def test_offsets_of_ligatures_and_decomposed_letters() -> None:
    text = "An oﬃce cafe\u0301!"
    folded = fold_with_offsets(text)
    at = folded.text.index("café")
    start, end = folded.original_span(at, at + 4)
    assert text[start:end] == "cafe\u0301"
    at = folded.text.index("ffi")
    start, end = folded.original_span(at, at + 3)
    assert text[start:end] == "ﬃ"
