"""How numbers and foreign text are written: three decimals, labels cut, nothing that breaks a page."""

import unicodedata
from collections.abc import Iterable

MISSING = "n/a"
_MINUS = "−"
_TITLES = {"RR": "MRR", "AP": "MAP"}
# What neither HTML nor XML may hold, where tab and line ends may stay; and what turns the direction of a text
# beyond its end.
_CONTROLS = {*range(32), *range(127, 160), 0xFFFE, 0xFFFF} - {9, 10, 13}
_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_FORBIDDEN = dict.fromkeys(_CONTROLS | _DIRECTIONS, "\ufffd")


def number(value: float | None, digits: int = 3) -> str:
    """``0.812``; n/a for None."""
    if value is None:
        return MISSING
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", _MINUS)


def signed(value: float) -> str:
    """``+0.081``, ``−0.004`` or ``0.000``."""
    text = number(value)
    return f"+{text}" if value > 0 and float(text) != 0 else text


def percent(value: float | None) -> str:
    """``8%``, and ``0.4%`` below one; n/a for None."""
    if value is None:
        return MISSING
    return f"{value:.1%}" if 0 < value < 0.01 else f"{value:.0%}"


def interval(low: float | None, high: float | None) -> str:
    """``0.772 to 0.850``; n/a if either is None."""
    return MISSING if low is None or high is None else f"{number(low)} to {number(high)}"


def p_value(p: float) -> str:
    """Three decimals, and never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def measure_title(measure: str) -> str:
    """As the field writes it: RR@10 is the mean reciprocal rank, MRR@10."""
    name, at, cutoff = measure.partition("@")
    return f"{_TITLES.get(name, name)}{at}{cutoff}"


def listed(names: Iterable[str]) -> str:
    """``a, b and c``."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers with their runs drawn together: ``1–4, 7``."""
    runs: list[tuple[int, int]] = []
    for value in numbers:
        if runs and runs[-1][1] == value - 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)


def clean(text: str) -> str:
    """The text without what a page or a figure cannot hold: control characters, overrides of the
    direction of writing, and lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8").translate(_FORBIDDEN)


def cut(text: str, width: int) -> str:
    """On one line, and at most ``width`` columns wide, where a wide character takes two."""
    line = one_line(text)
    if columns(line) <= width:
        return line
    line = line[:width]
    while columns(line) > width - 1:
        line = line[:-1]
    return line.rstrip() + "…"


def cut_front(text: str, width: int) -> str:
    """As ``cut``, but keeps the end: of a path, it tells more."""
    line = one_line(text)
    return line if columns(line) <= width else f"…{_end(line, width - 1)}"


def cut_middle(text: str, width: int) -> str:
    """As ``cut``, but keeps both ends: long names of retrievers often differ in the last characters only."""
    line = one_line(text)
    if columns(line) <= width:
        return line
    return cut(line, width - width // 3) + _end(line, width // 3)


def _end(line: str, width: int) -> str:
    end = line[-width:]
    while columns(end) > width:
        end = end[1:]
    return end


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
