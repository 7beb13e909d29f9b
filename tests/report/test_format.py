"""Numbers and labels as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.report.format import (
    clean,
    columns,
    cut,
    cut_front,
    cut_middle,
    interval,
    listed,
    number,
    p_value,
    percent,
    ranges,
    signed,
)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (number(0.8126), "0.813"),
        (number(-0.0001), "0.000"),
        (number(-0.25), "−0.250"),
        (number(12345.6, 1), "12,345.6"),
        (number(None), "n/a"),
        (signed(0.0814), "+0.081"),
        (signed(0.0001), "0.000"),
        (signed(-0.004), "−0.004"),
        (interval(0.1, None), "n/a"),
        (interval(-0.01, 0.2), "−0.010 to 0.200"),
        (p_value(0.0002), "< 0.001"),
        (p_value(1.0), "1.000"),
        (percent(0.004), "0.4%"),
        (percent(0.04), "4%"),
        (percent(0.0), "0%"),
        (ranges([1, 2, 3, 7, 9, 10]), "1–3, 7, 9–10"),
        (ranges([]), ""),
        (listed(["a"]), "a"),
        (listed(["a", "b", "c"]), "a, b and c"),
        (cut_front("guides/deep/exports.md", 12), "…/exports.md"),
        (cut_middle("http://127.0.0.1/search/1", 13), "http://1…ch/1"),
    ],
)
def test_texts(shown: str, expected: str) -> None:
    assert shown == expected


@given(st.text(), st.integers(6, 60))
def test_a_cut_label_fits_and_one_that_fits_is_whole(text: str, width: int) -> None:
    whole = " ".join(clean(text).split())
    for shortened in (cut(text, width), cut_front(text, width), cut_middle(text, width)):
        assert columns(shortened) <= width
        assert shortened == whole or "…" in shortened
        assert "\n" not in shortened


@given(st.text(st.characters()))
def test_clean_text_can_be_encoded_and_parsed_as_xml(text: str) -> None:
    from xml.etree import ElementTree

    element = ElementTree.Element("a")
    element.text = clean(text)
    assert ElementTree.fromstring(ElementTree.tostring(element, "utf-8")).tag == "a"
