import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import judged, ranking

from goldgen.errors import EmptyResultError, RetrieverError, SettingsError
from goldgen.evaluation import Curve, curve
from goldgen.evaluation.context_budget import ContextChoice, context_choice, mean_tokens
from goldgen.types import Hit

TOKENS = (100.0, 200.0, 300.0, 400.0, 500.0)


def with_recall(*recall: float) -> Curve:
    """With precisions 0.9, 0.8, … and no ceiling to speak of."""
    return Curve(tuple(0.9 - 0.1 * step for step in range(len(recall))), recall, (1.0,) * len(recall))


@pytest.mark.parametrize(
    ("budget", "k", "largest"),
    [(99, 0, 0), (100, 1, 1), (250, 2, 2), (300, 2, 3), (499, 4, 4), (500, 4, 5), (10_000, 4, 5)],
)
def test_the_choice_is_the_fewest_results_with_the_recall_of_the_most_that_fit(
    budget: int, k: int, largest: int
) -> None:
    chosen = context_choice(with_recall(0.5, 0.7, 0.7, 0.8, 0.8), TOKENS, budget)
    assert (chosen.k, chosen.largest) == (k, largest)


def test_it_says_what_the_chosen_results_cost_and_bring() -> None:
    assert context_choice(with_recall(0.5, 0.7, 0.7), TOKENS[:3], 350) == ContextChoice(2, 200, 0.8, 0.7, 3)


def test_nothing_is_chosen_if_not_even_one_result_fits() -> None:
    assert context_choice(with_recall(0.5, 0.7), TOKENS[:2], 50) == ContextChoice(0, 0, 0, 0, 0)
    assert context_choice(with_recall(), (), 50) == ContextChoice(0, 0, 0, 0, 0)


@pytest.mark.parametrize(("recall", "k"), [(0.795, 1), (0.7951, 1), (0.7949, 2), (0.79, 2)])
def test_a_gain_of_0_005_is_no_gain(recall: float, k: int) -> None:
    assert context_choice(with_recall(recall, 0.8), TOKENS[:2], 1000).k == k


def test_small_gains_do_not_add_up_to_a_loss() -> None:
    """Each step brings only 0.004, all four 0.016."""
    rising = with_recall(0.7, 0.704, 0.708, 0.712, 0.716)
    assert context_choice(rising, TOKENS, 1000).k == 4


def test_where_nothing_is_ever_found_one_result_is_as_good_as_many() -> None:
    assert context_choice(with_recall(0, 0, 0), TOKENS[:3], 1000).k == 1


def test_a_curve_and_tokens_of_different_depths_are_refused() -> None:
    with pytest.raises(SettingsError, match="2 cutoffs and the tokens have 5"):
        context_choice(with_recall(0.5, 0.7), TOKENS, 1000)


def test_the_tokens_of_the_first_results_are_summed_and_averaged_over_the_questions() -> None:
    run = {"one": ranking("a", "b", "c"), "two": ranking("c", "a"), "not asked": ranking("b")}
    sizes = {"a": 10, "b": 20, "c": 40}
    assert mean_tokens(run, ["one", "two"], sizes, 4) == (
        (10 + 40) / 2,
        (30 + 50) / 2,
        (70 + 50) / 2,
        (70 + 50) / 2,
    )


def test_chunks_that_the_set_does_not_have_and_rankings_that_are_missing_count_0() -> None:
    run = {"one": ranking("gone", "a"), "empty": ()}
    assert mean_tokens(run, ["one"], {"a": 10}, 2) == (0, 10)
    assert mean_tokens(run, ["one", "empty", "missing"], {"a": 15}, 2) == (0, 5)


def test_the_tokens_are_those_of_the_order_rule() -> None:
    untidy = (Hit("b", 0.2), Hit("a", 0.9), Hit("a", 0.1), Hit("c", 0.2))
    assert mean_tokens({"q": untidy}, ["q"], {"a": 1, "b": 10, "c": 100}, 4) == (1, 101, 111, 111)


def test_no_questions_and_no_order_are_errors() -> None:
    with pytest.raises(EmptyResultError, match="no questions"):
        mean_tokens({}, [], {}, 3)
    with pytest.raises(RetrieverError, match="NaN"):
        mean_tokens({"q": (Hit("a", float("nan")),)}, ["q"], {}, 3)


def test_a_choice_from_a_run() -> None:
    """Both golds stand in the first two; the third result costs tokens and brings none."""
    question = judged({"g1": 3, "g2": 3})
    run = {"q": ranking("g1", "g2", "x", "y")}
    tokens = mean_tokens(run, ["q"], dict.fromkeys(["g1", "g2", "x", "y"], 300), 4)
    assert context_choice(curve([question], run, deepest=4), tokens, 1000) == ContextChoice(2, 600, 1, 1, 3)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 500)), min_size=1, max_size=12), st.integers(0, 4000)
)
def test_a_choice_fits_the_budget_and_loses_no_recall(steps: list[tuple[float, int]], budget: int) -> None:
    recall = sorted(found for found, _ in steps)
    tokens = [float(sum(size for _, size in steps[:k])) for k in range(1, len(steps) + 1)]
    chosen = context_choice(with_recall(*recall), tokens, budget)
    if tokens[0] > budget:
        assert chosen.k == chosen.largest == 0
        return
    assert 1 <= chosen.k <= chosen.largest
    assert chosen.tokens == tokens[chosen.k - 1] <= budget
    assert chosen.largest == len(tokens) or tokens[chosen.largest] > budget
    assert chosen.recall >= recall[chosen.largest - 1] - 0.005 - 1e-9
    assert chosen.k == 1 or recall[chosen.k - 2] < recall[chosen.largest - 1] - 0.005 + 1e-9
