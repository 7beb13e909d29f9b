"""Measures of one ranking against graded judgments, each cut at a rank k.

The conventions are those of trec_eval: unjudged is not relevant, P divides by k, AP by R (the number
of relevant chunks), nDCG takes the grade itself as its gain and cuts its ideal ranking at k.
"""

import re
from dataclasses import dataclass
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import SettingsError

MeasureName = Literal["P", "R", "RR", "AP", "AP_min", "nDCG", "nDCG_exp", "Success", "Judged"]

_NAMES: dict[str, MeasureName] = {
    "p": "P",
    "r": "R",
    "rr": "RR",
    "mrr": "RR",
    "ap": "AP",
    "map": "AP",
    "ap_min": "AP_min",
    "ndcg": "nDCG",
    "ndcg_exp": "nDCG_exp",
    "success": "Success",
    "judged": "Judged",
}
_FORM = re.compile(r"([A-Za-z_]+)@([1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure and its cutoff, written ``nDCG@10``.

    P, R (recall), RR (reciprocal rank), AP (divides by R), AP_min (divides by min(R, k)), nDCG (linear
    gain), nDCG_exp (gain 2^grade - 1), Success (any relevant), Judged (share of the retrieved that have
    a verdict).
    """

    name: MeasureName
    k: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``nDCG@10`` in any case; ``MRR`` is RR and ``MAP`` is AP. Raises SettingsError."""
        match = _FORM.fullmatch(text.strip())
        name = _NAMES.get(match[1].casefold()) if match else None
        if match is None or name is None:
            known = ", ".join(get_args(MeasureName))
            raise SettingsError(
                f"unknown measure {text!r}; write NAME@K, such as nDCG@10, NAME one of {known}"
            )
        return cls(name, int(match[2]))

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"


DEFAULT_MEASURES = (
    Measure("nDCG", 10),
    Measure("R", 10),
    Measure("P", 5),
    Measure("RR", 10),
    Measure("AP", 10),
    Measure("Judged", 10),
)


@dataclass(frozen=True, slots=True)
class JudgedRankings:
    """Rankings as numbers: row q is a question, column r the chunk at rank r + 1.

    The columns reach the deepest cutoff; beyond a short ranking they hold zeros.
    """

    gains: NDArray[np.float64]
    """(questions, depth): the grade; 0 where it is negative or there is none."""
    relevant: NDArray[np.bool_]
    """(questions, depth): the grade reaches the binary threshold."""
    judged: NDArray[np.bool_]
    """(questions, depth): there is a verdict."""
    retrieved: NDArray[np.int64]
    """(questions,): how many of the columns are filled."""
    ideal_gains: NDArray[np.float64]
    """(questions, depth): the best grades of the question in descending order."""
    relevant_total: NDArray[np.int64]
    """(questions,): R, at least 1."""

    def values(self, measure: Measure) -> NDArray[np.float64]:
        """The measure for each question, shape (questions,), within [0, 1]."""
        k = measure.k
        relevant = self.relevant[:, :k]
        hits = relevant.sum(axis=1)
        match measure.name:
            case "P":
                return hits / k
            case "R":
                return hits / self.relevant_total
            case "RR":
                return np.where(hits > 0, 1 / (relevant.argmax(axis=1) + 1), 0.0)
            case "AP":
                return _summed_precision(relevant) / self.relevant_total
            case "AP_min":
                return _summed_precision(relevant) / np.minimum(self.relevant_total, k)
            case "nDCG":
                return _dcg(self.gains[:, :k]) / _dcg(self.ideal_gains[:, :k])
            case "nDCG_exp":
                return _dcg(2 ** self.gains[:, :k] - 1) / _dcg(2 ** self.ideal_gains[:, :k] - 1)
            case "Success":
                return (hits > 0).astype(np.float64)
            case "Judged":
                return self.judged[:, :k].sum(axis=1) / np.clip(self.retrieved, 1, k)

    def precision_ceiling(self, k: int) -> float:
        """The mean over the questions of min(R, k) / k: the best that P@k can be on this set."""
        return float(np.mean(np.minimum(self.relevant_total, k) / k))


def _summed_precision(relevant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The precisions at the ranks of the relevant, summed."""
    return (relevant * relevant.cumsum(axis=1) / _ranks(relevant)).sum(axis=1)


def _dcg(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Discounted by log2(rank + 1): Järvelin and Kekäläinen, TOIS 2002, as trec_eval has it."""
    return (gains / np.log2(_ranks(gains) + 1)).sum(axis=1)


def _ranks(rankings: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.float64]:
    """1 to the number of columns."""
    return np.arange(1, len(rankings[0]) + 1, dtype=np.float64)
