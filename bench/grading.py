"""Two people (or more) grade the questions of a set, blind and independently; their agreement is measured.

    python bench/grading.py sheet outputs/goldgen.duckdb --n 15 --out sheet.jsonl
    python bench/grading.py agree graded/a.csv graded/b.csv

A sheet holds question, answer and the whole chunk, but not the verifier's grade; which questions it accepted
is written to a file of its own. A grader writes a CSV with the columns item, keep (yes or no), kind, reason.
Sheets hold text of the documents and stay out of the repository; grades and reasons do not.
"""

import argparse
import csv
import json
import random
from collections import Counter
from pathlib import Path

from goldgen.app.golden import load_golden
from goldgen.store import open_store


def write_sheet(db: Path, n: int, seed: int, out: Path) -> None:
    """A random sample of ``n`` drafted questions, accepted or not, with what a grader needs to see."""
    with open_store(db, read_only=True) as store:
        golden = load_golden(store)
        chunks = {chunk.id: chunk for chunk in golden.chunks}
        paths = {document.id: document.path for document in store.corpus.documents()}
        drafts = [q for q in store.questions.all("synthetic") if q.chunk_id in chunks]
    accepted = {item.question.id for item in golden.golden}
    drawn = random.Random(seed).sample(drafts, min(n, len(drafts)))
    with out.open("w", encoding="utf-8") as file:
        for question in drawn:
            chunk = chunks[question.chunk_id or ""]
            row = {
                "item": question.id,
                "style": question.style,
                "question": question.text,
                "answer": question.answer,
                "document": paths[chunk.document_id],
                "chunk": chunk.full_text,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    key = out.with_suffix(".accepted.txt")
    key.write_text("\n".join(q.id for q in drawn if q.id in accepted), encoding="utf-8")
    print(f"{len(drawn)} of {len(drafts)} questions in {out}; which of them were accepted, in {key}")


def print_agreement(first: Path, second: Path, accepted: Path | None) -> None:
    """Share kept by each grader, Cohen's kappa (Cohen 1960), and why the others fail."""
    a, b = _read(first), _read(second)
    items = sorted(a.keys() & b.keys())
    kept_a = sum(a[item]["keep"] == "yes" for item in items)
    kept_b = sum(b[item]["keep"] == "yes" for item in items)
    same = sum(a[item]["keep"] == b[item]["keep"] for item in items)
    both = sum(a[item]["keep"] == b[item]["keep"] == "yes" for item in items)
    n = len(items)
    observed = same / n
    chance = (kept_a * kept_b + (n - kept_a) * (n - kept_b)) / n**2
    kappa = (observed - chance) / (1 - chance) if chance < 1 else 1.0
    print(f"{n} questions graded by both; kept {kept_a} and {kept_b}, by both {both}")
    print(f"agreement {same} of {n}, Cohen's kappa {kappa:.2f}")
    kinds = Counter(
        grades[item]["kind"] for grades in (a, b) for item in items if grades[item]["keep"] == "no"
    )
    if accepted:
        chosen = set(accepted.read_text(encoding="utf-8").split())
        for name, group in (("accepted", chosen & set(items)), ("not accepted", set(items) - chosen)):
            kept = [sum(grades[item]["keep"] == "yes" for item in group) for grades in (a, b)]
            print(f"{name} by the verifier: {len(group)}, of which graders keep {kept[0]} and {kept[1]}")
    print("why not: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


def _read(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["item"]: row for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    sheet = commands.add_parser("sheet")
    sheet.add_argument("db", type=Path)
    sheet.add_argument("--n", type=int, default=15)
    sheet.add_argument("--seed", type=int, default=0)
    sheet.add_argument("--out", type=Path, required=True)
    agree = commands.add_parser("agree")
    agree.add_argument("first", type=Path)
    agree.add_argument("second", type=Path)
    agree.add_argument("--accepted", type=Path, help="items that the verifier accepted, one a line")
    given = parser.parse_args()
    if given.command == "sheet":
        write_sheet(given.db, given.n, given.seed, given.out)
    else:
        print_agreement(given.first, given.second, given.accepted)


if __name__ == "__main__":
    main()
