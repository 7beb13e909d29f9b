"""Which styles of question are asked about which chunk."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.prompts import Style
from goldgen.text import stable_id


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
        """All styles that one chunk is enough for, equally often: others are asked for by name."""
        return cls(styles, {name: 1 for name, style in styles.items() if style.needs == "chunk"})

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


def _spread(styles: Sequence[Style], weights: Mapping[str, int]) -> tuple[Style, ...]:
    """Each style as often as its weight says, as far from itself as the others allow."""
    places = (
        ((turn + 0.5) / weights[style.name], style.name, style)
        for style in styles
        for turn in range(weights[style.name])
    )
    return tuple(style for _, _, style in sorted(places, key=lambda place: place[:2]))
