"""Overlap: what a chunk repeats of the one before."""

from itertools import pairwise

import pytest

from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.measure import SizeUnit
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Chunk, Document

NUMBERED = " ".join(f"Sentence {number} says something." for number in range(200))


def pieces(text: str, options: ChunkOptions) -> tuple[Chunk, ...]:
    found = chunk(Document("d", "a.md", text), options)
    assert all(text[piece.start : piece.end] == piece.text for piece in found)
    return found


@pytest.mark.parametrize(("size", "overlap", "unit"), [(400, 80, "characters"), (100, 20, "tokens")])
def test_chunks_repeat_whole_sentences(size: int, overlap: int, unit: SizeUnit) -> None:
    found = pieces(NUMBERED, ChunkOptions.of_size(size, overlap, unit))
    assert len(found) > 10
    for one, other in pairwise(found):
        repeated = one.text[other.start - one.start :]
        assert other.text.startswith(repeated)
        assert repeated.startswith("Sentence")
        assert repeated.count("Sentence") == 2
        assert estimated_tokens(repeated) <= 20
    assert all(estimated_tokens(piece.text) <= 100 for piece in found)


def test_without_overlap_nothing_is_repeated() -> None:
    found = pieces(NUMBERED, ChunkOptions.of_size(400))
    assert all(one.end < other.start for one, other in pairwise(found))


def test_no_section_repeats_another() -> None:
    text = "\n\n".join(f"## Part {name}\n\n{NUMBERED[:600]}" for name in "AB")
    found = pieces(text, ChunkOptions.of_size(400, 100))
    (first_of_b,) = (piece for piece in found if "## Part B" in piece.text)
    assert first_of_b.text.startswith("## Part B")
    assert sum("## Part" in piece.text for piece in found) == 2
    assert {piece.context for piece in found if "## Part" not in piece.text} == {"Part A", "Part B"}


def test_code_and_tables_repeat_whole_lines() -> None:
    code = "".join(f"line {number} of code\n" for number in range(100))
    rows = "".join(f"| row {number} | of the table |\n" for number in range(100))
    text = f"Before the code.\n\n```\n{code}```\n\n| a | b |\n|---|---|\n{rows}\nAfter the table."
    found = pieces(text, ChunkOptions.of_size(400, 100))
    lines = set(text.split("\n"))
    assert all(line in lines for piece in found for line in piece.text.split("\n"))
    inside = [piece for piece in found if piece.text.startswith("| row")]
    assert all("| a | b |\n|---|---|" in piece.context for piece in inside)
    assert sum(one.end > other.start for one, other in pairwise(found)) > len(found) - 5


def test_a_sentence_longer_than_the_overlap_gives_a_clause_or_nothing() -> None:
    clauses = "; ".join(f"clause {number} goes on and on" for number in range(100))
    found = pieces(clauses, ChunkOptions.of_size(400, 60))
    assert all(other.text.startswith("clause") and other.start < one.end for one, other in pairwise(found))
    found = pieces("word " * 400, ChunkOptions.of_size(400, 60))
    assert all(other.start > one.end for one, other in pairwise(found))
