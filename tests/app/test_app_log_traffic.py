import pytest
from gated_reports import report

from goldgen.evaluation import traffic_means

VALUES = {
    "bm25": {"nDCG@10": [1.0, 0.0, 0.5, 0.25], "R@5": [1.0, 0.0, 1.0, 1.0]},
    "dense": {"nDCG@10": [0.0, 1.0, 0.5, 0.25], "R@5": [0.0, 1.0, 1.0, 1.0]},
}


def test_each_question_weighs_what_it_stands_for() -> None:
    # q3 was written and has no weight; of q9 the set has no gold.
    found = traffic_means(report(VALUES), {"q0": 6.0, "q1": 1.0, "q2": 1.0, "q9": 2.0})

    assert found is not None
    assert (found.questions, found.share) == (3, pytest.approx(0.8))
    assert found.means["bm25"] == {"nDCG@10": pytest.approx(6.5 / 8), "R@5": pytest.approx(7 / 8)}
    assert found.means["dense"] == {"nDCG@10": pytest.approx(1.5 / 8), "R@5": pytest.approx(2 / 8)}
    assert found.effective == pytest.approx(64 / 38)
    for label, (low, high) in found.intervals.items():
        assert 0 <= low <= found.means[label]["nDCG@10"] <= high <= 1


def test_equal_weights_are_the_plain_mean() -> None:
    made = report(VALUES)
    found = traffic_means(made, dict.fromkeys(("q0", "q1", "q2", "q3"), 2.5))

    assert found is not None and (found.share, found.effective) == (pytest.approx(1), pytest.approx(4))
    for result in made.retrievers:
        assert found.means[result.label] == pytest.approx(dict(result.means))


def test_without_log_questions_there_is_nothing_to_weigh() -> None:
    assert traffic_means(report(VALUES), {}) is None
    assert traffic_means(report(VALUES), {"q9": 1.0}) is None
