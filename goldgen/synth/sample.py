"""Which chunks to ask about."""

import re
from collections import defaultdict
from collections.abc import Sequence

from goldgen.text import stable_id
from goldgen.text.words import words
from goldgen.types import Chunk

_FEWEST_WORDS = 15
_LINKS = re.compile(r"\[[^\]]*\]\([^)]*\)|https?://\S+")


def nothing_to_ask(chunk: Chunk) -> str | None:
    """Why a chunk is no ground for a question, or None: contents, link lists and scraps have no facts."""
    prose = words(_LINKS.sub(" ", chunk.text))
    if len(prose) >= _FEWEST_WORDS:
        return None
    return "links only" if len(words(chunk.text)) >= _FEWEST_WORDS else "too short"


def spread(chunks: Sequence[Chunk], size: int, seed: int) -> list[Chunk]:
    """A sample of ``size`` chunks, spread over the documents as evenly as they allow.

    Documents take turns in an order that seed and id give; so a larger sample of the same seed contains a
    smaller one, and a document more or less leaves most of the sample as it was. Of chunks with the same
    text only the first can be drawn.
    """
    by_document: dict[str, list[Chunk]] = defaultdict(list)
    seen: set[str] = set()
    for chunk in chunks:
        text = " ".join(chunk.full_text.split())
        if text not in seen:
            seen.add(text)
            by_document[chunk.document_id].append(chunk)
    documents = sorted(by_document, key=lambda document: stable_id(str(seed), document))
    for document in documents:
        by_document[document].sort(key=lambda chunk: stable_id(str(seed), chunk.id))
    drawn: list[Chunk] = []
    turn = 0
    while len(drawn) < size and any(turn < len(by_document[d]) for d in documents):
        drawn.extend(by_document[d][turn] for d in documents if turn < len(by_document[d]))
        turn += 1
    return drawn[:size]
