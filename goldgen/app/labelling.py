"""Labels for log queries: chunks that the log or a search proposes, judged by the verifier."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.app.concurrency import as_finished
from goldgen.app.judges import Verifier
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter
from goldgen.app.retrievers import RetrieverFactory
from goldgen.store import Store
from goldgen.types import Chunk, Judgment, Question, Retriever
from goldgen.verify import Calibration, Passage

POOL_DEPTH = 10
"""How deep bm25 and dense are pooled for a query."""
_PAGE_DEPTH = 10
"""How many chunks of the page that a log names are judged, the likeliest by bm25 first."""
_POOLED = ("bm25", "dense")
_BATCH = 50


@dataclass(frozen=True, slots=True)
class _Pair:
    question: Question
    chunk: Chunk
    named: bool
    """The log names the chunk's page, which makes an answer there likelier than in a search result."""


async def label_log_questions(
    store: Store,
    verifier: Verifier,
    calibration: Calibration | None,
    settings: ModelSettings,
    reporter: Reporter,
) -> int:
    """Judge the pool of every log query and keep the judgments; returns how many pairs were judged.

    A pair that a search proposed meets the stricter judge: few candidates answer, so a judge that is
    right nine times in ten would fill the set with wrong golds.
    """
    questions = store.questions.all("log")
    chunks = store.corpus.chunks()
    if not questions or not chunks:
        return 0
    factory = RetrieverFactory(settings, store.vectors, reporter)
    retrievers = [factory.build(name, chunks).retriever for name in _POOLED]
    pairs = _pool(questions, chunks, retrievers)
    named, proposed = verifier.judge(calibration), verifier.judge(calibration, strict=True)

    async def judge(pair: _Pair) -> Judgment:
        chosen = named if pair.named else proposed
        return await chosen.judge(pair.question, Passage.of_chunk(pair.chunk))

    batch: list[Judgment] = []
    with reporter.phase("judging log queries", len(pairs)) as done:
        async for judgment in as_finished(judge, pairs, 2 * verifier.concurrency):
            batch.append(judgment)
            done(1)
            if len(batch) == _BATCH:
                store.judgments.put(batch)
                batch = []
        store.judgments.put(batch)
    return len(pairs)


def _pool(
    questions: Sequence[Question], chunks: Sequence[Chunk], retrievers: Sequence[Retriever]
) -> list[_Pair]:
    by_id = {chunk.id: chunk for chunk in chunks}
    pairs: list[_Pair] = []
    for question in questions:
        found: dict[str, bool] = {}
        if question.document_id:
            elsewhere = frozenset(c.id for c in chunks if c.document_id != question.document_id)
            page = [c.id for c in chunks if c.document_id == question.document_id]
            likely = [hit.chunk_id for hit in retrievers[0].search(question.text, _PAGE_DEPTH, elsewhere)]
            found |= dict.fromkeys([*likely, *(c for c in page if c not in likely)][:_PAGE_DEPTH], True)
        for retriever in retrievers:
            for hit in retriever.search(question.text, POOL_DEPTH):
                found.setdefault(hit.chunk_id, by_id[hit.chunk_id].document_id == question.document_id)
        pairs.extend(_Pair(question, by_id[chunk_id], named) for chunk_id, named in found.items())
    return pairs
