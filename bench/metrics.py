"""Five metrics over 10,000 questions with 100 results each: goldgen, pytrec_eval, ranx, ir-measures.

    python -m venv peers
    peers/bin/pip install pytrec_eval-terrier==0.5.11 ranx==0.3.21 ir-measures==0.4.3
    python bench/metrics.py --peers peers/bin/python

Each library runs in a process of its own, on the same numbers in its own native form (goldgen: JudgedQuestion
and tuples of Hit; the others: dicts of dicts), with whatever conversion it needs counted. Each repetition
makes new input, so that no hash or table is left from the one before. Wall and CPU are medians; imports, and
ranx's compilation on a small input, are timed apart (warm-up). The means must agree to 1e-9 (ranx: 1e-6), or
the bench fails.
"""

import argparse
import importlib
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Means = dict[str, float]
NAMES = ("nDCG@10", "P@5", "R@100", "RR@100", "AP@100")
PYTREC = ("ndcg_cut_10", "P_5", "recall_100", "recip_rank", "map_cut_100")
RANX = ("ndcg@10", "precision@5", "recall@100", "mrr@100", "map@100")
TOLERANCES = {"pytrec_eval": 1e-9, "ranx": 1e-6, "ir_measures": 1e-9}


def collection(questions: int, results: int, seed: int, shuffled: bool) -> tuple[Qrels, Run]:
    """2 to 20 judged chunks a question, half of them retrieved; scores that do not tie in 32 bits."""
    generator = random.Random(seed)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(questions):
        found = generator.sample(range(1_000_000), results)
        judged = generator.sample(found, generator.randint(1, 10))
        judged += generator.sample(range(1_000_000, 2_000_000), len(judged))
        grades = {f"chunk-{chunk}": generator.choice((0, 0, 1, 2, 3)) for chunk in judged}
        grades[f"chunk-{judged[0]}"] = 3
        qrels[f"q{number}"] = grades
        scored = [(chunk, (results - rank) / 8) for rank, chunk in enumerate(found)]
        if shuffled:
            generator.shuffle(scored)
        run[f"q{number}"] = {f"chunk-{chunk}": score for chunk, score in scored}
    return qrels, run


def goldgen_native(qrels: Qrels, run: Run) -> Callable[[], Means]:
    # Imported here, for the peers' Python has no goldgen.
    from goldgen.evaluation import Measure, score_run
    from goldgen.types import Hit, JudgedQuestion

    questions = [JudgedQuestion(question, question, grades) for question, grades in qrels.items()]
    rankings = {q: tuple(Hit(chunk, score) for chunk, score in found.items()) for q, found in run.items()}
    measures = [Measure.parse(name) for name in NAMES]

    def score() -> Means:
        scores = score_run(questions, rankings, measures, threshold=1)
        return {str(measure): scores.mean(measure) for measure in measures}

    return score


def pytrec_native(qrels: Qrels, run: Run) -> Callable[[], Means]:
    pytrec_eval = importlib.import_module("pytrec_eval")

    def score() -> Means:
        values: dict[str, Means] = pytrec_eval.RelevanceEvaluator(qrels, set(PYTREC)).evaluate(run)
        return {
            name: sum(value[theirs] for value in values.values()) / len(values)
            for name, theirs in zip(NAMES, PYTREC, strict=True)
        }

    return score


def ranx_native(qrels: Qrels, run: Run) -> Callable[[], Means]:
    ranx = importlib.import_module("ranx")

    def score() -> Means:
        means: Means = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(RANX))
        return {name: float(means[theirs]) for name, theirs in zip(NAMES, RANX, strict=True)}

    return score


def ir_measures_native(qrels: Qrels, run: Run) -> Callable[[], Means]:
    ir_measures = importlib.import_module("ir_measures")
    # Its RR with a cutoff goes to a slower provider; no ranking here is deeper than 100.
    measures = [ir_measures.parse_measure("RR" if name == "RR@100" else name) for name in NAMES]

    def score() -> Means:
        means: dict[Any, float] = ir_measures.calc_aggregate(measures, qrels, run)
        return {name: means[measure] for name, measure in zip(NAMES, measures, strict=True)}

    return score


NATIVE: dict[str, Callable[[Qrels, Run], Callable[[], Means]]] = {
    "goldgen": goldgen_native,
    "pytrec_eval": pytrec_native,
    "ranx": ranx_native,
    "ir_measures": ir_measures_native,
}


def work(library: str, questions: int, results: int, repeats: int, shuffled: bool) -> dict[str, Any]:
    """What one process measures: seconds of wall and CPU of each repetition, and the means of the last."""
    started = time.perf_counter()
    NATIVE[library](*collection(20, results, 0, shuffled))()
    apart = time.perf_counter() - started
    wall: list[float] = []
    cpu: list[float] = []
    means: Means = {}
    for seed in range(1, repeats + 1):
        score = NATIVE[library](*collection(questions, results, seed, shuffled))
        walls, cpus = time.perf_counter(), time.process_time()
        means = score()
        wall.append(time.perf_counter() - walls)
        cpu.append(time.process_time() - cpus)
    return {"apart": apart, "wall": wall, "cpu": cpu, "means": means}


def compare(peers: Path, options: list[str]) -> None:
    found: dict[str, Any] = {}
    for library in NATIVE:
        python = sys.executable if library == "goldgen" else str(peers)
        command = [python, __file__, "--library", library, *options]
        found[library] = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
    ours = found["goldgen"]
    print(f"{'':12} {'wall s':>7} {'best':>7} {'cpu s':>7} {'goldgen / it':>13} {'warm-up s':>10}")
    for library, theirs in found.items():
        wall, best, cpu = median(theirs["wall"]), min(theirs["wall"]), median(theirs["cpu"])
        share = median(ours["wall"]) / wall
        print(f"{library:12} {wall:7.2f} {best:7.2f} {cpu:7.2f} {share:13.2f} {theirs['apart']:10.1f}")
    for library, tolerance in TOLERANCES.items():
        apart = max(abs(ours["means"][name] - found[library]["means"][name]) for name in NAMES)
        print(f"largest difference of a mean to {library}: {apart:.1e}")
        if apart > tolerance:
            sys.exit(f"{library} differs by more than {tolerance}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, help="the Python that has the other libraries")
    parser.add_argument("--library", choices=sorted(NATIVE), help="measure only this one, in this process")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--results", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shuffled", action="store_true", help="results in no order, so that all must sort")
    given = parser.parse_args()
    if given.library:
        print(json.dumps(work(given.library, given.questions, given.results, given.repeats, given.shuffled)))
        return
    if given.peers is None:
        parser.error("name the Python that has the other libraries with --peers, or one --library")
    numbers = {"--questions": given.questions, "--results": given.results, "--repeats": given.repeats}
    options = [part for name, number in numbers.items() for part in (name, str(number))]
    compare(given.peers, [*options, *(["--shuffled"] if given.shuffled else [])])


if __name__ == "__main__":
    main()
