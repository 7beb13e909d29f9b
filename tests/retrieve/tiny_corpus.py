"""Small corpora for the tests of retrievers."""

from goldgen.types import Chunk


def chunk(chunk_id: str, text: str, context: str = "") -> Chunk:
    return Chunk(chunk_id, f"document of {chunk_id}", text, 0, len(text), context)


def chunks_of(*texts: str) -> list[Chunk]:
    """Chunks c0, c1, … in the order given."""
    return [chunk(f"c{number}", text) for number, text in enumerate(texts)]
