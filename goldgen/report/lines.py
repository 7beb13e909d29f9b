"""The drawing of curves, and of the distributions of scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from goldgen.report.canvas import FONT_SIZE, WIDTH, blank, plot, round_ticks, tick_text
from goldgen.report.format import columns, cut_middle
from goldgen.report.style import LIGHT, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _TOP, _RIGHT, _PLOT, _AXIS = 34.0, 20.0, 10.0, 220.0, 44.0
_LEGEND_ROW = 17.0
_LEGEND_COLUMNS, _HALF_COLUMNS = 46, 19
_RIDGE = 54.0


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    look: Look
    x: Sequence[float]
    y: Sequence[float]
    marked: Sequence[int]
    """Places of the points that carry the marker."""
    ring: tuple[float, float] | None = None
    """A point to be pointed out."""


def draw_lines(
    lines: Sequence[Line],
    *,
    x_axis: str,
    y_axis: str,
    x_limits: tuple[float, float],
    y_limit: float,
    x_ticks: Sequence[float] | None = None,
    ceiling: Sequence[float] | None = None,
) -> "Figure":
    """Curves with their key below. Nothing lies above ``ceiling``, which has one value for each x.

    Call within ``drawing``.
    """
    short = all(columns(line.label) <= _HALF_COLUMNS for line in lines)
    abreast = 2 if short and len(lines) > 1 else 1
    key = _LEGEND_ROW * ceil(len(lines) / abreast)
    figure = blank(_TOP + _PLOT + _AXIS + key + 4)
    axes = plot(figure, _LEFT, _TOP, WIDTH - _LEFT - _RIGHT, _PLOT)
    axes.set_xlim(*x_limits)
    axes.set_ylim(0, y_limit)
    across = list(x_ticks or round_ticks(*x_limits))
    axes.set_xticks(across, [tick_text(tick) for tick in across])
    up = round_ticks(0, y_limit, 6)
    axes.set_yticks(up, [tick_text(tick) for tick in up])
    axes.set_xlabel(x_axis, color=LIGHT["muted"], fontsize=FONT_SIZE - 1, labelpad=4)
    axes.text(
        -(_LEFT - 8) / (WIDTH - _LEFT - _RIGHT), 1 + 8 / _PLOT, y_axis, transform=axes.transAxes,
        color=LIGHT["muted"], fontsize=FONT_SIZE - 1,
    )  # fmt: skip
    if ceiling is not None:
        _draw_ceiling(axes, lines[0].x, ceiling, y_limit)
    for order, line in enumerate(lines):
        _draw_line(axes, line, order)
    _draw_key(figure, lines, abreast, _TOP + _PLOT + _AXIS)
    return figure


def _draw_ceiling(axes: "Axes", x: Sequence[float], ceiling: Sequence[float], top: float) -> None:
    axes.fill_between(x, ceiling, [top] * len(ceiling), color=LIGHT["tint"], linewidth=0, zorder=0.5)
    axes.plot(x, ceiling, color=LIGHT["muted"], linewidth=1, zorder=1)
    axes.text(
        0.985, 0.965, "out of reach with so few golds", transform=axes.transAxes, color=LIGHT["muted"],
        fontsize=FONT_SIZE - 1, horizontalalignment="right", verticalalignment="top",
    )  # fmt: skip


def _draw_line(axes: "Axes", line: Line, order: int) -> None:
    style: str | tuple[float, tuple[float, ...]] = (0, line.look.dashes) if line.look.dashes else "-"
    axes.plot(
        line.x, line.y, color=line.look.colour, linewidth=1.8, linestyle=style, marker=line.look.marker,
        markersize=6, markeredgecolor=LIGHT["surface"], markeredgewidth=0.7, markevery=list(line.marked),
        zorder=3 + order / 100, clip_on=False,
    )  # fmt: skip
    if line.ring is not None:
        axes.plot(
            [line.ring[0]], [line.ring[1]], marker="o", markersize=12, markerfacecolor="none",
            markeredgecolor=line.look.colour, markeredgewidth=1.4, linestyle="none", zorder=5, clip_on=False,
        )  # fmt: skip


def _draw_key(figure: "Figure", lines: Sequence[Line], abreast: int, top: float) -> None:
    height = figure.get_figheight() * 72 - top
    axes = plot(figure, 0, top, WIDTH, height)
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    for place, line in enumerate(lines):
        left = 8 + (place % abreast) * WIDTH / 2
        middle = 8 + (place // abreast) * _LEGEND_ROW
        style: str | tuple[float, tuple[float, ...]] = (0, line.look.dashes) if line.look.dashes else "-"
        axes.plot(
            [left, left + 14, left + 28], [middle] * 3, color=line.look.colour, linewidth=1.8,
            linestyle=style, marker=line.look.marker, markersize=6, markeredgecolor=LIGHT["surface"],
            markeredgewidth=0.7, markevery=[1],
        )  # fmt: skip
        axes.text(left + 36, middle + 4, cut_middle(line.label, _LEGEND_COLUMNS), color=LIGHT["ink"])


@dataclass(frozen=True, slots=True)
class Ridge:
    """One class of hits: the share of its scores in each bin."""

    label: str
    colour: str
    shares: Sequence[float]
    median: float | None


def draw_ridges(edges: Sequence[float], ridges: Sequence[Ridge], axis: str) -> "Figure":
    """Histograms of shares, one below the other over one axis of scores. Call within ``drawing``."""
    figure = blank(6 + len(ridges) * _RIDGE + 40)
    highest = max((share for ridge in ridges for share in ridge.shares), default=0.0) or 1.0
    low, high = edges[0], edges[-1]
    for place, ridge in enumerate(ridges):
        axes = plot(figure, 8, 6 + place * _RIDGE, WIDTH - 16, _RIDGE)
        axes.set_xlim(low, high if high > low else low + 1)
        axes.set_ylim(0, highest * 1.7)
        axes.set_yticks([])
        axes.stairs(
            list(ridge.shares), list(edges), fill=True, color=ridge.colour, alpha=0.35, linewidth=0, zorder=2
        )
        axes.stairs(list(ridge.shares), list(edges), color=ridge.colour, linewidth=1.4, zorder=3)
        if ridge.median is not None:
            axes.plot([ridge.median] * 2, [0, highest * 1.15], color=ridge.colour, linewidth=1.6, zorder=4)
        axes.text(0, 0.8, ridge.label, transform=axes.transAxes, color=LIGHT["ink"])
        ticks = round_ticks(low, high)
        last = place == len(ridges) - 1
        axes.set_xticks(ticks, [tick_text(tick) for tick in ticks] if last else [""] * len(ticks))
        if last:
            axes.set_xlabel(axis, color=LIGHT["muted"], fontsize=FONT_SIZE - 1, labelpad=4)
    return figure
