"""goldgen's questions beside those of a plain prompt: the same model, the same chunks.

    python bench/questions.py plain set.duckdb --base-url URL --model NAME --out plain.jsonl
    python bench/questions.py sheet set.duckdb --plain plain.jsonl --n 30 --n-plain 15 --out sheet.jsonl
    python bench/questions.py figures set.duckdb --plain plain.jsonl
    python bench/questions.py graded sheet.key.csv a.csv b.csv

- plain: asks for three questions about each chunk that the set has drafts of, by a prompt as people write
  one, and takes the lines of the reply. Nothing is checked.
- sheet: drafts of the set, accepted or not, and plain questions, mixed. A file of its own tells which is
  what. A grader writes a CSV: item, keep (would a good engineer keep it in a test set?), answered (does the
  chunk answer it fully?), kind, reason. Sheets hold text of the documents and stay out of the repository;
  grades and reasons do not.
- figures: how much the questions share with their chunk, and how long they are.
- graded: the shares kept and answered, by source, and how far two graders agree (Cohen 1960).
"""

import argparse
import csv
import json
import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median

import httpx2

from goldgen.app.golden import load_golden
from goldgen.store import open_store
from goldgen.text.leakage import LeakageMeter
from goldgen.types import Chunk, Question

_PROMPT = (
    "Write 3 questions that a user could ask and that the following text answers. "
    "One question a line, nothing else.\n\n"
)
_NUMBER = re.compile(r"^\s*(?:[-*]|\(?\d+[.):])\s*")
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Plain:
    """What the plain prompt gave for one chunk."""

    chunk_id: str
    questions: tuple[str, ...]
    prompt_tokens: int
    completion_tokens: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the chunk that it is for."""

    item: str
    source: str
    text: str
    answer: str
    chunk: Chunk


def ask_plainly(db: Path, base_url: str, model: str, out: Path) -> None:
    """Ask about every chunk with drafts that ``out`` does not have yet."""
    chunks = {chunk.id: chunk for chunk in drafted(db)}
    done = {item.chunk_id for item in read_plain(out)} if out.exists() else set[str]()
    missing = [chunk for chunk in chunks.values() if chunk.id not in done]
    key = os.environ.get("OPENAI_API_KEY", "none")
    with (
        httpx2.Client(
            base_url=base_url, headers={"Authorization": f"Bearer {key}"}, timeout=_SECONDS
        ) as client,
        ThreadPoolExecutor(2) as pool,
        out.open("a", encoding="utf-8") as file,
    ):
        for item in pool.map(partial(_ask, client, model), missing):
            file.write(json.dumps(asdict(item), ensure_ascii=False) + "\n")
            file.flush()
    print(f"{len(missing)} chunks asked about, {len(done)} were there; {out}")


def _ask(client: httpx2.Client, model: str, chunk: Chunk) -> Plain:
    message = {"role": "user", "content": _PROMPT + chunk.full_text}
    body = {"model": model, "messages": [message], "max_tokens": 300, "temperature": 0}
    started = time.perf_counter()
    reply = client.post("chat/completions", json=body).raise_for_status().json()
    seconds = time.perf_counter() - started
    lines = (_NUMBER.sub("", line).strip() for line in reply["choices"][0]["message"]["content"].splitlines())
    usage = reply["usage"]
    asked, written = usage["prompt_tokens"], usage["completion_tokens"]
    return Plain(chunk.id, tuple(filter(None, lines))[:3], asked, written, seconds)


def read_plain(path: Path) -> list[Plain]:
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Plain(**row | {"questions": tuple(row["questions"])}) for row in rows]


def drafted(db: Path) -> list[Chunk]:
    """The chunks that the set has drafts of, kept or rejected."""
    with open_store(db, read_only=True) as store:
        asked = store.questions.drafted_chunks()
        return [chunk for chunk in store.corpus.chunks() if chunk.id in asked]


def drafts(db: Path) -> tuple[list[Asked], frozenset[str]]:
    """The set's one-chunk drafts, and the ids of those that its verifier accepted."""
    with open_store(db, read_only=True) as store:
        golden = load_golden(store)
        questions = store.questions.all("synthetic")
    chunks = {chunk.id: chunk for chunk in golden.chunks}
    found = [
        _asked(q, chunks[q.chunk_id]) for q in questions if q.chunk_id in chunks and not q.evidence_chunks
    ]
    return found, frozenset(item.question.id for item in golden.golden)


def _asked(question: Question, chunk: Chunk) -> Asked:
    return Asked(question.id, "goldgen", question.text, question.answer, chunk)


def plain_questions(db: Path, path: Path) -> Iterator[Asked]:
    chunks = {chunk.id: chunk for chunk in drafted(db)}
    for item in read_plain(path):
        for number, text in enumerate(item.questions):
            yield Asked(f"{item.chunk_id}-{number}", "plain", text, "", chunks[item.chunk_id])


def write_sheet(db: Path, plain: Path, sizes: tuple[int, int], seed: int, out: Path) -> None:
    drawn = random.Random(seed)
    ours, accepted = drafts(db)
    theirs = list(plain_questions(db, plain))
    items = [*drawn.sample(ours, min(sizes[0], len(ours))), *drawn.sample(theirs, min(sizes[1], len(theirs)))]
    drawn.shuffle(items)
    key = out.with_suffix(".key.csv")
    with out.open("w", encoding="utf-8") as sheet, key.open("w", encoding="utf-8", newline="") as hidden:
        writer = csv.writer(hidden)
        writer.writerow(("item", "source"))
        for item in items:
            row = {"item": item.item, "question": item.text, "chunk": item.chunk.full_text}
            sheet.write(json.dumps(row, ensure_ascii=False) + "\n")
            source = "accepted" if item.item in accepted else item.source
            writer.writerow((item.item, {"goldgen": "not accepted"}.get(source, source)))
    print(f"{len(items)} questions in {out}; what they are, in {key}")


def print_figures(db: Path, plain: Path) -> None:
    with open_store(db, read_only=True) as store:
        meter = LeakageMeter(chunk.full_text for chunk in store.corpus.chunks())
    ours, accepted = drafts(db)
    groups = {
        "plain": list(plain_questions(db, plain)),
        "goldgen, drafts": ours,
        "goldgen, accepted": [item for item in ours if item.item in accepted],
    }
    print(
        "| questions | n | overlap, mean (median) | copied run | points away | words |\n"
        "|---|---|---|---|---|---|"
    )
    for name, items in groups.items():
        found = [meter.measure(i.text, i.answer, i.chunk.text, i.chunk.context) for i in items]
        if not found:
            print(f"| {name} | 0 | | | | |")
            continue
        overlap = [one.overlap for one in found]
        print(
            f"| {name} | {len(items)} | {mean(overlap):.2f} ({median(overlap):.2f}) "
            f"| {mean(one.copied for one in found):.2f} | {sum(one.points_away for one in found)} "
            f"| {mean(len(item.text.split()) for item in items):.1f} |"
        )
    spent = read_plain(plain)
    tokens = sum(item.prompt_tokens + item.completion_tokens for item in spent)
    print(f"plain: {tokens} tokens for {sum(len(item.questions) for item in spent)} questions")


def print_grades(key: Path, first: Path, second: Path) -> None:
    sources = {row["item"]: row["source"] for row in _rows(key)}
    graders = [{row["item"]: row for row in _rows(path)} for path in (first, second)]
    items = sorted(sources.keys() & graders[0].keys() & graders[1].keys())
    groups: dict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[sources[item]].append(item)
    groups["goldgen, all"] = [*groups["accepted"], *groups["not accepted"]]
    print("| questions | n | kept | answered by the chunk | both |\n|---|---|---|---|---|")
    for name, members in groups.items():
        cells = [_shares(graders, members, part) for part in (("keep",), ("answered",), ("keep", "answered"))]
        print(f"| {name} | {len(members)} | {' | '.join(cells)} |")
    for part in ("keep", "answered"):
        print(f"{part}: {_kappa(graders, items, part)}")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _shares(
    graders: Sequence[Mapping[str, Mapping[str, str]]], items: Sequence[str], parts: Sequence[str]
) -> str:
    return ", ".join(
        str(sum(all(grades[item][part] == "yes" for part in parts) for item in items)) for grades in graders
    )


def _kappa(graders: Sequence[Mapping[str, Mapping[str, str]]], items: Sequence[str], part: str) -> str:
    said = [[grades[item][part] == "yes" for item in items] for grades in graders]
    same = sum(a == b for a, b in zip(*said, strict=True)) / len(items)
    shares = [mean(one) for one in said]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
    return f"the same for {same:.0%} of {len(items)}, Cohen's kappa {kappa:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    plain = commands.add_parser("plain")
    plain.add_argument("db", type=Path)
    plain.add_argument("--base-url", default="http://127.0.0.1:8115/v1")
    plain.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    plain.add_argument("--out", type=Path, required=True)
    sheet = commands.add_parser("sheet")
    sheet.add_argument("db", type=Path)
    sheet.add_argument("--plain", type=Path, required=True)
    sheet.add_argument("--n", type=int, default=30)
    sheet.add_argument("--n-plain", type=int, default=15)
    sheet.add_argument("--seed", type=int, default=0)
    sheet.add_argument("--out", type=Path, required=True)
    figures = commands.add_parser("figures")
    figures.add_argument("db", type=Path)
    figures.add_argument("--plain", type=Path, required=True)
    graded = commands.add_parser("graded")
    graded.add_argument("key", type=Path)
    graded.add_argument("first", type=Path)
    graded.add_argument("second", type=Path)
    given = parser.parse_args()
    if given.command == "plain":
        ask_plainly(given.db, given.base_url, given.model, given.out)
    elif given.command == "sheet":
        write_sheet(given.db, given.plain, (given.n, given.n_plain), given.seed, given.out)
    elif given.command == "figures":
        print_figures(given.db, given.plain)
    else:
        print_grades(given.key, given.first, given.second)


if __name__ == "__main__":
    main()
