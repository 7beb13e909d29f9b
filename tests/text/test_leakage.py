"""How much of a question stands in the text that answers it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.text.leakage import LeakageMeter

EXPORT = "The nightly export keeps each archive for ninety days on the Basic plan."
CORPUS = (
    EXPORT,
    "The nightly backup runs at three.",
    "The nightly report is sent by mail.",
    "Seats cost 3 euros.",
)
METER = LeakageMeter(CORPUS)


def idf(frequency: int) -> float:
    return math.log(1 + (len(CORPUS) - frequency + 0.5) / (frequency + 0.5))


def test_rare_words_count_more_than_common_ones() -> None:
    common = METER.measure("nightly wombats", "", EXPORT).overlap
    rare = METER.measure("archive wombats", "", EXPORT).overlap
    assert common == pytest.approx(idf(3) / (idf(3) + idf(0)))
    assert rare == pytest.approx(idf(1) / (idf(1) + idf(0)))


def test_inflected_words_are_the_same_word() -> None:
    assert METER.measure("archives exported", "", EXPORT).overlap == 1.0


def test_words_of_the_headings_count_for_overlap_and_alone() -> None:
    found = METER.measure("invoices archive", "", EXPORT, "Billing > Invoices")
    assert found.overlap == 1.0
    assert 0 < found.heading < 1


@pytest.mark.parametrize(
    ("question", "copied"),
    [
        ("keeps each archive for ninety days", 1.0),
        ("who keeps each archive for long", 4 / 6),
        ("archive for whom", 0.0),
        ("nightly export", 1.0),
        ("export", 0.0),
        ("", 0.0),
    ],
)
def test_the_longest_run_of_words(question: str, copied: float) -> None:
    assert METER.measure(question, "", EXPORT).copied == pytest.approx(copied)


def test_an_answer_in_the_question() -> None:
    assert METER.measure(
        "Does the export keep archives for ninety days?", "ninety days", EXPORT
    ).answer_inside
    assert not METER.measure("How long are archives kept?", "ninety days", EXPORT).answer_inside
    assert not METER.measure("How long are archives kept?", "", EXPORT).answer_inside


@pytest.mark.parametrize("question", ["What does this passage say?", "Was steht in diesem Abschnitt?"])
def test_a_question_that_points_at_its_text(question: str) -> None:
    assert METER.measure(question, "", EXPORT).points_away


def test_an_empty_corpus_and_a_question_without_words() -> None:
    assert LeakageMeter(()).measure("archives", "", "archives").overlap == 1.0
    assert METER.measure("?!", "", EXPORT).overlap == 0.0


@given(st.text(), st.text(), st.text())
def test_shares_are_shares_and_the_text_holds_all_of_itself(question: str, text: str, context: str) -> None:
    found = METER.measure(question, "", text, context)
    assert 0 <= found.heading <= found.overlap <= 1
    assert 0 <= found.copied <= 1
    own = METER.measure(text, "", text).overlap
    assert own in (0.0, pytest.approx(1.0))
