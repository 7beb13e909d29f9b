"""What many pages share at their ends."""

from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.boilerplate import body_span, boilerplate
from goldgen.types import Document

MENU = "Acme Docs | Home | Guides | API reference | Blog | Community"
LANGUAGES = "English\nDeutsch\nFrançais\n日本語\nPortuguês\nBahasa Indonesia\nTürkçe"
FOOTER = "Need help? Write to support@acme.example or ask in the forum."


def body(text: str, shared: frozenset[str]) -> str:
    start, end = body_span(text, shared)
    return text[start:end].strip()


def test_menus_above_and_footers_below_are_left_off() -> None:
    pages = [
        f"{MENU}\n\n{LANGUAGES}\n\n# Page {number}\n\nText {number}.\n\n---\n\n## Help\n\n{FOOTER}"
        for number in range(20)
    ]
    shared = boilerplate(Document(str(number), f"{number}.md", text) for number, text in enumerate(pages))
    assert [body(text, shared) for text in pages] == [f"# Page {n}\n\nText {n}." for n in range(20)]
    assert body(f"{MENU}\n\n{FOOTER}", shared) == ""
    inside = f"# Own\n\n{MENU}\n\nmore"
    assert body(inside, shared) == inside


def test_a_long_last_paragraph_is_compared_as_a_whole() -> None:
    options = (
        "```\n" + "\n".join(f"--option-{number} string   What it does" for number in range(150)) + "\n```"
    )
    pages = [Document(str(n), f"{n}.md", f"# Command {n}\n\nText {n}.\n\n{options}") for n in range(6)]
    shared = boilerplate(pages)
    assert len(options) > 4_000
    assert [body(page.text, shared) for page in pages] == [f"# Command {n}\n\nText {n}." for n in range(6)]


@given(st.lists(st.sampled_from([MENU, FOOTER, "own", "# Heading", "---", ""]), max_size=8).map("\n\n".join))
@settings(max_examples=80)
def test_what_is_not_shared_is_never_left_off(text: str) -> None:
    start, end = body_span(text, frozenset({MENU, FOOTER}))
    assert 0 <= start <= end <= len(text)
    assert "own" not in text[:start]
    assert "own" not in text[end:]
