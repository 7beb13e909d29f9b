import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goldgen.text import fold
from goldgen.text.quotes import find_quote, is_substantial, numbers, says_something, states, without_answer
from goldgen.text.words import words

PAGE = (
    "# Retention\n\nOn the **Basic** plan, data is kept for 30 days. After that it is deleted. "
    "Owners can ask for an export. On the “Pro” plan, data is kept for 90 days – unless you pay for more."
)
WORD = st.sampled_from(["data", "is", "kept", "30", "days", "on", "3.5", "GB", "200", "a_b", "C#", "été"])
SENTENCE = st.lists(WORD, min_size=1, max_size=8).map(lambda chosen: f"The {' '.join(chosen)}.")


def quoted(text: str, quote: str) -> str | None:
    span = find_quote(text, quote)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("data is kept for 30 days", "data is kept for 30 days"),
        ("On the Basic plan, data", "On the **Basic** plan, data"),
        ('on the "Pro" plan,\n data', "On the “Pro” plan, data"),
        ("90 days - unless", "90 days – unless"),
        ("On the Basic plan … 30 days", "On the **Basic** plan, data is kept for 30 days"),
        ("data is kept ... it is deleted", "data is kept for 30 days. After that it is deleted"),
        ("On the Basic plan, data is kept [...]", "On the **Basic** plan, data is kept"),
        ("data is kept … more", "data is kept for 90 days – unless you pay for more"),
        ("data is kept for 30 days and then archived", None),
        ("data is kept ... 31 days", None),
        ("30 days … Basic", None),
        ("On the Basic plan … 90 days", None),
        ("ays. After that", None),
        ("kept for 3", None),
        ("kept for 0 days", None),
        ("", None),
        ("…", None),
        ("**", None),
    ],
)
def test_found(quote: str, found: str | None) -> None:
    assert quoted(PAGE, quote) == found


def test_an_elided_quote_is_looked_for_at_every_place() -> None:
    text = "The plan is new. It has seats. It has storage. The plan costs 20 euros."
    assert quoted(text, "the plan … 20 euros") == "The plan costs 20 euros"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_offsets_are_those_of_the_text_as_it_is(form: str) -> None:
    text = unicodedata.normalize(form, "Früh im Café liegt die Oﬃce-Liste: 각 항목은 exam-\nple.")  # pyright: ignore[reportArgumentType] # both are forms
    for quote in ("im Café liegt", "die Office-Liste", "각 항목은", "example"):
        found = quoted(text, quote)
        assert found is not None
        assert fold(found) == fold(quote)
        assert found in text


@given(st.text(), st.data())
@settings(deadline=None)
def test_what_is_found_is_the_quote_and_stands_in_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    assume("..." not in fold(quote))
    span = find_quote(text, quote)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        assert fold(quote) in f"#{fold(text[span[0] : span[1]])}"


@given(st.lists(SENTENCE, min_size=1, max_size=6), st.data())
@settings(deadline=None)
def test_words_copied_from_a_text_are_found_and_an_invented_tail_is_not(
    parts: list[str], data: st.DataObject
) -> None:
    text = " ".join(parts)
    chosen = text.split()
    start = data.draw(st.integers(0, len(chosen) - 1))
    quote = " ".join(chosen[start : data.draw(st.integers(start + 1, len(chosen)))])
    found = quoted(text, quote)
    assert found is not None
    assert fold(found) == fold(quote)
    assert find_quote(text, f"{quote} forever") is None
    assert find_quote(text, f"{quote} … forever") is None


@pytest.mark.parametrize(
    ("quote", "answer", "enough"),
    [
        ("data is kept", "", True),
        ("kept 30 days", "", True),
        ("thirty-day", "", False),
        ("it is so", "", False),
        ("30 days", "30 Days", True),
        ("30 days", "after 30 days", False),
        ("EU", "eu", True),
        ("保存期間", "保存期間", True),
        ("the", "the", False),
        ("is it", "is it", False),
        ("…", "...", False),
        ("", "", False),
    ],
)
def test_substantial(quote: str, answer: str, enough: bool) -> None:
    assert is_substantial(quote, answer) is enough


@pytest.mark.parametrize(
    ("text", "answer", "stated"),
    [
        ("It costs 20 euros.", "20", True),
        ("It costs 20.", "20", True),
        ("It costs 200 euros.", "20", False),
        ("It costs 1.20 or 20.5 euros.", "20", False),
        ("Up to 1,000 rows.", "1", False),
        ("At 10:30 sharp.", "10", False),
        ("Needs v2.1.3 now.", "v2.1", False),
        ("Kept for “30 days”.", '"30 days"', True),
        ("Kept for 30 days.", "Kept for 30 days.", True),
        ("Data is kept for 30 full days there.", "kept for 30 days", True),
        ("Data is kept for 31 full days there.", "kept for 30 days", False),
        ("Unlimited seats", "limited", False),
        ("Written in C.", "C#", False),
        ("保存期間は30日です。", "30日", True),
        ("anything", "", False),
        ("anything.", ".", False),
        ("", "x", False),
    ],
)
def test_states(text: str, answer: str, stated: bool) -> None:
    assert states(text, answer) is stated


@given(st.lists(SENTENCE, min_size=1, max_size=5).map(" ".join), st.integers(1, 500))
@settings(deadline=None)
def test_an_answer_is_not_stated_without_its_numbers(text: str, number: int) -> None:
    assume(str(number) not in numbers(text))
    assert not states(text, f"kept for {number} days")
    assert states(f"{text} It is {number}.", str(number))


def test_numbers_and_words_that_say_something() -> None:
    assert numbers("v2.1, 5,000 rows at 10:30") == {"2.1", "5,000", "10:30"}
    assert says_something("the owner")
    assert not says_something("The … of it")


LONG = (
    "Teams invite guests by mail. The Basic plan keeps data for 30 days. Owners see it in the list.\n\n"
    "- Exports run at night and are sent to the owner.\n- After 30 days nothing is left."
)


def test_without_answer_takes_every_sentence_that_states_it() -> None:
    left = without_answer(LONG, "30 days", "The Basic plan keeps data for 30 days.")
    assert left == (
        "Teams invite guests by mail. Owners see it in the list.\n\n"
        "- Exports run at night and are sent to the owner."
    )


@pytest.mark.parametrize(
    ("text", "answer", "quote"),
    [
        ("Short. Kept for 30 days.", "30 days", "Kept for 30 days."),
        (LONG, "40 days", "not in the text"),
        (LONG, "", ""),
        ("", "30 days", "30 days"),
        # Every sentence has a part of the answer, so that none states it and all together do.
        (
            "Red is for teams that pay us. Green is for the free ones. Blue is for all guests.",
            "red green blue",
            "",
        ),
    ],
)
def test_none_if_the_answer_cannot_be_taken_out(text: str, answer: str, quote: str) -> None:
    assert without_answer(text, answer, quote) is None


@given(st.lists(SENTENCE, min_size=1, max_size=12), st.data())
@settings(deadline=None)
def test_the_answer_is_gone_from_the_whole_result(parts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([" ", "\n\n", "\n- "])).join(parts)
    quote = data.draw(st.sampled_from(parts))
    answer = " ".join(quote.rstrip(".").split()[1 : data.draw(st.integers(2, 6))])
    left = without_answer(text, answer, quote)
    if left is not None:
        assert not states(left, answer)
        assert find_quote(left, quote) is None
        assert len(words(left)) >= 12
        assert len(left) < len(text)
