"""Which styles of question are asked about which chunk."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.prompts import Style
from goldgen.text import stable_id

_STEPS = 20
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Slot:
    """One question to ask for. ``key`` names it in the reply; it is the style's name if that comes once."""

    key: str
    style: Style


class StyleMix:
    """Styles by weight, spread evenly: a chunk takes the next ones of a round, from where its id says.

    So a larger sample, or another document, does not change what was asked about a chunk before.
    """

    def __init__(self, styles: Mapping[str, Style], weights: Mapping[str, int]) -> None:
        """``weights``: names of ``styles``, each 1 or more; a style of weight 2 comes twice as often."""
        self._round = _spread([styles[name] for name in sorted(weights)], weights)

    @classmethod
    def usual(cls, styles: Mapping[str, Style]) -> "StyleMix":
        """All styles that one chunk is enough for, equally often, but those asked for by name only."""
        return cls(styles, {name: 1 for name, style in styles.items() if style.is_usual})

    @property
    def styles(self) -> int:
        """How many different ones there are."""
        return len({style.name for style in self._round})

    def slots(self, chunk_id: str, count: int) -> tuple[Slot, ...]:
        """The first ``count`` of the chunk; those of a smaller count are the same."""
        first = int(stable_id(chunk_id)[:8], 16)
        seen: Counter[str] = Counter()
        slots: list[Slot] = []
        for turn in range(count):
            style = self._round[(first + turn) % len(self._round)]
            seen[style.name] += 1
            times = seen[style.name]
            slots.append(Slot(style.name if times == 1 else f"{style.name}_{times}", style))
        return tuple(slots)


def matched_weights(counts: Mapping[str, float], untold: float, usual: Sequence[str]) -> dict[str, int]:
    """Weights of styles after how often each was asked, in steps of 5%: they sum up to 20.

    ``untold``, what has no known style, is spread over the ``usual`` ones. Coarse, so that a few more queries
    in the logs mostly leave the mix as it was. Remainders go to the largest (Hamilton's method).
    """
    parts = {name: counts.get(name, 0.0) + untold / len(usual) for name in (*usual, *counts)}
    whole = sum(parts.values())
    exact = {name: _STEPS * part / whole for name, part in parts.items()}
    weights = {name: int(share + _ROUNDING) for name, share in exact.items()}
    behind = sorted(exact, key=lambda name: (weights[name] - exact[name], -exact[name], name))
    for name in behind[: _STEPS - sum(weights.values())]:
        weights[name] += 1
    return {name: weight for name, weight in weights.items() if weight}


def _spread(styles: Sequence[Style], weights: Mapping[str, int]) -> tuple[Style, ...]:
    """Each style as often as its weight says, as far from itself as the others allow."""
    places = (
        ((turn + 0.5) / weights[style.name], style.name, style)
        for style in styles
        for turn in range(weights[style.name])
    )
    return tuple(style for _, _, style in sorted(places, key=lambda place: place[:2]))
