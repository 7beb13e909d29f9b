"""What many pages share at their ends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.boilerplate import body_span, boilerplate
from goldgen.corpus.chunk import ChunkOptions, chunk
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
    shared = boilerplate(
        Document(str(number), f"{number}.md", text) for number, text in enumerate(pages)
    ).ends
    assert [body(text, shared) for text in pages] == [f"# Page {n}\n\nText {n}." for n in range(20)]
    assert body(f"{MENU}\n\n{FOOTER}", shared) == ""
    inside = f"# Own\n\n{MENU}\n\nmore"
    assert body(inside, shared) == inside


def test_a_long_last_paragraph_is_compared_as_a_whole() -> None:
    options = (
        "```\n" + "\n".join(f"--option-{number} string   What it does" for number in range(150)) + "\n```"
    )
    pages = [Document(str(n), f"{n}.md", f"# Command {n}\n\nText {n}.\n\n{options}") for n in range(6)]
    shared = boilerplate(pages).ends
    assert len(options) > 4_000
    assert [body(page.text, shared) for page in pages] == [f"# Command {n}\n\nText {n}." for n in range(6)]


@given(st.lists(st.sampled_from([MENU, FOOTER, "own", "# Heading", "---", ""]), max_size=8).map("\n\n".join))
@settings(max_examples=80)
def test_what_is_not_shared_is_never_left_off(text: str) -> None:
    start, end = body_span(text, frozenset({MENU, FOOTER}))
    assert 0 <= start <= end <= len(text)
    assert "own" not in text[:start]
    assert "own" not in text[end:]


GLOBAL_OPTIONS = (
    "```\n" + "\n".join(f"--option-{number} string   What it does" for number in range(60)) + "\n```"
)
LIST = "\n".join(f"- Item {number} of a list that many pages repeat, word by word." for number in range(6))


def command(number: int) -> Document:
    above = f"# Command {number}\n\nIt does {number} things.\n\n### Global options\n\n"
    below = f"### See also\n\nCommand {number + 1} does more."
    return Document(f"d{number:02}", f"{number:02}.md", f"{above}{GLOBAL_OPTIONS}\n\n{LIST}\n\n{below}")


@pytest.mark.parametrize("overlap", [0, 100])
def test_a_block_inside_of_many_pages_counts_once(overlap: int) -> None:
    pages = [command(number) for number in range(20)]
    options = ChunkOptions.of_size(600, overlap)
    shared = boilerplate([*reversed(pages[:10]), *pages[10:]])
    assert set(shared.once.values()) == {"00.md"}
    first, *others = [chunk(page, options, shared) for page in pages]
    assert first == chunk(pages[0], options)
    for number, (page, chunks) in enumerate(zip(pages[1:], others, strict=True), 1):
        assert [piece.text for piece in chunks] == [
            f"# Command {number}\n\nIt does {number} things.",
            f"### See also\n\nCommand {number + 1} does more.",
        ]
        assert all(page.text[piece.start : piece.end] == piece.text for piece in chunks)
    assert boilerplate(pages[:19]).once == {}
    assert boilerplate([*pages, *(Document(str(n), str(n), f"Text {n}.") for n in range(81))]).once == {}


def test_titles_above_a_block_that_is_left_out_stay() -> None:
    pages = [
        Document(f"d{n:02}", f"{n:02}.md", f"# Page {n}\n\n## Notes\n\n{LIST}\n\nThe end of {n}.")
        for n in range(20)
    ]
    shared = boilerplate(pages)
    assert [piece.text for piece in chunk(pages[1], ChunkOptions(), shared)] == ["# Page 1", "The end of 1."]
    assert chunk(Document("x", "x.md", LIST), ChunkOptions(), shared) == ()
