"""The weights of the embedded judge with a second opinion (`goldgen verify --judge-with-llm`).

    python bench/judges.py --judge embedded --questions 45 --sets xquad_en covidqa_deepset chunking_evaluation
    python bench/judges.py --judge logprob --questions 45 --sets xquad_en covidqa_deepset chunking_evaluation
    python bench/blend_judge.py

A logistic model of two numbers, the log odds of the embedded judge and those of the chat model, by Newton's
method with a small ridge; gold counts twice, as there are two other texts for each. Printed for each
collection: the weights fitted on the others, and AUC and false accepts at 85% recall of the embedded judge
alone and of both. The last line has the weights of all, which ship in goldgen/verify/signals.py.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SETS = ("xquad_en", "covidqa_deepset", "chunking_evaluation")
KINDS = ("neighbour", "answer_deleted")
_RIDGE = np.array([1.0, 1.0, 1e-6])
_STEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of one collection: shape (pairs, 3), log odds of both and 1; and what each pair is."""

    odds: Floats
    kinds: tuple[str, ...]

    @property
    def gold(self) -> Floats:
        return np.array([kind == "gold" for kind in self.kinds], dtype=np.float64)

    def of(self, kind: str, values: Floats) -> Floats:
        return values[[found == kind for found in self.kinds]]


def read(work: Path, name: str) -> Pairs:
    """The questions that both judges have scored."""
    own, other = (_scores(work / f"{judge}-{name}.jsonl") for judge in ("embedded", "logprob"))
    rows: list[tuple[float, float, float]] = []
    kinds: list[str] = []
    for question in other.keys() & own.keys():
        for kind, (odds, _) in other[question].items():
            certain = min(max(own[question][kind][0], 1e-6), 1 - 1e-6)
            rows.append((log(certain / (1 - certain)), odds, 1.0))
            kinds.append(kind)
    return Pairs(np.array(rows, dtype=np.float64), tuple(kinds))


def _scores(path: Path) -> dict[str, dict[str, tuple[float, float]]]:
    with path.open(encoding="utf-8") as file:
        return {row["question"]: row["scores"] for row in map(json.loads, file)}


def fitted(parts: Sequence[Pairs]) -> Floats:
    odds = np.vstack([part.odds for part in parts])
    gold = np.concatenate([part.gold for part in parts])
    counts = np.where(gold == 1, 2.0, 1.0)
    weights = np.zeros(3)
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-odds @ weights))
        slope = odds.T @ (counts * (likely - gold)) + _RIDGE * weights
        curvature = (odds * (counts * likely * (1 - likely))[:, None]).T @ odds + np.diag(_RIDGE)
        weights -= np.linalg.solve(curvature, slope)
    return weights


def told(pairs: Pairs, values: Floats, kind: str) -> str:
    gold, other = pairs.of("gold", values), pairs.of(kind, values)
    auc = float(((gold[:, None] > other) + 0.5 * (gold[:, None] == other)).mean())
    threshold = np.sort(gold)[int(0.15 * len(gold))]
    return f"{auc:.3f}, {float((other >= threshold).mean()):.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "goldgen-bench")
    given = parser.parse_args()
    found = {name: read(given.work, name) for name in SETS}
    for name, pairs in found.items():
        weights = fitted([part for other, part in found.items() if other != name])
        print(f"{name}, {int(pairs.gold.sum())} questions, weights {np.round(weights, 2)}")
        for kind in KINDS:
            alone, both = told(pairs, pairs.odds[:, 0], kind), told(pairs, pairs.odds @ weights, kind)
            print(f"  {kind}: {alone}; with the second opinion {both}")
    print(f"all: {np.round(fitted(list(found.values())), 2)}")


if __name__ == "__main__":
    main()
