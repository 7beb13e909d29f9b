"""Retrievers by name, over the set's chunks and, where asked, its overlays; and those of the user's own."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from goldgen.app.models import (
    ModelSettings,
    embedder_key,
    has_stand_in,
    open_embedder,
    open_late_interaction,
    open_reranker,
)
from goldgen.app.reporting import Reporter
from goldgen.errors import SettingsError
from goldgen.models.weights import NotHereError
from goldgen.retrieve import (
    LANGUAGES,
    Analyzer,
    BM25Retriever,
    CachedEmbedder,
    CallableRetriever,
    DenseRetriever,
    HttpRetriever,
    HybridRetriever,
    OkapiRetriever,
    Precision,
    RerankRetriever,
    SearchFunction,
    analyzer_for,
    imported,
)
from goldgen.types import Chunk, Embedder, Replies, Retriever, VectorCache

if TYPE_CHECKING:
    from goldgen.models.idf import IdfLateInteractionScorer
    from goldgen.models.scoring import WindowedScorer

STAND_IN = "rerank (late interaction + idf)"
"""The label of rerank where its own model is not to be had."""
_FOR_THE_CROSS_ENCODER = (
    ". For the cross-encoder, run once with the hub reachable, or give --reranker-model a folder"
)
MEASURED = ("bm25", "dense", "hybrid", "rerank")
"""What ``eval`` measures if none is named."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How the built-in retrievers search."""

    language: str = "auto"
    """Whose stems and stop words lexical search uses: ISO 639-1, "plain" for words as they stand, "auto" for
    what the chunks are written in, or plain words where that is not clear."""
    precision: Precision = "float32"
    """Of the vectors of dense search."""
    weights: tuple[float, float] = (1.0, 1.0)
    """Of bm25 and dense in hybrid."""
    candidates: int = 50
    """How many of hybrid's results rerank scores anew."""


@dataclass(frozen=True, slots=True)
class NamedRetriever:
    """A retriever as it stands in tables; ``models`` are the names of the models it uses."""

    name: str
    label: str
    retriever: Retriever
    models: frozenset[str] = frozenset()
    indexes_overlays: bool = True
    """Whether a near miss can be put into its index; not so for the user's own."""
    replies: Callable[[], Replies] | None = None
    """What a retriever of the user's own has answered so far."""
    note: Callable[[], str] | None = None
    """What its searches so far did that a reader of the table should know; empty for nothing."""
    scores_compare: bool = True
    """Whether a score means the same for every question, or only orders the chunks of one."""


class RetrieverFactory:
    """Builds retrievers over any list of chunks; models are loaded once, and only if one needs them.

    A context manager: leaving it closes what the user's own retrievers hold open.
    """

    def __init__(
        self,
        settings: ModelSettings,
        cache: VectorCache,
        reporter: Reporter,
        options: SearchOptions | None = None,
        own: Mapping[str, SearchFunction] | None = None,
    ) -> None:
        """``own`` functions are found by their names, before any other retriever."""
        self._settings = settings
        self._cache = cache
        self._reporter = reporter
        self._options = options or SearchOptions()
        self._functions = own or {}
        self._opened = ExitStack()
        self._own: Counter[str] = Counter()
        self._embedder: Embedder | None = None
        self._scorer: WindowedScorer | None = None
        self._stand_in: IdfLateInteractionScorer | None = None
        self._analyzer: Analyzer | None = None
        self._builders: dict[str, Callable[[Sequence[Chunk]], NamedRetriever]] = {
            "bm25": self._bm25,
            "bm25-okapi": self._okapi,
            "dense": self._dense,
            "hybrid": self._hybrid,
            "rerank": self._rerank,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def build(self, name: str, chunks: Sequence[Chunk]) -> NamedRetriever:
        """A built-in one, ``module:function``, or the address of one that answers over HTTP.

        Raises SettingsError for an unknown name, ModelError if a model cannot be had, and RetrieverError for
        a function or an address that is none.
        """
        if name in self._functions:
            return self._function(name, self._functions[name], chunks)
        if "://" in name:
            return self._http(name, chunks)
        if ":" in name:
            return self._callable(name, chunks)
        builder = self._builders.get(name)
        if builder is None:
            raise SettingsError(
                f"unknown retriever {name!r}; choose from {', '.join(self._builders)}, or name your own as "
                "module:function or http://…"
            )
        return builder(chunks)

    @property
    def language(self) -> str | None:
        """Whose stems and stop words lexical search uses; "plain" for none, None where it was not built."""
        return (self._analyzer.language or "plain") if self._analyzer else None

    def _bm25(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        return NamedRetriever("bm25", "bm25", BM25Retriever(chunks, self._analyzed(chunks)))

    def _okapi(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        return NamedRetriever("bm25-okapi", "bm25-okapi", OkapiRetriever(chunks, self._analyzed(chunks)))

    def _dense(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        embedder = self._loaded_embedder()
        retriever = DenseRetriever(chunks, embedder, self._options.precision)
        return NamedRetriever("dense", "dense", retriever, frozenset({embedder.name}))

    def _hybrid(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        dense = self._dense(chunks)
        fused = HybridRetriever([self._bm25(chunks).retriever, dense.retriever], self._options.weights)
        return replace(dense, name="hybrid", label="hybrid", retriever=fused)

    def _rerank(self, chunks: Sequence[Chunk]) -> NamedRetriever:
        # First, so that a wrong setting is told before all chunks are embedded.
        scorer = self._loaded_scorer()
        hybrid = self._hybrid(chunks)
        label, own_weight = "rerank", 0.0
        if scorer is None:
            # Untrained, it knows less than hybrid; together they know more (bench/README.md).
            scorer, label, own_weight = self._loaded_stand_in(chunks), STAND_IN, 1.0
        used = scorer
        reranked = RerankRetriever(hybrid.retriever, used, chunks, self._options.candidates, own_weight)
        models = hybrid.models | {used.name}
        return NamedRetriever(
            "rerank",
            label,
            reranked,
            models,
            note=lambda: length_note(used),
            scores_compare=own_weight == 0.0,
        )

    def _callable(self, target: str, chunks: Sequence[Chunk]) -> NamedRetriever:
        return self._function(target, imported(target, Path.cwd()), chunks)

    def _function(self, name: str, function: SearchFunction, chunks: Sequence[Chunk]) -> NamedRetriever:
        return self._outside(name, CallableRetriever(name, function, [chunk.id for chunk in chunks]))

    def _http(self, url: str, chunks: Sequence[Chunk]) -> NamedRetriever:
        opened = HttpRetriever(url, [chunk.id for chunk in chunks])
        if opened.host_is_remote:
            self._reporter.say(f"the questions will be sent from this machine to {opened.address}")
        return self._outside(opened.address, opened)

    def _outside(self, label: str, opened: CallableRetriever | HttpRetriever) -> NamedRetriever:
        self._opened.enter_context(closing(opened))
        self._own[label] += 1
        if self._own[label] > 1:
            # Two addresses may differ only in what must not be shown.
            label = f"{label} #{self._own[label]}"
        return NamedRetriever(
            label, label, opened, indexes_overlays=opened.indexes_overlays, replies=lambda: opened.replies
        )

    def _analyzed(self, chunks: Sequence[Chunk]) -> Analyzer:
        """The same analyzer for a set with its overlays as without."""
        if self._analyzer is None:
            language = self._options.language
            if language not in ("auto", "plain", *LANGUAGES):
                raise SettingsError(
                    f"no stems and stop words for language {language!r}; choose from auto, plain, "
                    f"{', '.join(LANGUAGES)}"
                )
            if language == "auto":
                self._analyzer = analyzer_for([chunk.full_text for chunk in chunks])
            else:
                self._analyzer = Analyzer() if language == "plain" else Analyzer(language, True, True)
        return self._analyzer

    def _loaded_embedder(self) -> Embedder:
        if self._embedder is None:
            with self._reporter.phase("loading the embedding model", None):
                self._embedder = CachedEmbedder(
                    open_embedder(self._settings, self._reporter), self._cache, embedder_key(self._settings)
                )
        return self._embedder

    def _loaded_scorer(self) -> "WindowedScorer | None":
        """The reranker that is set; None if it is nowhere to be had and another may stand in."""
        if self._scorer is None and self._stand_in is None:
            settings = self._settings
            try:
                with self._reporter.phase("loading the reranker", None):
                    self._scorer = open_reranker(settings, self._reporter)
            except NotHereError as error:
                if not has_stand_in(settings):
                    raise
                at_endpoint = settings.reranker_base_url and settings.offline
                reason = "offline, the reranker's endpoint is not asked" if at_endpoint else error.reason
                self._reporter.say(
                    f"{reason}; late interaction on all-MiniLM-L6-v2 together with hybrid's scores reranks "
                    f"instead{'' if at_endpoint else _FOR_THE_CROSS_ENCODER}"
                )
        return self._scorer

    def _loaded_stand_in(self, chunks: Sequence[Chunk]) -> "IdfLateInteractionScorer":
        """With the same weights of words for a set with its overlays as without."""
        if self._stand_in is None:
            from goldgen.models.idf import IdfLateInteractionScorer

            texts = [chunk.full_text for chunk in chunks]
            self._stand_in = IdfLateInteractionScorer(open_late_interaction(self._settings), texts)
        return self._stand_in


def length_note(scorer: "WindowedScorer") -> str:
    """What a reranker did with texts longer than its model reads; empty if none was."""
    found, said = scorer.lengths, list[str]()
    if found.longer:
        said.append(
            f"{found.longer:,} of {found.texts:,} chunks were longer than {scorer.name} reads and were "
            "scored by overlapping windows, each chunk by its best"
        )
    if found.cut_questions:
        said.append(f"{found.cut_questions:,} questions were too long for {scorer.name} and were cut")
    return "; ".join(said)
