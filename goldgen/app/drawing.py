"""Which chunks questions are asked about."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.app.coverage import covered_chunks, section_of, uncovered
from goldgen.app.loading import CorpusReport
from goldgen.store import Store
from goldgen.synth import nothing_to_ask, spread
from goldgen.types import Chunk


@dataclass(frozen=True, slots=True)
class Drawn:
    """The chunks to ask about, and what became of the others."""

    chunks: Sequence[Chunk]
    corpus: CorpusReport
    skipped: Mapping[str, int]
    documents: int | None = None
    """How many without a question are among them; None unless that was the aim."""
    sections: int | None = None
    """The same of other documents."""


def draw(
    store: Store, chunks: Sequence[Chunk], corpus: CorpusReport, sample: int | None, seed: int, *, fill: bool
) -> Drawn:
    """Up to ``sample`` chunks (None: all) that something can be asked about, spread over the documents.

    ``fill``: only of documents without a question and, after them, of sections without one.
    """
    unfit = {chunk.id: reason for chunk in chunks if (reason := nothing_to_ask(chunk))}
    fit = [chunk for chunk in chunks if chunk.id not in unfit]
    alone = len({" ".join(chunk.text.split()) for chunk in fit})
    skipped = Counter(unfit.values()) + Counter({"same text as another chunk": len(fit) - alone})
    most = len(fit) if sample is None else sample
    if not fill:
        return Drawn(spread(fit, most, seed), corpus, skipped)
    asked = covered_chunks(store.questions.all()) | store.questions.drafted_chunks()
    of_documents, of_sections = uncovered(fit, asked)
    drawn = spread(of_documents, most, seed)
    drawn_sections = spread(of_sections, most - len(drawn), seed)
    return Drawn(
        [*drawn, *drawn_sections],
        corpus,
        skipped,
        len({chunk.document_id for chunk in drawn}),
        len(set(map(section_of, drawn_sections))),
    )
