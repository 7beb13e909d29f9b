"""Colours, markers and dashes: one look for each retriever, the same in every figure and table.

Every colour has a light and a dark form, and a name under which the page's style sheet knows both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.evaluation.report import Report

LIGHT = {
    "surface": "#ffffff",
    "tint": "#f5f3ee",
    "ink": "#1c2127",
    "muted": "#59616b",
    "line": "#d9d8d3",
    "accent": "#7d5a00",
    "good": "#17663c",
    "bad": "#a32b16",
    "score-gold": "#9a6f05",
    "score-near-miss": "#b03a2e",
    "score-other": "#68717c",
    "series-1": "#1d5fa6",
    "series-2": "#c2500b",
    "series-3": "#14805a",
    "series-4": "#a2317b",
    "series-5": "#3b2f12",
    "series-6": "#0a7d94",
    "series-7": "#8a5fe6",
    "series-8": "#7d858f",
}
DARK = {
    "surface": "#14171b",
    "tint": "#1d2126",
    "ink": "#e8eaec",
    "muted": "#a3abb5",
    "line": "#353b43",
    "accent": "#e3bb57",
    "good": "#6fce99",
    "bad": "#f5917f",
    "score-gold": "#dfb54c",
    "score-near-miss": "#f08a7b",
    "score-other": "#98a2ae",
    "series-1": "#79b3f4",
    "series-2": "#ff9b57",
    "series-3": "#57cb9c",
    "series-4": "#ee8bc7",
    "series-5": "#f4e9c4",
    "series-6": "#56c6dc",
    "series-7": "#8d6cf2",
    "series-8": "#7f8994",
}
_SERIES = 8
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
_DASHES = (
    (),
    (5.0, 2.0),
    (1.5, 1.5),
    (6.0, 2.0, 1.5, 2.0),
    (8.0, 3.0),
    (3.0, 1.0),
    (1.0, 2.5),
    (4.0, 1.5, 1.0, 1.5),
)
# The same shapes for the keys beside names, about the middle of a box of 24 by 10.
_SHAPES = {
    "o": "M8.2 5a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z",
    "s": "M8.6 1.6h6.8v6.8h-6.8z",
    "^": "M12 .8l4.2 7.8h-8.4z",
    "D": "M12 .4l4.6 4.6l-4.6 4.6l-4.6-4.6z",
    "v": "M12 9.2l4.2-7.8h-8.4z",
    "P": "M10.6 1h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6v-2.8h2.6z",
    "X": "M9.6.9L12 3.3L14.4.9L16.1 2.6L13.7 5L16.1 7.4L14.4 9.1L12 6.7L9.6 9.1L7.9 7.4L10.3 5L7.9 2.6z",
    "p": "M12 .7l4.3 3.1l-1.6 5h-5.4l-1.6-5z",
}


@dataclass(frozen=True, slots=True)
class Look:
    """How one retriever is drawn."""

    place: int
    """Among the retrievers, from 0."""
    name: str
    """Of its colour."""
    marker: str
    """Of matplotlib."""
    dashes: tuple[float, ...]
    """Lengths in points; empty for a solid line."""

    @property
    def colour(self) -> str:
        """For light pages."""
        return LIGHT[self.name]

    @property
    def shape(self) -> str:
        """The marker as the path of an SVG of 24 by 10."""
        return _SHAPES[self.marker]


def look(index: int) -> Look:
    """Of the retriever at that place; what shares a colour differs in marker and dash."""
    turn = index // _SERIES
    other = (index + 3 * turn) % _SERIES
    return Look(index, f"series-{index % _SERIES + 1}", _MARKERS[other], _DASHES[other])


@dataclass(frozen=True, slots=True)
class Looks:
    """The look of each retriever of a report, by its label."""

    by_label: dict[str, Look]

    @classmethod
    def of(cls, report: Report) -> "Looks":
        return cls({result.label: look(index) for index, result in enumerate(report.retrievers)})

    def __getitem__(self, label: str) -> Look:
        return self.by_label.get(label) or look(len(self.by_label))


def style_properties(colours: dict[str, str]) -> str:
    """As custom properties of CSS."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def svg_dashes(dashes: Sequence[float]) -> str:
    """For ``stroke-dasharray``."""
    return " ".join(f"{length:g}" for length in dashes) or "none"
