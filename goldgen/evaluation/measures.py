"""Measures as values, read from text and written as it: ``nDCG@10``, ``bpref``, ``nDCG_cond@10``."""

import re
from dataclasses import dataclass
from typing import Literal, Self, get_args

from goldgen.errors import SettingsError

MeasureName = Literal[
    "P", "R", "RR", "AP", "AP_min", "nDCG", "nDCG_exp", "Success", "AllGold", "Judged", "bpref"
]

_NAMES: dict[str, MeasureName] = {
    **{name.casefold(): name for name in get_args(MeasureName)},
    "mrr": "RR",
    "map": "AP",
    "all_gold": "AllGold",
}
_FORM = re.compile(r"(?P<name>[A-Za-z_]+?)(?P<condensed>_cond|')?(?:@(?P<k>[1-9][0-9]{0,8}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure, its cutoff, and whether it is taken on the condensed list.

    P, R (recall), RR (reciprocal rank), AP (divides by R), AP_min (divides by min(R, k)), nDCG (linear
    gain), nDCG_exp (gain 2^grade - 1), Success (any relevant), AllGold (a whole evidence set; a gold chunk
    that answers alone is a set of one), Judged (share of the retrieved that have a verdict), and bpref, which
    takes the whole ranking and so has no cutoff.

    The condensed list is the ranking without what is unjudged, cut at k afterwards: ``nDCG_cond@10``. Source:
    Sakai, Alternatives to Bpref, SIGIR 2007. Judged and bpref have no such form: it would be 1, and bpref.
    Raises SettingsError for a measure that there is not.
    """

    name: MeasureName
    k: int | None = None
    condensed: bool = False

    def __post_init__(self) -> None:
        if (self.name == "bpref") != (self.k is None):
            wrong = "takes no cutoff; write bpref" if self.k else f"needs a cutoff; write {self.name}@10"
            raise SettingsError(f"the measure {self.name} {wrong}")
        if self.condensed and self.name in ("Judged", "bpref"):
            raise SettingsError(
                f"the measure {self.name} has no condensed form; write {self.name} without it"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``nDCG@10`` in any case; ``MRR`` is RR, ``MAP`` is AP, ``nDCG'@10`` is nDCG_cond@10.

        Raises SettingsError.
        """
        match = _FORM.fullmatch(text.strip())
        name = _NAMES.get(match["name"].casefold()) if match else None
        if match is None or name is None:
            known = ", ".join(get_args(MeasureName))
            raise SettingsError(
                f"unknown measure {text!r}; write NAME@K, such as nDCG@10, NAME one of {known}"
            )
        return cls(name, int(match["k"]) if match["k"] else None, match["condensed"] is not None)

    def __str__(self) -> str:
        return f"{self.name}{'_cond' if self.condensed else ''}{f'@{self.k}' if self.k else ''}"


DEFAULT_MEASURES = (
    Measure("nDCG", 10),
    Measure("R", 10),
    Measure("P", 5),
    Measure("RR", 10),
    Measure("AP", 10),
    Measure("Judged", 10),
)
