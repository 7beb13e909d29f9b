"""Sheets of near misses for blind grading, and what graders say of them."""

import csv
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean

from goldgen.text import stable_id
from goldgen.verify.estimates import wilson

_ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class Graded:
    """One text with a question. What was done to it stays out of the sheet."""

    source: str
    edit: str
    """Its kind; "original" for a passage as it is, which answers."""
    question: str
    text: str

    @property
    def item(self) -> str:
        return stable_id(self.question, self.text)[:8]


def write_sheet(graded: Sequence[Graded], count: int, originals: int, seed: int, out: Path) -> None:
    """``count`` near misses and some originals, mixed. Kinds that are rare come in whole, up to half."""
    drawn = Random(seed)
    changed = [one for one in graded if one.edit not in (_ORIGINAL, "answer_removed")]
    removed = [one for one in graded if one.edit == "answer_removed"]
    near = drawn.sample(changed, min(count // 2, len(changed)))
    near += drawn.sample(removed, min(count - len(near), len(removed)))
    plain = [one for one in graded if one.edit == _ORIGINAL]
    items = [*near, *drawn.sample(plain, min(originals, len(plain)))]
    drawn.shuffle(items)
    key = out.with_name(f"{out.stem.removesuffix('.sheet')}.key.csv")
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as sheet, key.open("w", encoding="utf-8", newline="") as hidden:
        writer = csv.writer(hidden)
        writer.writerow(("item", "source", "edit"))
        for one in items:
            row = {"item": one.item, "question": one.question, "text": one.text}
            sheet.write(json.dumps(row, ensure_ascii=False) + "\n")
            writer.writerow((one.item, one.source, one.edit))
    print(f"\n{len(near)} near misses and {len(items) - len(near)} passages as they are in {out}; key: {key}")


def print_grades(key: Path, first: Path, second: Path) -> None:
    """How many do not answer, by edit and grader, and how far the graders agree."""
    edits = {row["item"]: row["edit"] for row in _rows(key)}
    graders = [{row["item"]: row for row in _rows(path)} for path in (first, second)]
    items = sorted(edits.keys() & graders[0].keys() & graders[1].keys())
    groups: dict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[edits[item]].append(item)
    groups["near misses, all"] = [item for item in items if edits[item] != _ORIGINAL]
    print(
        "| texts | n | do not answer, by each grader | by both | read well, by each |\n|---|---|---|---|---|"
    )
    for name, members in groups.items():
        if not members:
            continue
        not_answering = [{i for i in members if grades[i]["answers"] == "no"} for grades in graders]
        fluent = [sum(grades[i]["reads"] == "yes" for i in members) for grades in graders]
        both = len(not_answering[0] & not_answering[1])
        shares = ", ".join(_share(len(found), len(members)) for found in not_answering)
        print(
            f"| {name} | {len(members)} | {shares} | {_share(both, len(members))} "
            f"| {fluent[0]}, {fluent[1]} |"
        )
    for part in ("answers", "reads"):
        print(f"{part}: {_kappa(graders, items, part)}")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _share(count: int, total: int) -> str:
    interval = wilson(count, total)
    return f"{count} ({interval.low:.0%} to {interval.high:.0%})"


def _kappa(graders: Sequence[Mapping[str, Mapping[str, str]]], items: Sequence[str], part: str) -> str:
    said = [[grades[item][part] == "yes" for item in items] for grades in graders]
    same = sum(a == b for a, b in zip(*said, strict=True)) / len(items)
    shares = [mean(one) for one in said]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
    return f"the same for {same:.0%} of {len(items)}, Cohen's kappa {kappa:.2f}"
