"""Figures drawn with matplotlib: sizes in CSS pixels, one font, nothing of the user's own settings."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from goldgen.errors import SettingsError
from goldgen.report.style import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 360
"""Of every figure: what a phone shows without scaling."""
FONT_SIZE = 11.0
_POINTS = 72
# For scripts that DejaVu Sans lacks, in PNG only; a page takes the reader's fonts.
_MORE_FONTS = (
    "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans Arabic",
    "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "WenQuanYi Micro Hei", "PingFang SC",
    "Hiragino Sans", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS",
)  # fmt: skip


@contextmanager
def drawing() -> Generator[None]:
    """Within it, figures are made and saved the same way on every machine.

    Raises SettingsError if matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.font_manager import fontManager
    except ImportError as error:
        raise SettingsError(
            'figures need matplotlib, which is not installed; pip install "goldgen[report]"'
        ) from error
    installed = {font.name for font in fontManager.ttflist}
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["svg.hashsalt"] = "goldgen"
        mpl.rcParams["font.family"] = ["DejaVu Sans", *(name for name in _MORE_FONTS if name in installed)]
        mpl.rcParams["font.size"] = FONT_SIZE
        # A label with two dollar signs is a label.
        mpl.rcParams["text.parse_math"] = False
        yield


def blank(height: float) -> "Figure":
    """A figure of ``WIDTH`` by ``height`` pixels."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / _POINTS, height / _POINTS), dpi=_POINTS, facecolor=LIGHT["surface"])


def plot(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """A plot with its upper left corner at ``left`` and ``top``, in pixels, with a quiet frame."""
    total = figure.get_figheight() * _POINTS
    box = (left / WIDTH, 1 - (top + height) / total, width / WIDTH, height / total)
    axes = figure.add_axes(box, facecolor="none")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(LIGHT["line"])
    axes.tick_params(length=0, labelcolor=LIGHT["muted"], labelsize=FONT_SIZE - 1, pad=5)
    axes.grid(color=LIGHT["line"], linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from ``low`` to ``high``, ``most`` at most."""
    if not high > low:
        return [low]
    rough = (high - low) / (most - 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-6), floor(high / step + 1e-6)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A number as short as it is, with a true minus sign."""
    return f"{value:g}".replace("-", "−")
