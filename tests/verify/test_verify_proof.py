import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import control

from goldgen.types import Control, ControlKind
from goldgen.verify import SPECIFICITY_FLOOR, HumanLabels, prove
from goldgen.verify.estimates import expected_wrong_share, prevalence, wilson
from goldgen.verify.proof import FEWEST_HUMAN_GOLDS

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
    worst, accepted = wilson(90, 100), wilson(50, 100)
    assert wrong.estimate == pytest.approx(expected_wrong_share(0.9, 0.5))
    assert wrong.low == pytest.approx(expected_wrong_share(worst.high, accepted.high))
    assert wrong.high == pytest.approx(expected_wrong_share(worst.low, accepted.low))
    assert wrong.low < wrong.estimate < wrong.high


def test_the_floor_can_be_set() -> None:
    tests = controls("answer_deleted", 100) + controls("same_document", 100)
    assert prove(tests, 60, 100, 0.95).verdict == "proven"
    assert prove(tests, 60, 100, 0.97).verdict == "unproven"


def test_a_judge_that_always_says_yes_is_none() -> None:
    tests = controls("answer_deleted", 0, 20) + controls("same_document", 1, 19) + controls("easy", 0, 9)
    proof = prove(tests, 50, 50, FLOOR)
    assert proof.verdict == "failed"
    assert proof.reason == (
        "it accepted 39 of 40 texts that do not answer: a judge that always says yes is no judge"
    )
    mixed = prove(controls("answer_deleted", 0, 20) + controls("same_document", 20), 50, 50, FLOOR)
    assert mixed.verdict == "failed"
    assert "it accepted 20 of 20 answer_deleted controls" in mixed.reason


CONSTRUCTED = controls("answer_deleted", 60) + controls("same_document", 60)


@pytest.mark.parametrize(
    ("rejected", "accepted", "verdict"),
    [
        (1, 0, "proven"),  # the first label of a person takes no proof away
        (19, 1, "proven"),  # 0.95, of too few to prove anything
        (8, 2, "unproven"),  # 0.8 is below the floor, though not surely
        (1, 9, "failed"),
        (36, 2, "unproven"),  # enough to prove: then the lower bound counts
        (60, 0, "proven"),
    ],
)
def test_neighbours_are_as_many_as_people_have_labelled(rejected: int, accepted: int, verdict: str) -> None:
    proof = prove([*CONSTRUCTED, *controls("neighbour", rejected, accepted)], 60, 100, FLOOR)
    assert proof.verdict == verdict
    assert [kind.kind for kind in proof.kinds] == ["answer_deleted", "same_document", "neighbour"]


@pytest.mark.parametrize(
    ("specificity", "acceptance", "sensitivity", "share"),
    [
        (0.9, 0.5, 1.0, 0.4 / 0.9),
        (0.9, 0.5, 0.8, 0.4 / 0.7),
        (0.9, 0.95, 0.8, 1.0),
        (0.9, 0.05, 0.8, 0.0),
        (0.4, 0.5, 0.6, 0.0),  # no better than chance: acceptance tells nothing
    ],
)
def test_prevalence(specificity: float, acceptance: float, sensitivity: float, share: float) -> None:
    assert prevalence(specificity, acceptance, sensitivity) == pytest.approx(share)


@given(SHARES, SHARES, SHARES)
def test_full_sensitivity_is_the_careful_assumption(a: float, spec: float, sens: float) -> None:
    if sens + spec > 1.001:
        assert expected_wrong_share(spec, a, sens) <= expected_wrong_share(spec, a) + 1e-9


def test_sensitivity_comes_from_human_golds_and_widens_the_interval() -> None:
    tests = controls("answer_deleted", 90, 10) + controls("same_document", 99, 1)
    assumed = prove(tests, 50, 100, FLOOR)
    assert assumed.sensitivity is None
    assert assumed.assumptions[0] == "sensitivity assumed 1"
    measured = prove(tests, 50, 100, FLOOR, HumanLabels(golds=21, golds_accepted=18))
    assert measured.sensitivity is not None
    assert (measured.sensitivity.count, measured.sensitivity.total) == (18, 21)
    assert measured.assumptions == (
        "sensitivity 0.86 from 21 vouched human golds",
        "drafts that do not answer pass as often as answer_deleted controls",
    )
    wrong, careful = measured.wrong_golds, assumed.wrong_golds
    assert wrong is not None and careful is not None
    assert wrong.estimate == pytest.approx(expected_wrong_share(0.9, 0.5, 18 / 21))
    assert wrong.estimate < careful.estimate
    spec, accepted, sens = wilson(90, 100), wilson(50, 100), wilson(18, 21)
    assert wrong.low == pytest.approx(expected_wrong_share(spec.high, accepted.high, sens.low))
    assert wrong.high == pytest.approx(expected_wrong_share(spec.low, accepted.low, sens.high))


def test_a_set_of_which_all_is_accepted_is_not_free_of_doubt() -> None:
    wrong = prove(controls("answer_deleted", 90, 10), 40, 40, FLOOR).wrong_golds
    assert wrong is not None
    assert wrong.estimate == 0.0 and 0.01 < wrong.high < 0.05


def test_a_few_human_golds_do_not_measure_sensitivity() -> None:
    few = HumanLabels(golds=FEWEST_HUMAN_GOLDS - 1, golds_accepted=0)
    proof = prove(CONSTRUCTED, 50, 100, FLOOR, few)
    assert proof.sensitivity is None
    assert (
        proof.assumptions[0] == "sensitivity assumed 1 (9 vouched human golds; 10 are needed to measure it)"
    )
    assert proof.wrong_golds == prove(CONSTRUCTED, 50, 100, FLOOR).wrong_golds


@pytest.mark.parametrize(("golds", "accepted"), [(10, 5), (12, 4), (20, 9)])
def test_a_sensitivity_below_the_acceptance_never_makes_wrong_golds_vanish(golds: int, accepted: int) -> None:
    """It would say that more than all drafts answer. The wrong golds are those of no human labels then."""
    tests = controls("answer_deleted", 90, 10) + controls("same_document", 90, 10)
    careful = prove(tests, 50, 100, FLOOR).wrong_golds
    assert careful is not None and careful.estimate > 0.1
    proof = prove(tests, 51, 100, FLOOR, HumanLabels(golds, accepted))
    assert proof.sensitivity is None
    assert proof.assumptions[0].startswith("sensitivity assumed 1 (") and "0.51" in proof.assumptions[0]
    assert proof.wrong_golds == prove(tests, 51, 100, FLOOR).wrong_golds


def test_a_sensitivity_at_the_acceptance_is_used() -> None:
    tests = controls("answer_deleted", 90, 10)
    proof = prove(tests, 50, 100, FLOOR, HumanLabels(20, 10))
    assert proof.sensitivity is not None and proof.sensitivity.count == 10
