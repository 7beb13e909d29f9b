"""Labels for log queries: chunks that the log or a search proposes, judged by the verifier."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from goldgen.app.concurrency import as_finished, batched
from goldgen.app.counting import dollars
from goldgen.app.judges import PlannedVerifier, Verifier
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter
from goldgen.app.retrievers import NamedRetriever, RetrieverFactory
from goldgen.errors import ModelError
from goldgen.retrieve import BM25Retriever
from goldgen.store import Store
from goldgen.types import Chunk, Judgment, Question, Retriever
from goldgen.verify import Calibration, Passage

POOL_DEPTH = 10
"""How deep bm25 and dense are pooled for a query."""
_PAGE_DEPTH = 10
"""How many chunks of the page that a log names are judged, the likeliest by bm25 first."""
_POOL_KEY = "pool_models"


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many pairs were put to the verifier, and why some have no verdict."""

    pairs: int
    unjudged: Mapping[str, int] = field(default_factory=dict[str, int])


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
) -> LabelCounts:
    """Judge the pool of every log query and keep the judgments.

    A pair that a search proposed meets the stricter judge: few candidates answer, so a judge that is
    right nine times in ten would fill the set with wrong golds.
    """
    questions = store.questions.all("log")
    chunks = store.corpus.chunks()
    if not questions or not chunks:
        return LabelCounts(0)
    retrievers = _pooled_retrievers(store, settings, chunks, reporter)
    pairs = await _pool(questions, chunks, [named.retriever for named in retrievers])
    await _say_cost(verifier.planned(store), pairs, reporter)
    named, proposed = verifier.judge(calibration), verifier.judge(calibration, strict=True)

    async def judge(pair: _Pair) -> Judgment:
        chosen = named if pair.named else proposed
        return await chosen.judge(pair.question, Passage.of_chunk(pair.chunk))

    unjudged: Counter[str] = Counter()
    note = verifier.chat.spent if verifier.chat else None
    with (
        batched(store.judgments.put) as keep,
        reporter.phase("judging log queries", len(pairs), note) as done,
    ):
        async for judgment in as_finished(judge, pairs, 2 * verifier.concurrency):
            keep(judgment)
            if judgment.grade is None:
                unjudged[judgment.reason] += 1
            done(1)
    return LabelCounts(len(pairs), dict(unjudged))


async def plan_labels(store: Store, planned: PlannedVerifier) -> None:
    """Let ``planned`` count the pairs of log queries, without the embedding model.

    What bm25 proposes is exact. What dense search adds is known for a query that an earlier run labelled,
    and otherwise an estimate: chunks that bm25 did not propose, up to the depth of the pool.
    """
    questions, chunks = store.questions.all("log"), store.corpus.chunks()
    if not questions or not chunks:
        return
    by_id = {chunk.id: chunk for chunk in chunks}
    judge = planned.judge
    pool: dict[str, set[str]] = {question.id: set() for question in questions}
    for pair in await _pool(questions, chunks, [BM25Retriever(chunks)]):
        pool[pair.question.id].add(pair.chunk.id)
    judged: dict[str, set[str]] = {question.id: set() for question in questions}
    for judgment in store.judgments.all():
        if judgment.judge == judge.name and judgment.question_id in judged and judgment.target_id in by_id:
            judged[judgment.question_id].add(judgment.target_id)
    for question in questions:
        proposed = pool[question.id]
        for chunk_id in proposed | judged[question.id]:
            await judge.judge(question, Passage.of_chunk(by_id[chunk_id]))
        if not judged[question.id]:
            others = (chunk for chunk in chunks if chunk.id not in proposed)
            for chunk in islice(others, POOL_DEPTH):
                planned.chat.may_ask(judge.request(question, Passage.of_chunk(chunk)))


async def _say_cost(planned: PlannedVerifier | None, pairs: Sequence[_Pair], reporter: Reporter) -> None:
    """Say what judging will cost, before it starts; an embedded judge costs nothing."""
    if planned is None:
        return
    judge = planned.judge
    for pair in pairs:
        await judge.judge(pair.question, Passage.of_chunk(pair.chunk))
    plan = planned.chat.plan()
    cost = plan.expected
    reporter.say(
        f"judging {len(pairs):,} pairs of log queries: about {cost.calls:,} calls ({plan.remembered:,} "
        f"remembered), {cost.prompt_tokens + cost.completion_tokens:,} tokens, {dollars(cost.usd)}"
    )


def pool_models(store: Store) -> frozenset[str]:
    """The models whose search results were judged for this set."""
    return frozenset(json.loads(store.meta.get(_POOL_KEY) or "[]"))


def _pooled_retrievers(
    store: Store, settings: ModelSettings, chunks: Sequence[Chunk], reporter: Reporter
) -> list[NamedRetriever]:
    """bm25 and dense; bm25 alone, and said so, where there is no embedding model."""
    factory = RetrieverFactory(settings, store.vectors, reporter)
    retrievers = [factory.build("bm25", chunks)]
    try:
        retrievers.append(factory.build("dense", chunks))
    except ModelError as error:
        reporter.say(f"candidates for log queries come from bm25 alone: {error}")
    models = pool_models(store).union(*(named.models for named in retrievers))
    store.meta.set(_POOL_KEY, json.dumps(sorted(models)))
    return retrievers


async def _pool(
    questions: Sequence[Question], chunks: Sequence[Chunk], retrievers: Sequence[Retriever]
) -> list[_Pair]:
    by_id = {chunk.id: chunk for chunk in chunks}
    pairs: list[_Pair] = []
    for question in questions:
        await asyncio.sleep(0)  # lets Ctrl-C through
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
