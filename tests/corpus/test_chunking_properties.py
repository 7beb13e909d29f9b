"""What holds of chunks whatever the text: exact slices, nothing lost, limits kept, graphemes whole."""

import re
import unicodedata
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.measure import SizeUnit, measure_of
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Chunk, Document

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)
MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# Heading\n",
            "## Other heading\n",
            "#### \n",
            "Setext\n---\n",
            "===\n",
            "```python\n# comment\nx = 1\n\ny = 2\n```\n",
            "```\n",
            "> ```\n",
            "~~~ yaml\nkey: value\n",
            "    indented\n\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
            "| 5 | a cell with many words, and a comma |\n",
            "- item\n  - nested\n",
            "1. first:\n\n   ```\n   code\n   ```\n",
            "<div>\n<p>HTML &amp; more</p>\n",
            "<!-- comment -->\n",
            "退款在三十天内处理。您可以申请吗？\n",
            "ผู้ใช้ขอเงินคืนได้ภายในสามสิบวัน ระบบจะส่งอีเมลยืนยัน\n",
            "Family 👩‍👩‍👧‍👦 e\u0301 🇩🇪 words and words.\n",
            "\n",
            "\n\n",
            "A sentence about refunds. And another one, which is longer.\n",
        ]
    ),
    max_size=30,
).map("".join)
HTML = st.lists(
    st.sampled_from(
        [
            "<p>",
            "</p>",
            "<table><tr><td>",
            "&nbsp;",
            "<!--",
            "-->",
            "```",
            "#",
            "|",
            "text ",
            "返金",
            ". ",
            "\n",
        ]
    )
).map("".join)
MARKS = st.text("#`~|-=>*+ \t\n.,:aB1。，", max_size=300)
TEXT = st.one_of(UNICODE, MARKDOWN, HTML, MARKS)


def page(text: str, path: str = "a.md") -> Document:
    return Document("d", path, text, "Title")


def letters(text: str) -> str:
    """Without white space and marks, as titles are."""
    return re.sub(r"<[^>]+>|[`~>*+.)\\\s-]", "", text)


def check(document: Document, chunks: tuple[Chunk, ...], options: ChunkOptions) -> None:
    text = document.text
    for position, piece in enumerate(chunks):
        assert text[piece.start : piece.end] == piece.text
        assert piece.text.strip()
        assert piece.text == piece.text.rstrip()
        assert piece.position == position
        size = estimated_tokens(piece.text) if options.unit == "tokens" else len(piece.text)
        assert size <= options.size
    assert len({piece.id for piece in chunks}) == len(chunks)
    assert all(one.end <= other.end and one.start < other.start for one, other in pairwise(chunks))


@given(TEXT, st.integers(40, 400), st.booleans(), st.sampled_from(["tokens", "characters"]))
@settings(max_examples=150, deadline=None)
@example("```\n# only code", 40, False, "characters")
@example("```\n" + "0" * 28 + "\n" + "\x80" * 31, 40, False, "tokens")
@example("a\u200d" * 100, 40, False, "tokens")
def test_slices_are_exact_and_within_the_limit(text: str, size: int, plain: bool, unit: SizeUnit) -> None:
    document = page(text, "a.txt" if plain else "a.md")
    for options in (ChunkOptions.of_size(size, unit=unit), ChunkOptions.of_size(size, size // 5, unit)):
        check(document, chunk(document, options), options)


@given(TEXT, st.integers(40, 400), st.booleans())
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost_between_chunks(text: str, size: int, plain: bool) -> None:
    """In plain text only white space; in Markdown also what the next context says."""
    document = page(text, "a.txt" if plain else "a.md")
    at = 0
    for piece in chunk(document, ChunkOptions.of_size(size)):
        between = text[at : piece.start]
        if plain:
            assert not between.strip()
        for line in filter(str.strip, between.split("\n")):
            assert letters(line).lstrip("#=") in letters(piece.context), (line, piece.context)
        at = piece.end
    assert not (text[at:].strip() if plain else letters(text[at:]))


@given(TEXT, st.integers(40, 400))
@settings(max_examples=150, deadline=None)
def test_no_grapheme_is_cut(text: str, size: int) -> None:
    borders = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    for options in (ChunkOptions.of_size(size), ChunkOptions.of_size(size, size // 4)):
        found = chunk(page(text), options)
        assert {offset for piece in found for offset in (piece.start, piece.end)} <= borders


@given(TEXT, TEXT)
@settings(max_examples=60, deadline=None)
def test_ids_depend_on_document_and_text_alone(one: str, other: str) -> None:
    options = ChunkOptions.of_size(80)
    first = chunk(page(one), options)
    assert chunk(page(one), options) == first
    by_text = {(piece.text, piece.id) for piece in first}
    for piece in chunk(page(other), options):
        assert (piece.id in {known for _, known in by_text}) <= (piece.text in {text for text, _ in by_text})


@given(UNICODE, st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_sizes_are_the_estimate_without_rounding(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    assert measure_of(text, "characters")(start, end) == end - start
    assert measure_of(text, "tokens")(start, end) == pytest.approx(estimated_tokens(text[start:end]), abs=0.5)


@given(st.text("ab \u0308\u0301éü\u1100\u1161", max_size=80))
@settings(max_examples=60, deadline=None)
def test_a_composed_text_has_the_same_ids_whichever_way_it_was_written(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    again = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text))
    assert chunk(page(composed), ChunkOptions.of_size(40)) == chunk(page(again), ChunkOptions.of_size(40))
