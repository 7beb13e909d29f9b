"""Candidates for labels: chunks that searches, run files and the logs' pages propose for a question."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter
from goldgen.app.retrievers import NamedRetriever, RetrieverFactory
from goldgen.errors import ModelError, SettingsError
from goldgen.exchange import known_part, read_run
from goldgen.retrieve import BM25Retriever
from goldgen.store import Store
from goldgen.text import fold
from goldgen.types import Chunk, Pooled, Question, Ranking, Retriever

_PAGE = "page"
LOG_DEPTH = 10
"""How deep questions that name no chunk, as log queries, are pooled at least: they have no other labels."""
_PAGE_DEPTH = 10
"""How many chunks of the page that a log names are judged, the likeliest by bm25 first."""
_MODELS_KEY = "pool_models"


@dataclass(frozen=True, slots=True)
class GivenRankings:
    """Implements ``Retriever`` by what a run file says: the folded text of a question to its ranking."""

    rankings: Mapping[str, Ranking]

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        visible = (hit for hit in self.rankings.get(fold(question), ()) if hit.chunk_id not in hidden)
        return tuple(visible)[: max(k, 0)]

    @property
    def depth(self) -> int:
        """How many results it has for a question at most: beyond them it was never asked."""
        return max(map(len, self.rankings.values()), default=0)


def pool_models(store: Store) -> frozenset[str]:
    """The models whose search results were judged for this set."""
    return frozenset(json.loads(store.meta.get(_MODELS_KEY) or "[]"))


def pooled_retrievers(
    store: Store, settings: ModelSettings, chunks: Sequence[Chunk], reporter: Reporter
) -> list[NamedRetriever]:
    """bm25 and dense; bm25 alone, and said so, where there is no embedding model."""
    factory = RetrieverFactory(settings, store.vectors, reporter)
    retrievers = [factory.build("bm25", chunks)]
    try:
        retrievers.append(factory.build("dense", chunks))
    except ModelError as error:
        reporter.say(f"candidates for labels come from bm25 alone: {error}")
    models = pool_models(store).union(*(named.models for named in retrievers))
    store.meta.set(_MODELS_KEY, json.dumps(sorted(models)))
    return retrievers


def given_runs(
    paths: Sequence[Path], questions: Sequence[Question], chunks: Sequence[Chunk], reporter: Reporter
) -> list[NamedRetriever]:
    """The runs of files as retrievers, by the names of the files; what in them cannot be used is said."""
    names = [path.name for path in paths]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise SettingsError(f"two runs are named {repeated}; give one of the files another name")
    chunk_ids = frozenset(chunk.id for chunk in chunks)
    texts = {question.id: fold(question.text) for question in questions}
    runs: list[NamedRetriever] = []
    for path in paths:
        run = known_part(read_run(path), questions, chunk_ids)
        if run.reservations:
            reporter.say(f"run {path}: {run.reservations}")
        rankings = {texts[question_id]: ranking for question_id, ranking in run.rankings.items()}
        runs.append(NamedRetriever("run", run.name, GivenRankings(rankings)))
    return runs


async def pool(
    depths: Mapping[Question, int], chunks: Sequence[Chunk], retrievers: Sequence[NamedRetriever]
) -> list[Pooled]:
    """What each retriever proposes for each question, down to the question's depth."""
    pooled: list[Pooled] = []
    for question, depth in depths.items():
        await asyncio.sleep(0)  # lets Ctrl-C through
        for named in retrievers:
            hits = named.retriever.search(question.text, depth)
            asked = _asked_for(named.retriever, depth)
            pooled.extend(
                Pooled(question.id, hit.chunk_id, named.label, rank, asked)
                for rank, hit in enumerate(hits, 1)
            )
    return pooled


def _asked_for(retriever: Retriever, depth: int) -> int:
    return min(depth, retriever.depth) if isinstance(retriever, GivenRankings) else depth


def named_chunks(questions: Sequence[Question], chunks: Sequence[Chunk]) -> list[Pooled]:
    """The chunks of the pages that a log names for its queries, the likeliest by bm25 first.

    They are not kept in the pool: no retriever proposed them, and they don't tell how deep a search went.
    """
    pages = _Pages(chunks)
    return [
        Pooled(question.id, chunk_id, _PAGE, rank, _PAGE_DEPTH)
        for question in questions
        if question.origin == "log"
        for rank, chunk_id in enumerate(pages.likeliest(question), 1)
    ]


class _Pages:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = frozenset(chunk.id for chunk in chunks)
        self._pages: dict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            self._pages[chunk.document_id].append(chunk.id)
        self._retriever: Retriever = BM25Retriever(chunks)

    def likeliest(self, question: Question) -> list[str]:
        page = self._pages.get(question.document_id or "", [])
        if not page:
            return []
        found = self._retriever.search(question.text, _PAGE_DEPTH, self._ids.difference(page))
        likely = [hit.chunk_id for hit in found]
        return [*likely, *(c for c in page if c not in likely)][:_PAGE_DEPTH]
