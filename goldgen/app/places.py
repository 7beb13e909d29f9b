"""Where a hand-written question's answer stands in the corpus: by chunk, or by quote."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.app.written import Written
from goldgen.errors import SettingsError
from goldgen.text import fold
from goldgen.text.quotes import find_quote, is_substantial
from goldgen.types import Chunk, Document

_SHORTEST_PREFIX = 4
_NAMED = 5
"""How many of several candidates an error names."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a person points at; all of it empty if they leave the chunk to be found."""

    chunks: tuple[Chunk, ...] = ()
    """Several answer only together."""
    document_id: str | None = None
    """Of the first chunk, or of the document that is named instead."""
    quote: str = ""
    """As it stands in the document."""
    start: int | None = None
    """Offsets of the quote in the document of its chunk, end exclusive."""
    end: int | None = None


class Places:
    """Looks places up in a corpus. Every method raises SettingsError if it is not clear what is meant."""

    def __init__(self, documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
        """``chunks`` in the order of their positions."""
        self._documents = documents
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self._of_document: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            self._of_document[chunk.document_id].append(chunk)

    def find(self, written: Written) -> Place:
        document = self._document(written.document) if written.document else None
        if written.chunks:
            chunks = tuple(dict.fromkeys(map(self._chunk, written.chunks)))
            return self._in_chunks(chunks, written.quote, document)
        if written.quote:
            return self._by_quote(written.quote, written.answer, document)
        return Place(document_id=document.id if document else None)

    def _chunk(self, wanted: str) -> Chunk:
        if wanted in self._chunks:
            return self._chunks[wanted]
        if len(wanted) < _SHORTEST_PREFIX:
            raise SettingsError(
                f"no chunk has the id {wanted!r}; give its first {_SHORTEST_PREFIX} characters"
            )
        found = [chunk for chunk_id, chunk in self._chunks.items() if chunk_id.startswith(wanted)]
        if not found:
            raise SettingsError(f"no chunk has an id that begins with {wanted!r}; give another or a --quote")
        if len(found) > 1:
            named = _named([chunk.id for chunk in found])
            raise SettingsError(f"{len(found)} chunks begin with {wanted!r}: {named}; give more of the id")
        return found[0]

    def _document(self, wanted: str) -> Document:
        path = unicodedata.normalize("NFC", wanted).replace("\\", "/").removeprefix("./")
        exact = [document for document in self._documents if document.path == path]
        found = exact or [document for document in self._documents if document.path.endswith(f"/{path}")]
        if not found:
            raise SettingsError(f"no document has the path {wanted!r}; give it as `goldgen status` lists it")
        if len(found) > 1:
            named = _named([document.path for document in found])
            raise SettingsError(f"{len(found)} documents end with {wanted!r}: {named}; give more of the path")
        return found[0]

    def _in_chunks(self, chunks: tuple[Chunk, ...], quote: str, document: Document | None) -> Place:
        elsewhere = [chunk.id for chunk in chunks if document and chunk.document_id != document.id]
        if document and elsewhere:
            raise SettingsError(f"chunk {elsewhere[0]} is not in {document.path}; leave one of the two out")
        if not quote:
            return Place(chunks, chunks[0].document_id)
        for chunk in chunks:
            if span := find_quote(chunk.text, quote):
                start, end = chunk.start + span[0], chunk.start + span[1]
                return Place(chunks, chunks[0].document_id, chunk.text[slice(*span)], start, end)
        named = " or ".join(chunk.id for chunk in chunks)
        raise SettingsError(f"the quote does not stand in chunk {named}; copy it from there word for word")

    def _by_quote(self, quote: str, answer: str, wanted: Document | None) -> Place:
        telling = [word for word in fold(quote).split() if word.isalnum()]
        candidates = [
            document
            for document in ([wanted] if wanted else self._documents)
            # Finding a quote is slow; texts that lack a word of it are soon passed over.
            if all(word in fold(document.text) for word in telling)
        ]
        found = [(document, span) for document in candidates if (span := find_quote(document.text, quote))]
        if not found:
            where = wanted.path if wanted else "any document"
            raise SettingsError(f"the quote does not stand in {where}; copy it from there word for word")
        if len(found) > 1:
            named = _named([document.path for document, _ in found])
            raise SettingsError(
                f"the quote stands in {len(found)} documents: {named}; name one by --document"
            )
        if not is_substantial(quote, answer):
            raise SettingsError(f"the quote {quote!r} says too little; quote a sentence")
        document, (start, end) = found[0]
        chunk = self._holding(document, start, end)
        return Place((chunk,), document.id, document.text[start:end], start, end)

    def _holding(self, document: Document, start: int, end: int) -> Chunk:
        """The first chunk with all of the quote; others, by overlap or as twins, follow from it."""
        chunks = self._of_document[document.id]
        whole = [chunk for chunk in chunks if chunk.start <= start and end <= chunk.end]
        quote = document.text[start:end]
        again = [
            chunk.id
            for chunk in chunks
            if whole and chunk.start >= end and chunk.text != whole[0].text and find_quote(chunk.text, quote)
        ]
        if again:
            raise SettingsError(
                f"the quote stands more than once in {document.path}, in chunks "
                f"{_named([whole[0].id, *again])}; quote more, or name the one that answers by --chunk"
            )
        if whole:
            return whole[0]
        across = [chunk.id for chunk in chunks if chunk.start < end and start < chunk.end]
        if not across:
            raise SettingsError(f"the quote stands in no chunk of {document.path}; quote from its text")
        flags = " ".join(f"--chunk {chunk_id}" for chunk_id in across)
        raise SettingsError(f"the quote runs over several chunks of {document.path}; give {flags} instead")


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
