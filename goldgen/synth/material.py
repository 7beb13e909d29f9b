"""Second chunks for questions that one chunk does not answer."""

from collections import defaultdict
from collections.abc import Sequence

from goldgen.synth.conditions import named_terms
from goldgen.synth.sample import nothing_to_ask
from goldgen.types import Chunk

_MOST_DOCUMENTS = 5
"""That a thing is named in, to connect two of them: what many name is no topic."""


class Material:
    """Finds the chunk that goes with another one; None where there is none."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._by_document: dict[str, list[Chunk]] = defaultdict(list)
        self._naming: dict[str, dict[str, Chunk]] = defaultdict(dict)
        for chunk in chunks:
            if nothing_to_ask(chunk):
                continue
            self._by_document[chunk.document_id].append(chunk)
            for term in named_terms(chunk.text):
                self._naming[term].setdefault(chunk.document_id, chunk)
        for siblings in self._by_document.values():
            siblings.sort(key=lambda chunk: (chunk.start, chunk.id))

    def neighbour(self, chunk: Chunk) -> Chunk | None:
        """The next chunk of its document, or the one before the last one."""
        siblings = self._by_document[chunk.document_id]
        if chunk not in siblings or len(siblings) < 2:
            return None
        place = siblings.index(chunk)
        return siblings[place + 1] if place + 1 < len(siblings) else siblings[place - 1]

    def of_other_document(self, chunk: Chunk) -> Chunk | None:
        """One that names the same thing, the rarest that both name; the first in the alphabet of equals."""
        shared = [
            (len(documents), term)
            for term in named_terms(chunk.text)
            if 2 <= len(documents := self._naming[term]) <= _MOST_DOCUMENTS
        ]
        if not shared:
            return None
        others = self._naming[min(shared)[1]]
        return next((other for key, other in sorted(others.items()) if key != chunk.document_id), None)
