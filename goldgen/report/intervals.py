"""The drawing of estimates with their intervals, one below the other: each label stands above its line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldgen.report.canvas import FONT_SIZE, WIDTH, blank, plot, round_ticks, tick_text
from goldgen.report.format import cut_middle
from goldgen.report.style import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _HEADING = 36.0, 24.0
_MARGIN, _TOP, _AXIS = 8.0, 4.0, 42.0
LABEL_COLUMNS = 42


@dataclass(frozen=True, slots=True)
class Estimate:
    """One row. Without ``mid`` it is a heading, or says in ``text`` why there is none."""

    label: str
    text: str = ""
    """Its number, at the right."""
    low: float | None = None
    mid: float | None = None
    high: float | None = None
    colour: str = LIGHT["ink"]
    marker: str = "o"
    hollow: bool = False
    other: float | None = None
    """A second number, drawn as a thin stroke."""
    heading: bool = False


def draw_estimates(
    rows: Sequence[Estimate],
    limits: tuple[float, float],
    axis: str,
    *,
    zero: bool = False,
    band: float | None = None,
) -> "Figure":
    """``band``: differences from 0 that are too small to matter, shaded. Call within ``drawing``."""
    heights = [_HEADING if row.heading else _ROW for row in rows]
    figure = blank(_TOP + sum(heights) + _AXIS)
    axes = plot(figure, _MARGIN, _TOP, WIDTH - 2 * _MARGIN, sum(heights))
    axes.set_xlim(*limits)
    axes.set_ylim(sum(heights), 0)
    ticks = round_ticks(*limits)
    axes.set_xticks(ticks, [tick_text(tick) for tick in ticks])
    axes.set_yticks([])
    axes.set_xlabel(axis, color=LIGHT["muted"], fontsize=FONT_SIZE - 1, labelpad=4)
    _keep_outer_ticks_inside(axes, limits)
    if band is not None:
        axes.axvspan(-band, band, color=LIGHT["tint"], linewidth=0, zorder=0)
    top = 0.0
    for row, height in zip(rows, heights, strict=True):
        if zero:
            axes.plot([0, 0], [top + 17, top + 31], color=LIGHT["muted"], linewidth=1.2, zorder=1)
        _draw_row(axes, row, top)
        top += height
    return figure


def padded(values: Sequence[float], low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    """Limits that hold the values with room beside them, inside ``low`` and ``high``; at least 0.1 wide."""
    least, most = (min(values), max(values)) if values else (low, high)
    room = max(0.08 * (most - least), (0.1 - (most - least)) / 2, 0.01)
    return max(low, least - room), min(high, most + room)


def _draw_row(axes: "Axes", row: Estimate, top: float) -> None:
    place = axes.get_yaxis_transform()
    weight = "bold" if row.heading else "normal"
    baseline = top + (15 if row.heading else 13)
    axes.text(
        0, baseline, cut_middle(row.label, LABEL_COLUMNS), transform=place, color=LIGHT["ink"], weight=weight
    )
    if row.text:
        colour = LIGHT["muted"] if row.mid is None else LIGHT["ink"]
        axes.text(1, baseline, row.text, transform=place, color=colour, horizontalalignment="right")
    if row.mid is None:
        return
    middle = top + 24
    if row.low is not None and row.high is not None:
        axes.plot(
            [row.low, row.high], [middle, middle], color=row.colour, linewidth=2.4, solid_capstyle="round"
        )
    if row.other is not None:
        axes.plot([row.other] * 2, [middle - 5, middle + 5], color=LIGHT["muted"], linewidth=1.4)
    axes.plot(
        [row.mid],
        [middle],
        marker=row.marker,
        markersize=7.5,
        markerfacecolor=LIGHT["surface"] if row.hollow else row.colour,
        markeredgecolor=row.colour if row.hollow else LIGHT["surface"],
        markeredgewidth=1.6 if row.hollow else 0.8,
        linestyle="none",
        clip_on=False,
        zorder=4,
    )


def _keep_outer_ticks_inside(axes: "Axes", limits: tuple[float, float]) -> None:
    width = limits[1] - limits[0]
    for tick, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True):
        if tick - limits[0] < 0.03 * width:
            label.set_horizontalalignment("left")
        elif limits[1] - tick < 0.03 * width:
            label.set_horizontalalignment("right")
