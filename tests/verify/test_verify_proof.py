import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import control

from goldgen.types import Control, ControlKind
from goldgen.verify import SPECIFICITY_FLOOR, prove
from goldgen.verify.proof import expected_wrong_share, wilson

FLOOR = SPECIFICITY_FLOOR


def controls(kind: ControlKind, rejected: int, accepted: int = 0, unjudged: int = 0) -> list[Control]:
    grades = [0] * rejected + [3] * accepted + [None] * unjudged
    return [control(number, kind, grade=grade) for number, grade in enumerate(grades)]


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        (35, 35, 0.9011, 1.0),
        (34, 34, 0.8985, 1.0),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson(successes: int, total: int, low: float, high: float) -> None:
    found = wilson(successes, total)
    assert found.estimate == successes / total
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


@given(st.integers(1, 1000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_wilson_holds_the_estimate_and_is_symmetric(counts: tuple[int, int]) -> None:
    successes, total = counts
    found, mirrored = wilson(successes, total), wilson(total - successes, total)
    assert 0 <= found.low <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high)


@pytest.mark.parametrize(
    ("specificity", "acceptance", "share"),
    [
        (0.9, 0.5, 0.1 * (5 / 9) / 0.5),  # prevalence 0.4/0.9
        (0.95, 0.8, 0.05 * (0.2 / 0.95) / 0.8),
        (0.9, 0.1, 1.0),  # all that is accepted can be explained by mistakes
        (0.9, 0.2, 0.1 * (8 / 9) / 0.2),
        (1.0, 0.3, 0.0),
        (0.9, 1.0, 0.0),
        (0.5, 0.6, 0.5 * 0.8 / 0.6),
        (0.9, 0.0, 0.0),
        (0.0, 0.5, 1.0),
    ],
)
def test_expected_share_of_wrong_golds(specificity: float, acceptance: float, share: float) -> None:
    assert expected_wrong_share(specificity, acceptance) == pytest.approx(share)


SHARES = st.floats(0.01, 1)


@given(SHARES, SHARES, SHARES)
def test_a_better_judge_or_more_acceptance_means_fewer_wrong_golds(a: float, b: float, other: float) -> None:
    low, high = sorted((a, b))
    assert expected_wrong_share(high, other) <= expected_wrong_share(low, other) + 1e-9
    assert expected_wrong_share(other, high) <= expected_wrong_share(other, low) + 1e-9
    assert 0 <= expected_wrong_share(low, other) <= 1


def test_proven_above_the_floor_on_every_hard_kind() -> None:
    tests = controls("answer_deleted", 35) + controls("same_document", 60, accepted=1)
    proof = prove(tests, 60, 100, FLOOR)
    assert proof.verdict == "proven"
    assert [(k.kind, k.judged, k.rejected, k.unjudged) for k in proof.kinds] == [
        ("answer_deleted", 35, 35, 0),
        ("same_document", 61, 60, 0),
    ]
    assert proof.acceptance == 0.6


@pytest.mark.parametrize(
    ("deleted", "same", "verdict"),
    [
        ((34, 0), (100, 0), "unproven"),  # lower bound 0.8985
        ((35, 0), (100, 0), "proven"),
        ((35, 0), (4, 0), "unproven"),  # 39 in all
        ((100, 0), (0, 0), "proven"),  # a table of chunks has no other kind
        ((0, 0), (100, 0), "unproven"),
        ((0, 0), (0, 0), "unproven"),
        ((100, 0), (80, 20), "failed"),  # upper bound 0.867, though 0.9 if pooled
        ((100, 0), (85, 15), "unproven"),
        ((60, 40), (100, 0), "failed"),
        ((1, 4), (2, 0), "failed"),  # few controls suffice to fail
    ],
)
def test_the_worst_hard_kind_decides(deleted: tuple[int, int], same: tuple[int, int], verdict: str) -> None:
    tests = controls("answer_deleted", *deleted) + controls("same_document", *same)
    proof = prove(tests, 60, 100, FLOOR)
    assert proof.verdict == verdict
    assert proof.reason


def test_easy_and_unjudged_controls_prove_nothing() -> None:
    hard = controls("answer_deleted", 30, unjudged=20) + controls("same_document", 50)
    easy = controls("easy", 500)
    proof = prove([*hard, *easy], 60, 100, FLOOR)
    assert proof.verdict == "unproven"
    deleted, _, easy_result = proof.kinds
    assert (deleted.judged, deleted.rejected, deleted.unjudged) == (30, 30, 20)
    assert easy_result.kind == "easy"
    failing_easy = prove([*hard, *controls("easy", 0, 50)], 60, 100, FLOOR)
    assert failing_easy.verdict == "unproven"


def test_a_kind_without_a_verdict_has_no_specificity() -> None:
    proof = prove(controls("answer_deleted", 0, unjudged=40), 0, 0, FLOOR)
    assert proof.kinds[0].specificity is None
    assert (proof.verdict, proof.acceptance, proof.wrong_golds) == ("unproven", None, None)


def test_a_judge_that_always_says_no_is_none() -> None:
    perfect = controls("answer_deleted", 100) + controls("same_document", 100)
    proof = prove(perfect, 0, 20, FLOOR)
    assert proof.verdict == "failed"
    assert "none of 20 drafts" in proof.reason
    assert prove(perfect, 0, 19, FLOOR).verdict == "proven"
    assert prove(perfect, 1, 100, FLOOR).verdict == "proven"


def test_the_share_of_wrong_golds_rests_on_the_worst_kind_and_has_an_interval() -> None:
    tests = controls("answer_deleted", 90, 10) + controls("same_document", 99, 1) + controls("easy", 0, 9)
    wrong = prove(tests, 50, 100, FLOOR).wrong_golds
    assert wrong is not None
    worst = wilson(90, 100)
    assert wrong.estimate == pytest.approx(expected_wrong_share(0.9, 0.5))
    assert wrong.low == pytest.approx(expected_wrong_share(worst.high, 0.5))
    assert wrong.high == pytest.approx(expected_wrong_share(worst.low, 0.5))
    assert wrong.low < wrong.estimate < wrong.high


def test_the_floor_can_be_set() -> None:
    tests = controls("answer_deleted", 100) + controls("same_document", 100)
    assert prove(tests, 60, 100, 0.95).verdict == "proven"
    assert prove(tests, 60, 100, 0.97).verdict == "unproven"
