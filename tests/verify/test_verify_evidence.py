import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk

from goldgen.text.quotes import find_quote
from goldgen.types import AnsweredPart
from goldgen.verify import Passage
from goldgen.verify.evidence import contradict, find_evidence, lacks_a_number

TEXT = "Port 8080 is open now. Logs go to disk. Port 8080 is open now. The limit is nine hundred."
PAGE = Passage.of_chunk(chunk("c", TEXT, context="Server ports and limits"))


def parts(*quotes: str) -> list[AnsweredPart]:
    return [AnsweredPart(f"part {number}", True, quote) for number, quote in enumerate(quotes)]


@pytest.mark.parametrize(
    ("quotes", "stretch"),
    [
        (["Port 8080 is open now."], "Port 8080 is open now."),
        (["Port 8080 is open now.", "The limit is nine hundred."], TEXT[40:]),
        (["Port 8080 is open now.", "Logs go to disk."], TEXT[:39]),
        (["The limit is nine hundred.", "Port 8080 is open now.", "Logs go to disk."], TEXT[23:]),
        (["Logs go to disk.", "Logs go to **disk**."], "Logs go to disk."),
    ],
)
def test_the_stretch_is_the_shortest_that_holds_every_quote(quotes: list[str], stretch: str) -> None:
    found = find_evidence(PAGE, parts(*quotes))
    assert found.stretch is not None
    assert TEXT[slice(*found.stretch)] == stretch


def test_the_context_alone_is_no_evidence() -> None:
    found = find_evidence(PAGE, parts("Server ports and limits"))
    assert (found.stretch, found.parts[0].quote) == (None, "")


def test_a_quote_in_an_evidence_set_comes_from_one_chunk_and_from_no_context() -> None:
    first = chunk("a", "Basic is in the EU region.", context="Plans and regions")
    second = chunk("b", "The EU region keeps data for 30 days.", context="Retention of data")
    both = Passage.of_set([first, second])
    assert both.full_text == f"{first.full_text}\n\n{second.full_text}"
    assert both.document_id is None
    found = find_evidence(both, parts(first.text, second.text))
    assert [part.quote for part in found.parts] == [first.text, second.text]
    for elsewhere in (
        "Plans and regions",
        "Retention of data",
        "region. Retention of data The EU region keeps",
    ):
        assert find_evidence(both, parts(elsewhere)).stretch is None


@given(
    st.lists(st.sampled_from(["alpha beta gamma", "delta", "…", "", "epsilon zeta"]), max_size=6), st.data()
)
def test_what_is_found_stands_verbatim_within_the_stretch(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    quotes = data.draw(st.lists(st.sampled_from(["alpha beta gamma", "delta", "zeta", "absent"]), max_size=4))
    found = find_evidence(Passage("p", text, ""), parts(*quotes))
    for part, quote in zip(found.parts, quotes, strict=True):
        assert bool(part.quote) == (find_quote(text, quote) is not None)
        if part.quote:
            assert found.stretch is not None
            assert part.quote in text[slice(*found.stretch)]


KEPT = "Data is kept for 30 days or 5,000 requests."
PLANS = chunk(
    "p", f"# Plan 7\n\nPro keeps it for 60 days. {KEPT}\n\n## Team\n\nAsk us.", context="Retention since 2024"
)


@pytest.mark.parametrize(
    ("answer", "lacks"),
    [
        ("5000 requests", False),
        ("30 days on version 2.4", False),
        ("30 days, since 2024, for plan 7", False),
        ("31 days", True),
        ("60 days", True),
        ("thirty days", False),
        ("", False),
    ],
)
def test_a_number_of_the_answer_must_stand_in_the_evidence_and_not_just_anywhere(
    answer: str, lacks: bool
) -> None:
    passage = Passage.of_chunk(PLANS)
    evidence = find_evidence(passage, parts(KEPT))
    assert lacks_a_number(answer, "How long is data kept on version 2.4?", passage, evidence) is lacks


def test_a_quote_beside_the_answer_gives_no_number() -> None:
    passage = Passage("c", "The Basic plan is for small teams. It keeps data for 60 days.", "")
    for quote, lacks in (("The Basic plan", True), ("It keeps data for 60 days.", False)):
        assert lacks_a_number("60 days", "How long?", passage, find_evidence(passage, parts(quote))) is lacks


def test_the_contexts_of_an_evidence_set_give_numbers_and_its_other_texts_none() -> None:
    first = chunk("a", "Basic is in the EU region. It has 5 seats.", context="Plans of 2025")
    second = chunk("b", "The EU region keeps data for 30 days.", context="Release 9")
    both = Passage.of_set([first, second])
    evidence = find_evidence(both, parts("Basic is in the EU region.", second.text))
    for answer, lacks in (("30 days, 2025, release 9", False), ("5 seats", True)):
        assert lacks_a_number(answer, "How long?", both, evidence) is lacks


@pytest.mark.parametrize(
    ("judged", "quote", "is_contradiction"),
    [
        ("60 days", "Free keeps 30 days, Pro keeps 60 days.", True),
        ("60 days", "Pro keeps 60 days.", True),
        ("about a month", "Free keeps 30 days, about a month.", False),
        ("30 days, or 60 on Pro", "Free keeps 30 days, Pro keeps 60 days.", False),
    ],
)
def test_a_quote_with_both_values_settles_no_contradiction(
    judged: str, quote: str, is_contradiction: bool
) -> None:
    assert contradict("30 days", judged, [quote]) is is_contradiction
