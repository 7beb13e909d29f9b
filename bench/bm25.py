"""BM25 against bm25s and rank_bm25 in one run, and one million chunks in a bounded child process.

    python bench/bm25.py peers            20,000 real chunks, 200 real questions
    python bench/bm25.py million          1,000,000 synthetic chunks, 500 questions, peak memory
    python bench/bm25.py analyzers        nDCG@10 with plain words, stop words and stemming

The real texts are those of the shared evaluation data, next to the checkout. Every peer gets the same words.
Times are medians a query, one question at a time, top 10. Needs bm25s and rank_bm25.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from goldgen.evaluation import Measure, score_run
from goldgen.retrieve import Analyzer, BM25Retriever, OkapiRetriever, detected_language
from goldgen.text.words import words
from goldgen.types import Chunk, JudgedQuestion

BEIR = Path(__file__).parents[1].parent / "shared" / "data" / "beir"
ENGLISH = (
    "vaswani_npl",
    "chunking_evaluation",
    "pubmedqa_l",
    "anthropic_docs_rag",
    "xquad_en",
    "covidqa_deepset",
)
CHUNK_CHARACTERS = 600
BYTES_A_GIB = 2**30


def rows(collection: str, file: str) -> Iterator[Any]:
    with (BEIR / collection / file).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def real_chunks(count: int) -> list[Chunk]:
    """Passages of the English collections, cut at 600 characters, repeated only if they run out."""
    texts = [
        row["text"][start : start + CHUNK_CHARACTERS]
        for collection in ENGLISH
        for row in rows(collection, "corpus.jsonl")
        for start in range(0, len(row["text"]), CHUNK_CHARACTERS)
    ]
    print(f"{min(len(texts), count)} different chunks")
    texts = [texts[number % len(texts)] for number in range(count)]
    return [Chunk(f"c{number}", "", text, 0, len(text)) for number, text in enumerate(texts)]


def real_questions(count: int) -> list[str]:
    texts = [row["text"] for collection in ENGLISH for row in rows(collection, "queries.jsonl")]
    return texts[:: len(texts) // count][:count]


def peers() -> None:
    import bm25s
    from rank_bm25 import BM25Okapi

    chunks, questions = real_chunks(20_000), real_questions(200)
    tokens = [words(chunk.full_text) for chunk in chunks]
    ours = timed("goldgen bm25: index, with cutting words", lambda: BM25Retriever(chunks))
    okapi = timed("goldgen bm25-okapi: index, with cutting words", lambda: OkapiRetriever(chunks))
    timed("cutting words alone", lambda: [words(chunk.full_text) for chunk in chunks])

    def index_of_bm25s() -> Any:
        index = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
        index.index(tokens, show_progress=False)
        return index

    theirs = timed("bm25s: index of words already cut", index_of_bm25s)
    older = timed("rank_bm25: index of words already cut", lambda: BM25Okapi(tokens))
    asked = [words(question) for question in questions]
    numbers = list(range(len(chunks)))
    plain: Callable[..., Any] = theirs.retrieve
    older_search = cast("Callable[..., object]", older.get_top_n)
    # Three rounds in turn, the best median of each, so that a busy moment of the machine hits all alike.
    queries: dict[str, tuple[Callable[[int], object], int]] = {
        "goldgen bm25, question as text": (lambda n: ours.search(questions[n], 10), 200),
        "goldgen bm25-okapi, question as text": (lambda n: okapi.search(questions[n], 10), 200),
        "bm25s, question as words": (lambda n: plain([asked[n]], k=10, show_progress=False), 200),
        "rank_bm25, question as words": (lambda n: older_search(asked[n], numbers, n=10), 10),
    }
    best = dict.fromkeys(queries, float("inf"))
    for _ in range(3):
        for name, (search, count) in queries.items():
            best[name] = min(best[name], median_milliseconds(search, count))
    for name, milliseconds in best.items():
        print(f"{name}: {milliseconds:.3f} ms a query")
    started = time.perf_counter()
    plain(asked, k=10, show_progress=False)
    at_once = (time.perf_counter() - started) * 1000 / len(asked)
    print(f"bm25s, all questions in one call: {at_once:.3f} ms a query")
    mine, _, theirs_alone, rank_bm25 = best.values()
    print(f"goldgen: {mine / theirs_alone:.2f} of bm25s's time, one {rank_bm25 / mine:.0f}th of rank_bm25's")


_Built = TypeVar("_Built")


def timed(what: str, build: Callable[[], _Built]) -> _Built:
    started = time.perf_counter()
    built = build()
    print(f"{what}: {time.perf_counter() - started:.2f} s")
    return built


def median_milliseconds(search: Callable[[int], object], count: int) -> float:
    times: list[float] = []
    for number in range(count):
        started = time.perf_counter()
        search(number)
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1000


def million() -> None:
    """Runs itself in a child process, whose peak memory is then known."""
    subprocess.run([sys.executable, __file__, "child"], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"peak memory of the process: {peak / BYTES_A_GIB:.2f} GiB")


def child(count: int = 1_000_000) -> None:
    random = np.random.default_rng(7)
    chunks = timed(f"making {count} chunks", lambda: list(synthetic(random, count)))
    retriever = timed("index", lambda: BM25Retriever(chunks))
    questions = [" ".join(row) for row in zipf_words(random, 500, 9)]
    times: list[float] = []
    for question in questions:
        started = time.perf_counter()
        found = retriever.search(question, 10)
        times.append(time.perf_counter() - started)
        if len(found) != 10:
            raise SystemExit(f"{question!r} found {len(found)} chunks")
    print(f"500 questions: {sum(times):.1f} s, median {np.median(times) * 1000:.1f} ms")


def synthetic(random: np.random.Generator, count: int) -> Iterator[Chunk]:
    """Texts of 60 to 140 words, drawn by Zipf's law from a vocabulary without an end."""
    for number, row in enumerate(zipf_words(random, count, 140)):
        text = " ".join(row[: 60 + number % 81])
        yield Chunk(f"c{number:07}", f"d{number // 10:06}", text, 0, len(text))


def zipf_words(random: np.random.Generator, count: int, length: int) -> Iterator[list[str]]:
    for start in range(0, count, 10_000):
        drawn = random.zipf(1.15, size=(min(10_000, count - start), length)) % 3_000_000
        yield from ([f"w{number}" for number in row] for row in drawn.tolist())


def analyzers() -> None:
    print(
        f"{'collection':22}{'language':10}{'plain':>8}{'stop':>8}{'stem':>8}{'both':>8}   both - plain, 95%"
    )
    for collection in (*ENGLISH, "xquad_de", "xquad_zh"):
        chunks = [
            Chunk(row["_id"], "", row["text"], 0, len(row["text"]), row["title"])
            for row in rows(collection, "corpus.jsonl")
        ]
        language = detected_language(chunk.full_text for chunk in chunks)
        kinds = [Analyzer()]
        if language:
            kinds += [Analyzer(language, *on) for on in ((False, True), (True, False), (True, True))]
        values = [ndcg(collection, chunks, analyzer) for analyzer in kinds]
        means = "".join(f"{value.mean():8.4f}" for value in values)
        gain = _gain(values[-1] - values[0]) if language else ""
        print(f"{collection:22}{language or '-':10}{means}{gain}", flush=True)


def _gain(differences: Any) -> str:
    """The mean over the questions, with its normal interval."""
    half = 1.96 * differences.std(ddof=1) / len(differences) ** 0.5
    return f"   {differences.mean():+.3f} ± {half:.3f}"


def ndcg(collection: str, chunks: Sequence[Chunk], analyzer: Analyzer) -> Any:
    """nDCG@10 of each question."""
    grades: dict[str, dict[str, float]] = {}
    judged = (BEIR / collection / "qrels" / "test.tsv").read_text(encoding="utf-8")
    for question_id, chunk_id, grade in (line.split("\t") for line in judged.splitlines()[1:]):
        grades.setdefault(question_id, {})[chunk_id] = float(grade)
    texts = {row["_id"]: row["text"] for row in rows(collection, "queries.jsonl")}
    retriever = BM25Retriever(chunks, analyzer)
    run = {question_id: retriever.search(texts[question_id], 10) for question_id in grades}
    questions = [JudgedQuestion(question_id, question_id, found) for question_id, found in grades.items()]
    return score_run(questions, run, [Measure("nDCG", 10)], threshold=1).values[:, 0]


if __name__ == "__main__":
    {"peers": peers, "million": million, "child": child, "analyzers": analyzers}[sys.argv[1]]()
