from collections import Counter

import pytest
from drafting_helpers import RETENTION, chunk
from hypothesis import given
from hypothesis import strategies as st

from goldgen.synth import nothing_to_ask, spread
from goldgen.types import Chunk


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RETENTION.text, None),
        ("Too short to ask about.", "too short"),
        ("", "too short"),
        ("\n".join(f"- [Page number {n} of it](https://example.com/{n})" for n in range(20)), "links only"),
        ("データは三十日間保存されますが、その後は完全に削除されます。", None),
        (
            "Copyright 2026 Lamps. Permission is hereby granted, free of charge, to any person who obtains "
            "a copy of this software, to deal in it without restriction.",
            "a licence",
        ),
        (
            "The Pro licence costs 40 euros a seat and year; it ends when the last seat is given back.",
            None,
        ),
        (
            "\n".join(f"{n}. A chapter about lamps and wires ........ {9 * n}" for n in range(1, 9)),
            "a table of contents",
        ),
        (
            "\n".join(f"{n}. Kapitel von den Lampen und Drähten \u2026 {9 * n}" for n in range(1, 9)),
            "a table of contents",
        ),
        ("\n".join(f"- plan number {n} costs {n} euros for each seat" for n in range(1, 9)), None),
    ],
)
def test_nothing_to_ask(text: str, reason: str | None) -> None:
    assert nothing_to_ask(chunk("c", text)) == reason


CHUNKS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=25).map(
    lambda pairs: [
        chunk(f"c{number}", f"Text {text}.", document=f"d{document}")
        for number, (document, text) in enumerate(pairs)
    ]
)


@given(CHUNKS, st.integers(0, 30), st.integers(0, 30), st.integers())
def test_a_larger_sample_contains_a_smaller_one(chunks: list[Chunk], a: int, b: int, seed: int) -> None:
    small, large = spread(chunks, min(a, b), seed), spread(chunks, max(a, b), seed)
    assert large[: len(small)] == small
    assert len(small) == min(a, b, len({item.text for item in chunks}))
    assert len({item.text for item in large}) == len(large)


@given(CHUNKS, st.integers(0, 30), st.integers())
def test_documents_take_turns(chunks: list[Chunk], size: int, seed: int) -> None:
    """No document gives two more than another that still has some."""
    everything = Counter(item.document_id for item in spread(chunks, len(chunks), seed))
    drawn = Counter(item.document_id for item in spread(chunks, size, seed))
    for document, available in everything.items():
        if drawn[document] < available:
            assert max(drawn.values(), default=0) <= drawn[document] + 1


def test_a_block_that_stands_on_many_pages_counts_once() -> None:
    pages = [chunk(f"c{n}", "The same options.", context=f"Page {n}", document=f"d{n}") for n in range(9)]
    assert len(spread(pages, 9, 0)) == 1


def test_the_seed_decides() -> None:
    chunks = [chunk(f"c{number}", f"Text {number}", document=f"d{number}") for number in range(30)]
    assert spread(chunks, 10, 1) == spread(chunks, 10, 1)
    assert spread(chunks, 10, 1) != spread(chunks, 10, 2)
