from itertools import pairwise

import regex
from hypothesis import given
from hypothesis import strategies as st

from goldgen.text.breaks import CLAUSE, LIKELY_SENTENCE, LINE, LINE_END, SENTENCE, breaks, word_breaks

TEXT = st.text(max_size=200) | st.text("aB1 .,;!?\n|。，؟\u0301\u200d\\n", max_size=200)


def parts(text: str) -> list[tuple[str, float]]:
    """What begins at each break, up to the next, with its cost."""
    found = breaks(text, 0, len(text))
    ends = [offset for offset, _ in found[1:]] + [len(text)]
    return [(text[at:end].strip(), cost) for (at, cost), end in zip(found, ends, strict=True)]


def test_the_better_the_place_the_lower_its_cost() -> None:
    assert LINE_END < SENTENCE < LIKELY_SENTENCE < LINE < CLAUSE
    text = "It begins. Then it goes on, slowly.\nA line ends here\nwithout a stop. and small letters; done"
    assert parts(text) == [
        ("Then it goes on,", SENTENCE),
        ("slowly.", CLAUSE),
        ("A line ends here", LINE_END),
        ("without a stop.", LINE),
        ("and small letters;", LIKELY_SENTENCE),
        ("done", CLAUSE),
    ]


def test_abbreviations_and_numbers_are_no_sentences() -> None:
    costs = dict(parts("See e.g. Anna or Fig. 3 of v2.1 and 3.50 per seat. Next one."))
    assert costs["Next one."] == SENTENCE
    assert SENTENCE not in {cost for part, cost in costs.items() if part != "Next one."}


@given(TEXT, st.integers(0, 50), st.integers(0, 200))
def test_breaks_lie_inside_and_cut_no_grapheme(text: str, start: int, end: int) -> None:
    end = min(max(start, end), len(text))
    borders = {match.end() for match in regex.finditer(r"\X", text)}
    found = [offset for offset, _ in breaks(text, start, end)]
    assert found == sorted(set(found))
    assert all(start < offset < end for offset in found)
    assert set(found) <= borders


@given(TEXT, st.integers(1, 30))
def test_parts_between_words_keep_the_size(text: str, size: int) -> None:
    cuts = [0, *(offset for offset, _ in word_breaks(text, 0, len(text), size)), len(text)]
    assert cuts == sorted(cuts)
    assert all(after - before <= size for before, after in pairwise(cuts))


def test_words_are_looked_at_in_windows_and_stay_whole() -> None:
    text = "refund " * 500
    cuts = [offset for offset, _ in word_breaks(text, 0, len(text), 50)]
    assert {text[offset : offset + 6] for offset in cuts} <= {"refund", " refun"}
