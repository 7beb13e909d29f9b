"""Which chunks to ask about."""

import re
from collections import defaultdict
from collections.abc import Sequence

from goldgen.text import stable_id
from goldgen.text.words import words
from goldgen.types import Chunk

_FEWEST_WORDS = 15
_LINKS = re.compile(r"\[[^\]]*\]\([^)]*\)|https?://\S+")
_FEWEST_ENTRIES = 4
_MOST_LINES = 0.75
_CONTENTS_ENTRY = re.compile(
    r"(?:\.{3,}|(?:\. ){3,}|\u2026+|\t)\s*\d+\s*$|^\s*(?:[-*+]|\d+\.)?\s*\[[^\]]*\]\(#[^)]*\)\s*$"
)
"""A title with leaders and a page number, or a link into the same page."""
_LICENCE = re.compile(
    r"Permission is hereby granted, free of charge|Redistribution and use in source and binary forms"
    r"|Licensed under the Apache License, Version|WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND"
    r"|THE SOFTWARE IS PROVIDED .AS IS.|GNU (?:Lesser |Affero )?General Public License as published"
    r"|TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    re.I,
)


def nothing_to_ask(chunk: Chunk) -> str | None:
    """Why a chunk is no ground for a question, or None.

    Contents, lists of links, licences and scraps have no facts that a reader of the documents looks for. Told
    by form and by the set phrases of licences, so that in doubt a chunk is asked about.
    """
    prose = words(_LINKS.sub(" ", chunk.text))
    if len(prose) < _FEWEST_WORDS:
        return "links only" if len(words(chunk.text)) >= _FEWEST_WORDS else "too short"
    if _LICENCE.search(chunk.text):
        return "a licence"
    lines = [line for line in chunk.text.splitlines() if line.strip()]
    if len(lines) >= _FEWEST_ENTRIES and _share(_CONTENTS_ENTRY, lines) >= _MOST_LINES:
        return "a table of contents"
    return None


def _share(pattern: re.Pattern[str], lines: Sequence[str]) -> float:
    return sum(pattern.search(line) is not None for line in lines) / len(lines)


def spread(chunks: Sequence[Chunk], size: int, seed: int) -> list[Chunk]:
    """A sample of ``size`` chunks, spread over the documents as evenly as they allow.

    Documents take turns in an order that seed and id give; so a larger sample of the same seed contains a
    smaller one, and a document more or less leaves most of the sample as it was. Of chunks with the same
    text, under whatever headings, only the first can be drawn: a block that stands on many pages counts once.
    """
    by_document: dict[str, list[Chunk]] = defaultdict(list)
    seen: set[str] = set()
    for chunk in chunks:
        text = " ".join(chunk.text.split())
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
