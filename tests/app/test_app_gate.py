"""Gates on real report files: the verdicts, what is compared, and what is refused."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from gated_reports import proof, report, verifier, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldgen.app.gate import GateOptions, Minimum, gate
from goldgen.errors import EmptyResultError, StoreError
from goldgen.evaluation import Measure, SetProof, VerifierResult, report_to_json
from goldgen.store import StoredEvaluation, open_store

NDCG = "nDCG@10"
LATER = "2026-11-30T13:00:00+00:00"
RATHER_GOOD = [0.5, 0.7, 0.9, 0.7] * 20
NO_DB = Path("nowhere.duckdb")


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """80 questions of 40 documents by bm25, in two measures."""
    values = {"bm25": {NDCG: RATHER_GOOD, "R@5": [1.0, 1.0, 1.0, 0.0] * 20}}
    return write(tmp_path / "main.json", report(values))


def changed(folder: Path, *by: float) -> Path:
    """The current report: the baseline's values, changed by these in turn."""
    now = [value + by[place % len(by)] for place, value in enumerate(RATHER_GOOD)]
    return write(folder / "now.json", report({"bm25": {NDCG: now}}, created_at=LATER))


@pytest.mark.parametrize(
    ("by", "verdict", "says"),
    [
        ((0.0,), "pass", r"bm25 passes: no nDCG@10 lost against \S+main\.json \(margin 0\.02; observed \+0"),
        ((0.05,), "pass", r"no nDCG@10 lost .* observed \+0\.050, 95% one-sided bound \+0\.050, 80 q"),
        ((-0.01, 0.0), "pass", r"at most 0\.005 nDCG@10 lost .* observed -0\.005, .* bound -0\.005, "),
        ((-0.1, -0.1, 0.0, 0.0), "fail", r"bm25 fails: at least 0\.0[345]\d nDCG@10 lost .* bound -0\.0"),
        ((-0.2, -0.3, 0.1, 0.3), "inconclusive", r"whether more than 0\.02 nDCG@10 is lost against .* can"),
    ],
)  # fmt: skip
def test_a_change_is_held_against_the_margin(
    baseline: Path, tmp_path: Path, by: Sequence[float], verdict: str, says: str
) -> None:
    found = gate(GateOptions(NO_DB, baseline, changed(tmp_path, *by)))
    (check,) = found.checks
    assert (found.verdict, check.verdict) == (verdict, verdict)
    assert re.search(says, check.sentence), check.sentence
    assert check.sentence.endswith("80 questions from 40 sources)")
    assert (check.subject, check.questions, found.notes) == ("bm25", 80, ())
    assert check.decision is not None and check.decision.mean == pytest.approx(np.mean(by))


def test_an_open_check_says_how_many_questions_would_tell(baseline: Path, tmp_path: Path) -> None:
    (check,) = gate(GateOptions(NO_DB, baseline, changed(tmp_path, -0.2, -0.3, 0.1, 0.3))).checks
    assert check.questions_needed is not None and check.questions_needed > 80
    assert (
        f"; about {check.questions_needed:,} questions are needed to tell a loss of 0.02 (" in check.sentence
    )
    (none,) = gate(GateOptions(NO_DB, baseline, changed(tmp_path, -0.2, -0.3, 0.1, 0.3), margin=0)).checks
    assert none.questions_needed is None and "whether more than 0 nDCG@10 is lost" in none.sentence


def test_the_questions_needed_are_those_of_a_one_sided_test(tmp_path: Path) -> None:
    before = write(tmp_path / "main.json", report({"bm25": {NDCG: RATHER_GOOD}}, a_cluster=1))
    by = np.array([-0.2, -0.3, 0.1, 0.3] * 20)
    values = {"bm25": {NDCG: (np.array(RATHER_GOOD) + by).tolist()}}
    now = write(tmp_path / "now.json", report(values, a_cluster=1, created_at=LATER))
    (check,) = gate(GateOptions(NO_DB, before, now)).checks
    # 1.645 leaves 5% on one side, 0.842 gives a power of 0.8; the last term corrects for the t-test.
    needed = by.var(ddof=1) * ((1.644854 + 0.841621) / 0.02) ** 2 + 1.644854**2 / 2
    assert check.questions_needed == np.ceil(needed) == 892


@given(
    st.lists(st.sampled_from([-0.5, -0.2, -0.1, 0.0, 0.1]), min_size=2, max_size=30),
    st.floats(0, 0.3),
    st.floats(0, 0.3),
)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_wider_margin_never_turns_a_pass_away(
    tmp_path: Path, by: list[float], one: float, other: float
) -> None:
    before = write(tmp_path / "before.json", report({"bm25": {NDCG: [0.6] * len(by)}}))
    after = report({"bm25": {NDCG: [0.6 + change for change in by]}}, created_at=LATER)
    now = write(tmp_path / "after.json", after)
    order = ["fail", "inconclusive", "pass"]
    narrow, wide = (
        gate(GateOptions(NO_DB, before, now, margin=margin)).verdict for margin in sorted((one, other))
    )
    assert order.index(narrow) <= order.index(wide)


def test_every_retriever_of_the_baseline_is_checked_and_a_failure_outweighs_the_rest(tmp_path: Path) -> None:
    values = {name: {NDCG: [0.6] * 80} for name in ("bm25", "dense", "hybrid")}
    before = write(tmp_path / "main.json", report(values))
    later = {
        "bm25": {NDCG: [0.6] * 80},
        "dense": {NDCG: [0.2, 0.2, 1.0, 1.0] * 20},
        "hybrid": {NDCG: [0.5] * 80},
        "rerank": {NDCG: [0.9] * 80},
    }
    now = write(tmp_path / "now.json", report(later, created_at=LATER))
    found = gate(GateOptions(NO_DB, before, now))
    assert [(check.subject, check.verdict) for check in found.checks] == [
        ("bm25", "pass"),
        ("dense", "inconclusive"),
        ("hybrid", "fail"),
    ]
    assert found.verdict == "fail"
    assert found.notes == (f"not checked, for {before} does not have it: rerank",)
    assert gate(GateOptions(NO_DB, before, now, retrievers=("bm25", "dense"))).verdict == "inconclusive"
    only = gate(GateOptions(NO_DB, before, now, retrievers=("bm25",)))
    assert (only.verdict, only.notes) == ("pass", ())


def test_a_retriever_is_found_by_its_name_where_its_label_says_more(tmp_path: Path) -> None:
    before = write(tmp_path / "main.json", report({"rerank": {NDCG: RATHER_GOOD}}))
    stood_in = report({"rerank (late interaction)": {NDCG: RATHER_GOOD}}, created_at=LATER)
    found = gate(GateOptions(NO_DB, before, write(tmp_path / "now.json", stood_in)))
    assert (found.verdict, found.notes) == ("pass", ())
    assert found.checks[0].sentence.startswith("rerank (late interaction) passes")


@pytest.mark.parametrize(
    ("floor", "verdict", "says"),
    [
        (0.5, "pass", r"bm25 passes: R@5 is at least 0\.6\d\d \(floor 0\.5; observed 0\.750, 95% one"),
        (0.75, "inconclusive", r"whether R@5 is at least 0\.75 can't be told; more questions would "),
        (0.95, "fail", r"bm25 fails: R@5 is at most 0\.8\d\d \(floor 0\.95; observed 0\.750, "),
    ],
)  # fmt: skip
def test_a_floor_is_held_against_the_bound(baseline: Path, floor: float, verdict: str, says: str) -> None:
    options = GateOptions(NO_DB, current=baseline, minimums=(Minimum(Measure("R", 5), floor),))
    found = gate(options)
    (check,) = found.checks
    assert found.verdict == verdict and check.name == f"R@5 at least {floor:g}"
    assert re.search(says, check.sentence), check.sentence


def test_floors_and_the_baseline_are_checked_together(baseline: Path, tmp_path: Path) -> None:
    minimums = (Minimum(Measure("nDCG", 10), 0.99), Minimum(Measure("nDCG", 10), 0.5))
    found = gate(GateOptions(NO_DB, baseline, changed(tmp_path, 0.0), minimums=minimums))
    assert [check.verdict for check in found.checks] == ["pass", "fail", "pass"]
    assert found.verdict == "fail"


def test_few_sources_are_said_and_one_decides_nothing(tmp_path: Path) -> None:
    few = report({"bm25": {NDCG: RATHER_GOOD}}, a_cluster=8)
    before = write(tmp_path / "main.json", few)
    now = write(tmp_path / "now.json", report({"bm25": {NDCG: RATHER_GOOD}}, a_cluster=8, created_at=LATER))
    found = gate(GateOptions(NO_DB, before, now))
    assert found.verdict == "pass"
    (note,) = found.notes
    assert note.startswith("the questions come from 10 sources, and fewer than 20 make the bounds rough")
    one = report({"bm25": {NDCG: RATHER_GOOD}}, a_cluster=100, created_at=LATER)
    (check,) = gate(GateOptions(NO_DB, before, write(tmp_path / "one.json", one))).checks
    assert check.verdict == "inconclusive"
    assert check.sentence.startswith(
        "bm25 is inconclusive: one source does not tell how much nDCG@10 is lost"
    )


@pytest.mark.parametrize(
    ("verifiers", "judged_by", "human", "verdict", "says"),
    [
        ((verifier("judge", "proven"),), ["judge"], 0, "pass", "the set passes: verifier judge is proven"),
        ((verifier("judge", "unproven", "12 controls"),), ["judge"], 0, "inconclusive", "(12 controls)"),
        ((verifier("judge", "failed", "it says yes"),), ["judge"], 9, "fail", "is failed (it says yes)"),
        ((verifier("judge", "proven"),), ["judge", "new"], 0, "inconclusive", "new is unproven (no verif"),
        ((verifier("old", "failed"), verifier("judge", "proven")), ["judge"], 0, "pass", "judge is proven"),
        ((verifier("judge", "odd"),), ["judge"], 0, "inconclusive", "verifier judge is odd"),
        ((), [], 12, "pass", "the set passes: people judged it"),
        ((), [], 0, "inconclusive", "nobody is known to have judged it"),
    ],
)  # fmt: skip
def test_a_set_must_be_proven_where_that_is_asked(
    tmp_path: Path,
    verifiers: tuple[VerifierResult, ...],
    judged_by: list[str],
    human: int,
    verdict: str,
    says: str,
) -> None:
    of_set: SetProof = proof(*verifiers, judged_by=judged_by, human_verdicts=human)
    now = write(tmp_path / "now.json", report({"bm25": {NDCG: [0.5] * 4}}, of_set=of_set))
    found = gate(GateOptions(NO_DB, current=now, require_proven=True))
    (check,) = found.checks
    assert (found.verdict, check.subject) == (verdict, "the set") and says in check.sentence


def test_the_latest_evaluation_of_the_set_is_the_current_one(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    made = report({"bm25": {NDCG: RATHER_GOOD}}, created_at=LATER)
    with open_store(db) as store:
        for key, text, hour in (("b", report_to_json(made), 13), ("a", "{}", 11)):
            made_at = datetime(2026, 11, 30, hour, tzinfo=UTC)
            store.evaluations.add(StoredEvaluation(key, made_at, "set-1", text))
    found = gate(GateOptions(db, minimums=(Minimum(Measure("nDCG", 10), 0.5),)))
    assert (found.verdict, found.set_fingerprint) == ("pass", "set-1")
    assert found.current == f"the latest evaluation in {db}, made {LATER}"


def test_a_set_without_an_evaluation_or_no_set_at_all_is_one_line(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    open_store(db).close()
    options = GateOptions(db, minimums=(Minimum(Measure("R", 5), 0.5),))
    with pytest.raises(EmptyResultError, match=r"has no evaluation yet; run goldgen eval"):
        gate(options)
    with pytest.raises(StoreError, match=r"nowhere\.duckdb"):
        gate(GateOptions(NO_DB, minimums=options.minimums))
