"""goldgen's questions beside those that came with a collection, about the same passages.

    python bench/given.py passages shared/data/beir/xquad_en --out xquad.jsonl
    goldgen synth xquad.jsonl --db xquad.duckdb --sample 12 --near-miss 0 --base-url URL --model NAME
    python bench/given.py figures shared/data/beir/xquad_en xquad.duckdb

- passages: those of a collection in BEIR form that a question is for, as a table that goldgen reads.
- figures: of the questions that came with the passages that the set has drafts of, and of these drafts: how
  long they are and how much they share with their passage. Words are weighed by their rarity among all
  passages. A question for several passages counts once, by the one that it shares most with.
"""

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from goldgen.store import open_store
from goldgen.text.leakage import Leakage, LeakageMeter


@dataclass(frozen=True, slots=True)
class Collection:
    passages: Mapping[str, str]
    titles: Mapping[str, str]
    questions: Mapping[str, str]
    golds: Mapping[str, Sequence[str]]
    """Question to passages."""

    @classmethod
    def read(cls, folder: Path) -> "Collection":
        corpus, queries = _lines(folder / "corpus.jsonl"), _lines(folder / "queries.jsonl")
        golds: defaultdict[str, list[str]] = defaultdict(list)
        with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if float(row["score"]) > 0:
                    golds[row["query-id"]].append(row["corpus-id"])
        return cls(
            {row["_id"]: row["text"] for row in corpus},
            {row["_id"]: row["title"] for row in corpus},
            {row["_id"]: row["text"] for row in queries},
            golds,
        )


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_passages(collection: Collection, out: Path) -> None:
    asked = sorted({passage for golds in collection.golds.values() for passage in golds})
    with out.open("w", encoding="utf-8") as file:
        for key in asked:
            row = {"id": key, "text": collection.passages[key], "document_id": collection.titles[key]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{len(asked)} of {len(collection.passages)} passages have questions; {out}")


def print_figures(collection: Collection, db: Path) -> None:
    meter = LeakageMeter(collection.passages.values())
    by_text = {" ".join(text.split()): key for key, text in collection.passages.items()}
    with open_store(db, read_only=True) as store:
        chunks = {chunk.id: chunk for chunk in store.corpus.chunks()}
        asked = {by_text[" ".join(chunks[key].text.split())] for key in store.questions.drafted_chunks()}
        ours = store.questions.all("synthetic")
    given = {key: golds for key, golds in collection.golds.items() if asked & set(golds)}
    print("| questions | n | words | characters | overlap, mean (median) | copied | points away |")
    print("|---|---|---|---|---|---|---|")
    for name, keys in (("given, all passages", collection.golds), (f"given, {len(asked)} passages", given)):
        texts = [collection.questions[key] for key in keys]
        found = [
            max((meter.measure(text, "", collection.passages[p]) for p in keys[key]), key=_overlap)
            for key, text in zip(keys, texts, strict=True)
        ]
        print(_row(name, texts, found))
    texts = [question.text for question in ours]
    found = [meter.measure(q.text, q.answer, chunks[q.chunk_id or ""].text) for q in ours]
    print(_row(f"goldgen, {len(asked)} passages", texts, found))


def _overlap(found: Leakage) -> float:
    return found.overlap


def _row(name: str, texts: Sequence[str], found: Sequence[Leakage]) -> str:
    overlap = [one.overlap for one in found]
    return (
        f"| {name} | {len(texts)} | {mean(len(text.split()) for text in texts):.1f} "
        f"| {mean(map(len, texts)):.0f} | {mean(overlap):.2f} ({median(overlap):.2f}) "
        f"| {mean(one.copied for one in found):.2f} | {sum(one.points_away for one in found)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    passages = commands.add_parser("passages")
    passages.add_argument("collection", type=Path)
    passages.add_argument("--out", type=Path, required=True)
    figures = commands.add_parser("figures")
    figures.add_argument("collection", type=Path)
    figures.add_argument("db", type=Path)
    given = parser.parse_args()
    if given.command == "passages":
        write_passages(Collection.read(given.collection), given.out)
    else:
        print_figures(Collection.read(given.collection), given.db)


if __name__ == "__main__":
    main()
