"""How many results are worth handing to a language model that has room for so many tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation.curves import Curve
from goldgen.evaluation.ordering import in_order
from goldgen.types import Ranking

_NO_MORE = 0.005
"""Recall that is not worth more results: one gold chunk in 200."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ContextChoice:
    """The number of results for a budget."""

    k: int
    """0 if not even one result fits in the mean."""
    tokens: float
    """Mean tokens of the first k results."""
    precision: float
    recall: float
    largest: int
    """The most results whose mean tokens fit, as far as the curve goes; ``k`` is lower where more bring no
    recall."""


def context_choice(curve: Curve, tokens: Sequence[float], budget: int) -> ContextChoice:
    """The number of results worth handing on within ``budget`` tokens.

    The model cannot answer from what it is not given, so recall decides: the choice has the recall of the
    most results that fit, within 0.005, with as few results as that takes. Those left out would cost tokens
    and lower precision, and bring no more. The 0.005 are counted from the most that fit, so that many small
    gains do not add up to a loss.

    ``tokens[k - 1]`` is the mean for the first k results, as ``mean_tokens`` gives it: single questions may
    need more than the budget. Raises SettingsError if the curve has another number of cutoffs.
    """
    if len(tokens) != len(curve.cutoffs):
        raise SettingsError(
            f"the curve has {len(curve.cutoffs)} cutoffs and the tokens have {len(tokens)}; "
            "take both to the same depth"
        )
    largest = max((k for k in curve.cutoffs if tokens[k - 1] <= budget), default=0)
    if not largest:
        return ContextChoice(0, 0.0, 0.0, 0.0, 0)
    enough = curve.recall[largest - 1] - _NO_MORE - _ROUNDING
    k = next(k for k in curve.cutoffs if curve.recall[k - 1] >= enough)
    return ContextChoice(k, tokens[k - 1], curve.precision[k - 1], curve.recall[k - 1], largest)


def mean_tokens(
    run: Mapping[str, Ranking], question_ids: Sequence[str], sizes: Mapping[str, int], deepest: int
) -> tuple[float, ...]:
    """The mean tokens of the first 1, 2, … ``deepest`` results over the questions named.

    ``sizes`` maps chunk ids to tokens. A chunk that is not in it counts 0, for nobody knows its text, and so
    does a place beyond the end of a ranking, or a question without one. Raises EmptyResultError without
    questions, RetrieverError for a NaN score.
    """
    if not question_ids:
        raise EmptyResultError("no tokens to count: there are no questions; name at least one")
    tokens = np.zeros((len(question_ids), deepest))
    for row, question_id in enumerate(question_ids):
        first = in_order(question_id, run.get(question_id, ()))[:deepest]
        tokens[row, : len(first)] = [sizes.get(hit.chunk_id, 0) for hit in first]
    return tuple(tokens.cumsum(axis=1).mean(axis=0).tolist())
