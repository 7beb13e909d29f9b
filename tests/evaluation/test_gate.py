import numpy as np
import pytest
from simulated import clustered_differences

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import at_least, bootstrap_interval, non_inferiority

SPREAD = np.array([-0.1, 0.1] * 50)
CLUSTERS = [f"d{number}" for number in range(100)]


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.1, "pass"), (0.0, "pass"), (-0.05, "inconclusive"), (-0.1, "fail"), (-0.05 - 0.03, "fail")],
)
def test_a_run_passes_if_its_loss_is_within_the_margin_for_sure(mean: float, verdict: str) -> None:
    found = non_inferiority(mean + SPREAD, CLUSTERS, 0.05)
    assert found.verdict == verdict
    assert (found.mean, found.floor, found.clusters) == (pytest.approx(mean), -0.05, 100)


def test_a_small_significant_loss_passes_and_a_large_one_on_few_questions_is_open() -> None:
    small_loss = non_inferiority(-0.01 + SPREAD / 10, CLUSTERS, 0.05)
    assert small_loss.verdict == "pass" and small_loss.high < 0
    open_question = non_inferiority(-0.04 + 3 * SPREAD[:8], CLUSTERS[:8], 0.05)
    assert open_question.verdict == "inconclusive" and open_question.few_clusters


def test_an_unchanged_run_passes_whatever_the_margin() -> None:
    assert non_inferiority(np.zeros(30), CLUSTERS[:30], 0).verdict == "pass"


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_one_document_decides_nothing(value: float) -> None:
    assert non_inferiority(np.full(50, value), ["d"] * 50, 0.02).verdict == "inconclusive"


@pytest.mark.parametrize(("floor", "verdict"), [(0.5, "pass"), (0.8, "inconclusive"), (0.95, "fail")])
def test_a_floor_is_held_against_the_bounds_and_not_the_mean(floor: float, verdict: str) -> None:
    values = np.array([1.0, 1.0, 1.0, 1.0, 0.0] * 20)
    found = at_least(values, CLUSTERS, floor)
    assert found.verdict == verdict
    two_sided = bootstrap_interval(values, CLUSTERS, level=0.9)
    assert (found.low, found.high) == (two_sided.low, two_sided.high)


def test_documents_and_not_questions_make_a_set_large_enough() -> None:
    differences = np.repeat(-0.01 + SPREAD[:10], 100)
    together = [f"d{number // 100}" for number in range(1000)]
    assert non_inferiority(differences, [str(n) for n in range(1000)], 0.05).verdict == "pass"
    assert non_inferiority(differences, together, 0.05).verdict == "inconclusive"


def test_settings_and_values_that_cannot_be_decided_on_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"the margin is -0\.02; it must be 0 or more"):
        non_inferiority(SPREAD, CLUSTERS, -0.02)
    with pytest.raises(SettingsError, match=r"the margin is nan"):
        non_inferiority(SPREAD, CLUSTERS, float("nan"))
    with pytest.raises(SettingsError, match=r"the level of the gate is 0\.05"):
        at_least(SPREAD, CLUSTERS, 0, level=0.05)
    with pytest.raises(EmptyResultError):
        at_least(np.array([]), [], 0)


def test_a_run_that_is_worse_by_the_margin_passes_once_in_twenty() -> None:
    generator = np.random.default_rng(4)
    passed = 0
    for _ in range(400):
        differences, clusters = clustered_differences(generator, 40, -0.05)
        passed += non_inferiority(differences, clusters, 0.05, resamples=400).verdict == "pass"
    assert passed / 400 == pytest.approx(0.05, abs=0.035)
