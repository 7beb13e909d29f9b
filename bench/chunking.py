"""Chunking: answers that stand whole in one chunk, beside plain splitters; counts, sizes and speed.

    python bench/chunking.py answers     spans of chunking_evaluation and covidqa at 200, 400 and 800 tokens
    python bench/chunking.py corpora     counts, sizes and chunks a second of four corpora

Reads the shared data next to the checkout.
"""

import csv
import json
import re
import statistics
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from semantic_text_splitter import TextSplitter

from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.load import load
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Document

DATA = Path(__file__).parents[2] / "shared" / "data"
TOKENS = (200, 400, 800)
CHARACTERS_A_TOKEN = 4
Span = tuple[int, int]
Splitter = Callable[[Document, int], list[Span]]
"""A document and tokens at most to the spans of its chunks."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Documents, and for each the spans of known answers."""

    name: str
    documents: Sequence[tuple[Document, Sequence[Span]]]


def goldgen(document: Document, tokens: int, overlap: int = 0) -> list[Span]:
    options = ChunkOptions.of_size(tokens, overlap, "tokens")
    return [(piece.start, piece.end) for piece in chunk(document, options)]


def recursive(document: Document, tokens: int, separators: Sequence[str]) -> list[Span]:
    """Cut at the first separator that is there, cut what is too long at the next, join what fits."""
    limit = tokens * CHARACTERS_A_TOKEN
    return list(_recursive(document.text, 0, len(document.text), limit, separators))


def _recursive(text: str, start: int, end: int, limit: int, separators: Sequence[str]) -> Iterator[Span]:
    separator, *finer = separators
    if separator:
        ends = [match.end() for match in re.finditer(re.escape(separator), text[start:end])]
        bounds = [start, *(start + at for at in ends), end]
    else:
        bounds = [*range(start, end, limit), end]
    first = last = start
    for bound in bounds[1:]:
        if len(text[first:bound].strip()) > limit:
            if text[first:last].strip():
                yield _trimmed(text, first, last)
            first = last
            if len(text[first:bound].strip()) > limit and finer:
                yield from _recursive(text, first, bound, limit, finer)
                first = bound
        last = bound
    if text[first:last].strip():
        yield _trimmed(text, first, last)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def unicode_splitter(document: Document, tokens: int) -> list[Span]:
    found = TextSplitter(tokens * CHARACTERS_A_TOKEN).chunk_indices(document.text)
    return [(start, start + len(piece)) for start, piece in found]


SPLITTERS: dict[str, Splitter] = {
    "goldgen": goldgen,
    "recursive": partial(recursive, separators=("\n\n", "\n", " ", "")),
    "recursive, sentences": partial(recursive, separators=("\n\n", "\n", ". ", "? ", "! ", " ", "")),
    "semantic-text-splitter": unicode_splitter,
}


def chunking_evaluation() -> Answers:
    folder = DATA / "beir" / "chunking_evaluation" / "raw"
    spans: dict[str, list[Span]] = {}
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = [
                (int(item["start_index"]), int(item["end_index"])) for item in json.loads(row["references"])
            ]
            spans.setdefault(row["corpus_id"], []).extend(found)
    return Answers(
        "chunking_evaluation",
        [
            (Document(name, f"{name}.md", (folder / f"{name}.md").read_text("utf-8")), found)
            for name, found in sorted(spans.items())
        ],
    )


def covidqa() -> Answers:
    folder = DATA / "beir" / "covidqa_deepset"
    texts = {row["_id"]: row["text"] for row in _json_lines(folder / "corpus.jsonl")}
    pages = dict(
        line.split("\t")[:2] for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]
    )
    spans: dict[str, list[Span]] = {}
    for row in _json_lines(folder / "queries.jsonl"):
        for answer in row["metadata"]["answers"]:
            span = answer["start"], answer["start"] + len(answer["text"].rstrip())
            spans.setdefault(pages[row["_id"]], []).append(span)
    return Answers(
        "covidqa", [(Document(name, f"{name}.txt", texts[name]), spans[name]) for name in sorted(spans)]
    )


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


@dataclass(frozen=True, slots=True)
class Result:
    chunks: int
    characters: float
    """Of a chunk, in the mean."""
    whole: float
    """Share of answers that stand whole in a chunk."""


def measured(splitter: Splitter, answers: Answers, tokens: int) -> Result:
    sizes: list[int] = []
    whole: list[bool] = []
    for document, spans in answers.documents:
        cut = splitter(document, tokens)
        sizes.extend(end - start for start, end in cut)
        starts = [start for start, _ in cut]
        for start, end in spans:
            at = bisect_right(starts, start) - 1
            whole.append(at >= 0 and end <= cut[at][1])
    return Result(len(sizes), statistics.mean(sizes), statistics.mean(whole))


def at_mean_size(splitter: Splitter, answers: Answers, characters: float) -> Result:
    """With the limit at which the chunks come nearest to this mean size."""
    low, high = 20, 4000
    while high - low > 1:
        middle = (low + high) // 2
        if measured(splitter, answers, middle).characters < characters:
            low = middle
        else:
            high = middle
    results = [measured(splitter, answers, limit) for limit in (low, high)]
    return min(results, key=lambda result: abs(result.characters - characters))


def show_answers() -> None:
    for answers in (chunking_evaluation(), covidqa()):
        total = sum(len(spans) for _, spans in answers.documents)
        print(f"\n{answers.name}: {total} answers\n")
        print("| at most | splitter | chunks | mean characters | whole | whole at goldgen's mean size |")
        print("|---|---|---|---|---|---|")
        for tokens in TOKENS:
            ours = measured(goldgen, answers, tokens)
            for name, splitter in SPLITTERS.items():
                result = measured(splitter, answers, tokens)
                same = at_mean_size(splitter, answers, ours.characters) if name != "goldgen" else ours
                print(
                    f"| {tokens} | {name} | {result.chunks:,} | {result.characters:.0f} | {result.whole:.1%} "
                    f"| {same.whole:.1%} |"
                )


def show_corpora() -> None:
    print(
        "| corpus | documents | chunks | tokens: least, quartiles, most | below 20 tokens | chunks a second |"
    )
    print("|---|---|---|---|---|---|")
    for name in ("docs/argo-cd", "docs/prometheus", "beir/chunking_evaluation/raw"):
        documents = [item for item in load(DATA / name, name) if isinstance(item, Document)]
        _show_corpus(name, documents)
    _show_corpus("beir/covidqa_deepset", [document for document, _ in covidqa().documents])


def _show_corpus(name: str, documents: Sequence[Document]) -> None:
    begin = time.process_time()
    chunks = [piece for document in documents for piece in chunk(document, ChunkOptions())]
    seconds = time.process_time() - begin
    sizes = sorted(estimated_tokens(piece.text) for piece in chunks)
    quartiles = ", ".join(f"{value:.0f}" for value in statistics.quantiles(sizes, n=4))
    small = sum(size < 20 for size in sizes)
    print(
        f"| {name} | {len(documents)} | {len(chunks):,} | {sizes[0]}; {quartiles}; {sizes[-1]} | {small} "
        f"| {len(chunks) / seconds:,.0f} |"
    )


if __name__ == "__main__":
    {"answers": show_answers, "corpora": show_corpora}[sys.argv[1] if len(sys.argv) > 1 else "answers"]()
