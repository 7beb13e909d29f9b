import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.text import fold
from goldgen.text.quotes import find_quote
from goldgen.text.sentences import heading_above, is_heading, sentences, windows

TEXT = st.text() | st.text("Ab1 .!?\n\t-*#|>`\"'。！」é_)…") | st.text("aB \r\n.\x0b\x1c\u2028")


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(TEXT)
@settings(deadline=None)
def test_spans_are_ordered_disjoint_and_cover_everything_but_space(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        at = end
    assert not text[at:].strip()


@given(TEXT)
@settings(deadline=None)
def test_every_sentence_can_be_quoted(text: str) -> None:
    for start, end in sentences(text):
        sentence = text[start:end]
        if fold(sentence).strip(" .\"'"):
            assert find_quote(text, sentence) is not None


@given(TEXT, st.integers(1, 4))
@settings(deadline=None)
def test_windows_are_runs_of_sentences_that_cover_all_but_headings(text: str, size: int) -> None:
    prose = [span for span in sentences(text) if not is_heading(text, span[0])]
    found = windows(text, size)
    for start, end in found:
        inside = [span for span in sentences(text) if start <= span[0] and span[1] <= end]
        assert (inside[0][0], inside[-1][1]) == (start, end)
        assert len(inside) <= size
        assert set(inside) <= set(prose)
    assert all(any(start <= a and b <= end for start, end in found) for a, b in prose)
    assert len(found) <= max(1, len(prose))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        (
            "See e.g. Anna, i.e. Dr. Who and St. Paul, of approx. 5 or APPROX. 6. End.",
            ["See e.g. Anna, i.e. Dr. Who and St. Paul, of approx. 5 or APPROX. 6.", "End."],
        ),
        ("J. Smith wrote it. Then it ended.", ["J. Smith wrote it.", "Then it ended."]),
        ("The limit is 5. Then it stops.", ["The limit is 5.", "Then it stops."]),
        ("Costs 3.50 per seat in v2.1 now. Ask.", ["Costs 3.50 per seat in v2.1 now.", "Ask."]),
        ("12. Open the page. Save.", ["12. Open the page.", "Save."]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        (
            "It must be\n**enabled** first, see\n*docs* and\n-5.",
            ["It must be\n**enabled** first, see\n*docs* and\n-5."],
        ),
        ("A line\nwraps here.\n\nNew one", ["A line\nwraps here.", "New one"]),
        ("- one\n- two\n  more\n* three\n1. four", ["- one", "- two\n  more", "* three", "1. four"]),
        ("# Head\nBody goes on", ["# Head", "Body goes on"]),
        ("Head\n---\nBody", ["Head", "---\nBody"]),
        ("| a | b |\n|---|---|\n| 1. | 2 |", ["| a | b |", "|---|---|", "| 1. | 2 |"]),
        (
            "保存は30日です。消えます！「本当？」はい",
            ["保存は30日です。", "消えます！", "「本当？」", "はい"],
        ),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_cut(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_a_fence_stays_in_few_pieces() -> None:
    code = "\n".join(f"  value_{number} = call(a.b, c[{number}]);" for number in range(50))
    assert len(cut(f"Before.\n\n```python\n{code}\n```\n\nAfter.")) <= 5


def test_windows_of_short_and_long_texts() -> None:
    assert windows("") == []
    assert windows("Only one.") == [(0, 9)]
    text = "One. Two. Three."
    assert [text[a:b] for a, b in windows(text)] == ["One. Two.", "Two. Three."]


def test_windows_do_not_cross_a_heading() -> None:
    text = "Before.\n\n## First\n\nOne. Two.\n\n## Second\nThree."
    assert [text[a:b] for a, b in windows(text)] == ["Before.", "One. Two.", "Three."]
    assert [heading_above(text, a) for a, _ in windows(text)] == ["", "## First", "## Second"]
    assert windows("# Only a heading") == []


def test_a_line_of_nothing_but_marks_takes_no_longer_for_each_of_them() -> None:
    assert sentences("!" * 300_000) == [(0, 300_000)]
