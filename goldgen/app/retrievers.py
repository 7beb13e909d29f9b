"""Retrievers by name, over the set's chunks and, where asked, its overlays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldgen.app.models import (
    ModelSettings,
    embedder_key,
    open_cross_encoder,
    open_embedder,
    open_late_interaction,
)
from goldgen.app.reporting import Reporter
from goldgen.errors import SettingsError
from goldgen.retrieve import (
    BM25Retriever,
    CachedEmbedder,
    DenseRetriever,
    HybridRetriever,
    OkapiRetriever,
    RerankRetriever,
)
from goldgen.types import Chunk, Embedder, PairScorer, Retriever, VectorCache

MEASURED = ("bm25", "dense", "hybrid", "rerank")
"""What ``eval`` measures if none is named."""


@dataclass(frozen=True, slots=True)
class NamedRetriever:
    """A retriever as it stands in tables; ``models`` are the names of the models it uses."""

    name: str
    label: str
    retriever: Retriever
    models: frozenset[str] = frozenset()


class RetrieverFactory:
    """Builds retrievers over any list of chunks; models are loaded once, and only if one needs them."""

    def __init__(
        self, settings: ModelSettings, cache: VectorCache, reporter: Reporter, candidates: int = 50
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._reporter = reporter
        self._candidates = candidates
        self._embedder: Embedder | None = None
        self._scorer: PairScorer | None = None
        self._builders: dict[str, Callable[[Sequence[Chunk]], NamedRetriever]] = {
            "bm25": self._bm25,
            "bm25-okapi": self._okapi,
            "dense": self._dense,
            "hybrid": self._hybrid,
            "rerank": self._rerank,
        }

    def build(self, name: str, chunks: Sequence[Chunk]) -> NamedRetriever:
        """Raises SettingsError for an unknown name, ModelError if a model cannot be had."""
        builder = self._builders.get(name)
        if builder is None:
            raise SettingsError(f"unknown retriever {name!r}; choose from {', '.join(self._builders)}")
        return builder(chunks)

    def _bm25(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        return NamedRetriever("bm25", "bm25", BM25Retriever(chunks))

    def _okapi(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        return NamedRetriever("bm25-okapi", "bm25-okapi", OkapiRetriever(chunks))

    def _dense(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        embedder = self._loaded_embedder()
        return NamedRetriever("dense", "dense", DenseRetriever(chunks, embedder), frozenset({embedder.name}))

    def _hybrid(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        dense = self._dense(chunks)
        fused = HybridRetriever([self._bm25(chunks).retriever, dense.retriever])
        return NamedRetriever("hybrid", "hybrid", fused, dense.models)

    def _rerank(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        hybrid = self._hybrid(chunks)
        scorer = self._loaded_scorer()
        reranked = RerankRetriever(hybrid.retriever, scorer, chunks, candidates=self._candidates)
        stood_in = scorer.name != self._settings.reranker_model
        label = "rerank (late interaction)" if stood_in else "rerank"
        return NamedRetriever("rerank", label, reranked, hybrid.models | {scorer.name})

    def _loaded_embedder(self) -> Embedder:
        if self._embedder is None:
            with self._reporter.phase("loading the embedding model", None):
                self._embedder = CachedEmbedder(
                    open_embedder(self._settings, self._reporter), self._cache, embedder_key(self._settings)
                )
        return self._embedder

    def _loaded_scorer(self) -> PairScorer:
        if self._scorer is None:
            with self._reporter.phase("loading the reranker", None):
                self._scorer = open_cross_encoder(self._settings)
            if self._scorer is None:
                self._reporter.say(
                    f"{self._settings.reranker_model} is neither on this machine nor to be had from the hub; "
                    "late interaction on all-MiniLM-L6-v2 reranks instead. For the cross-encoder, run once "
                    "with the hub reachable, or give --reranker-model a folder"
                )
                self._scorer = open_late_interaction(self._settings)
        return self._scorer
