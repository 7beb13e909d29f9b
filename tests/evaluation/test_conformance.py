"""Published and cross-checked values of other tools; the data lies beside the checkout."""

import json
from collections import defaultdict
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rankings import hits, judged

from goldgen.errors import EmptyResultError
from goldgen.evaluation import Measure, bootstrap_interval, holm, randomisation_p, score_run
from goldgen.types import Hit, Ranking

CONFORMANCE = Path(__file__).parents[2].parent / "shared" / "data" / "conformance"
pytestmark = pytest.mark.skipif(
    not CONFORMANCE.is_dir(), reason="needs the shared data folder beside the checkout"
)

Qrels = dict[str, dict[str, float]]
# Where the reference has no cutoff or another name. No case retrieves more than 1000.
OURS = {
    "AP": "AP@1000",
    "RR": "RR@1000",
    "nDCG": "nDCG@1000",
    "AP@5_minRK": "AP_min@5",
    "AP@10_minRK": "AP_min@10",
}
NOT_OURS = ("IPrec", "Rprec", "infAP")


def load(name: str) -> Any:
    path = CONFORMANCE / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"cases": []}


def cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in load(name)["cases"]]


def per_question(qrels: Qrels, run: dict[str, Ranking], names: list[str]) -> dict[str, dict[str, float]]:
    questions = [judged(grades, question_id) for question_id, grades in qrels.items()]
    measures = [Measure.parse(OURS.get(name, name)) for name in names]
    scores = score_run(questions, run, measures, threshold=1)
    rows = zip(scores.question_ids, scores.values.tolist(), strict=True)
    return {question_id: dict(zip(names, row, strict=True)) for question_id, row in rows}


def fields(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def has_gold(grades: dict[str, float]) -> bool:
    return any(grade >= 1 for grade in grades.values())


@pytest.mark.parametrize("case", cases("metrics.json"))
def test_values_of_trec_eval(case: Any) -> None:
    """Expected values have ten decimals. None of these cases has scores that tie in 32 bits only."""
    qrels: Qrels = case["qrels"]
    run = {question_id: hits(scores) for question_id, scores in case["run"].items()}
    expected = {
        question_id: {name: value for name, value in values.items() if not name.startswith(NOT_OURS)}
        for question_id, values in case["expected_per_query"].items()
    }
    # trec_eval gives 0 to a question without gold; here it is in no mean and counted.
    with_gold = [question_id for question_id in qrels if has_gold(qrels[question_id])]
    if not with_gold:
        assert all(
            value == 0
            for values in expected.values()
            for name, value in values.items()
            if "Judged" not in name
        )
        with pytest.raises(EmptyResultError):
            per_question(qrels, run, ["P@1"])
        return
    names = sorted(next(iter(expected.values())))
    actual = per_question(qrels, run, names)
    assert sorted(actual) == sorted(with_gold)
    for question_id in with_gold:
        # trec_eval leaves a question out that the run lacks; here it scores 0.
        wanted = expected.get(question_id, dict.fromkeys(names, 0.0))
        assert actual[question_id] == pytest.approx(wanted, abs=1e-9), question_id
    mean: dict[str, float] = case["mean_over_qrels_queries_missing_as_zero"]
    for name, value in mean.items():
        total = sum(actual[question_id][name] for question_id in with_gold)
        assert total / len(qrels) == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("case", cases("divergences.json"))
def test_the_side_taken_where_other_tools_disagree(case: Any) -> None:
    name, expected = {
        "tie-order": ("RR@10", 1 / 3),
        # trec_eval's 0.5 comes from 32-bit scores that tie; in 64 bits the first is better.
        "float32-collapse": ("RR@10", 1.0),
        "missing-query-mean": ("AP@1000", 0.5),
        "empty-qrels-query": ("AP@1000", None),
        "empty-run-query": ("AP@1000", 0.0),
        # By hand. The remark in the data, 0.8257, is not the value of either gain.
        "float-grade": ("nDCG@10", (0.5 + 1.5 / log2(3)) / (1.5 + 0.5 / log2(3))),
        "rel-level-2-ndcg": ("nDCG@3", case.get("pytrec_eval")),
        "exp-ndcg-rounding": ("nDCG_exp@3", case.get("ranx ndcg_burges@3")),
        "duplicate-docs": ("RR@10", 0.5),
    }[case["id"]]
    if "run_rows" in case:
        run = {"1": tuple(Hit(chunk_id, score) for _, chunk_id, score in case["run_rows"])}
    else:
        run = {question_id: hits(scores) for question_id, scores in case["run"].items()}
    questions = [judged(grades, question_id) for question_id, grades in case["qrels"].items()]
    threshold = 2 if case["id"] == "rel-level-2-ndcg" else 1
    measure = Measure.parse(name)
    if expected is None:
        with pytest.raises(EmptyResultError):
            score_run(questions, run, [measure], threshold=threshold)
        return
    scores = score_run(questions, run, [measure], threshold=threshold)
    assert scores.mean(measure) == pytest.approx(expected, abs=5e-5)
    assert scores.duplicates == (2 if case["id"] == "duplicate-docs" else 0)


@pytest.mark.parametrize("case", cases("significance.json"))
def test_randomisation_and_bootstrap(case: Any) -> None:
    expected = case["expected"]
    differences = np.array(case["b"]) - np.array(case["a"])
    clusters = [f"q{number}" for number in range(len(differences))]
    interval = bootstrap_interval(differences, clusters, resamples=20_000, seed=1)
    assert interval.mean == pytest.approx(expected["mean_diff_b_minus_a"], abs=1e-9)
    tolerance = expected["bootstrap_tolerance_abs"]
    assert [interval.low, interval.high] == pytest.approx(
        expected["bootstrap_percentile_ci95"], abs=tolerance
    )
    p = randomisation_p(differences, clusters, permutations=200_000, seed=1)
    if "fisher_randomization_exact_p" in expected:
        assert p == pytest.approx(expected["fisher_randomization_exact_p"], abs=1e-12)
    else:
        assert p == pytest.approx(
            expected["fisher_randomization_mc_p_100k"], abs=expected["mc_tolerance_abs"]
        )


def test_holm() -> None:
    for case in load("significance.json")["multiple_comparison"]:
        assert holm(case["p"]) == pytest.approx(case["holm"], abs=1e-12)


@pytest.mark.parametrize(
    ("output", "qrels_file", "run_file", "threshold"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.meas_params", "qrels.test", "results.test", 1),
        ("out.test.aqc", "qrels.test", "results.trunc", 1),
        ("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
)
def test_the_reference_output_of_trec_eval(
    output: str, qrels_file: str, run_file: str, threshold: float
) -> None:
    """The outputs have four decimals. ``aqc``: a question is missing from the run. ``aql``: from grade 2."""
    folder = CONFORMANCE / "trec_eval_ref"
    qrels: Qrels = defaultdict(dict)
    for question_id, _, chunk_id, grade in fields(folder / qrels_file):
        qrels[question_id][chunk_id] = float(grade)
    rows: dict[str, list[Hit]] = defaultdict(list)
    for question_id, _, chunk_id, _, found_score, *_ in fields(folder / run_file):
        rows[question_id].append(Hit(chunk_id, float(found_score)))
    run = {question_id: tuple(found) for question_id, found in rows.items()}
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for name, question_id, value in fields(folder / output):
        if ours := trec_name(name):
            expected[ours][question_id] = float(value)
    measures = [Measure.parse(name) for name in sorted(expected)]
    questions = [judged(grades, question_id) for question_id, grades in qrels.items()]
    scores = score_run(questions, run, measures, threshold=threshold)
    assert len(measures) > (10 if output == "out.test.meas_params" else 40)
    for measure in measures:
        actual = dict(zip(scores.question_ids, scores.of(measure).tolist(), strict=True))
        # A question without relevant chunks is 0 in trec_eval and in its mean; here it is in no mean.
        without_gold = dict.fromkeys(qrels.keys() - actual.keys(), 0.0)
        everything = {**actual, **without_gold}
        everything["all"] = sum(everything.values()) / len(everything)
        assert everything == pytest.approx(expected[str(measure)], abs=5.1e-5), measure


def trec_name(name: str) -> str | None:
    """The measure of a line of trec_eval's output; None if goldgen has it not."""
    whole = {"map": "AP@1000", "recip_rank": "RR@1000", "ndcg": "nDCG@1000", "bpref": "bpref"}
    prefixes = {"P": "P", "recall": "R", "map_cut": "AP", "ndcg_cut": "nDCG", "success": "Success"}
    prefix, _, cutoff = name.rpartition("_")
    return f"{prefixes[prefix]}@{cutoff}" if prefix in prefixes else whole.get(name)
