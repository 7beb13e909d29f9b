"""Which parts of a corpus have no question yet."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.store import Store, open_store
from goldgen.synth import nothing_to_ask
from goldgen.types import Chunk, Question


@dataclass(frozen=True, slots=True)
class Section:
    """Chunks under one heading path of one document; the path is empty above the first heading."""

    document_id: str
    document: str
    """Its path."""
    headings: str
    chunks: int
    """Those that something can be asked about."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what can be asked about has a question, drafts that were rejected left out."""

    documents: int
    documents_covered: int
    sections: int
    sections_covered: int
    uncovered_documents: tuple[Section, ...]
    """As one section each, the largest first."""
    uncovered_sections: tuple[Section, ...]
    """Of documents with a question, the largest first."""


def section_of(chunk: Chunk) -> tuple[str, str]:
    """The document and heading path that a chunk stands under."""
    return chunk.document_id, chunk.context.split("\n", 1)[0]


def coverage(store: Store, golden: GoldenSet) -> Coverage:
    """Of the questions that may count: golden ones, and those that no verdict is out on yet."""
    alive = {item.question.id for item in golden.questions if item.state in ("golden", "unjudged")}
    golds = {chunk_id for item in golden.golden for chunk_id in item.gold}
    paths = {document.id: document.path for document in store.corpus.documents()}
    fit = [chunk for chunk in golden.chunks if not nothing_to_ask(chunk)]
    covered = covered_chunks([q for q in store.questions.all() if q.id in alive]) | golds
    by_document, by_section = Counter(c.document_id for c in fit), Counter(map(section_of, fit))
    documents = {chunk.document_id for chunk in fit if chunk.id in covered}
    sections = {section_of(chunk) for chunk in fit if chunk.id in covered}
    bare_documents = [
        Section(key, paths.get(key, key), "", count)
        for key, count in by_document.items()
        if key not in documents
    ]
    bare_sections = [
        Section(key, paths.get(key, key), headings, count)
        for (key, headings), count in by_section.items()
        if key in documents and (key, headings) not in sections
    ]
    return Coverage(
        documents=len(by_document),
        documents_covered=len(documents),
        sections=len(by_section),
        sections_covered=len(sections),
        uncovered_documents=tuple(sorted(bare_documents, key=_largest_first)),
        uncovered_sections=tuple(sorted(bare_sections, key=_largest_first)),
    )


def coverage_of(db: Path) -> Coverage:
    """The coverage of a set, which stays as it is. Raises StoreError if there is none."""
    with open_store(db, read_only=True) as store:
        return coverage(store, load_golden(store))


def covered_chunks(questions: Sequence[Question]) -> set[str]:
    """The chunks that questions were written from."""
    return {key for q in questions for key in (q.chunk_id, *q.evidence_chunks) if key}


def uncovered(chunks: Sequence[Chunk], covered: set[str]) -> tuple[list[Chunk], list[Chunk]]:
    """Of ``chunks``, those of documents without a covered one, and those of other sections without one."""
    documents = {chunk.document_id for chunk in chunks if chunk.id in covered}
    sections = {section_of(chunk) for chunk in chunks if chunk.id in covered}
    of_documents = [chunk for chunk in chunks if chunk.document_id not in documents]
    of_sections = [
        chunk for chunk in chunks if chunk.document_id in documents and section_of(chunk) not in sections
    ]
    return of_documents, of_sections


def _largest_first(section: Section) -> tuple[int, str, str]:
    return -section.chunks, section.document, section.headings
