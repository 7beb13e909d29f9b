"""Units to chunks: of all ways to put neighbours together, the one that costs least."""

from collections.abc import Sequence

from goldgen.corpus.measure import Measure
from goldgen.corpus.units import Unit

_UNDER = 3.0
"""The cost of an empty chunk; one of the minimum costs nothing."""
_EVEN = 0.5
"""Evens the sizes: grows with the square of what a chunk lacks to the limit."""


def pack(units: Sequence[Unit], measure: Measure, limit: int, minimum: int) -> list[tuple[int, int]]:
    """Spans over neighbouring units that measure ``limit`` at most, cheapest in sum (dynamic programming).

    The costs are those of the cuts, of chunks below ``minimum``, and of uneven sizes.
    """
    best = [0.0]
    """The cost of the units before this one, well packed."""
    firsts: list[int] = []
    """The first unit of the chunk that ends with this one."""
    for last, unit in enumerate(units):
        cheapest, first = float("inf"), last
        for at in range(last, -1, -1):
            size = measure(units[at].start, unit.end)
            if size > limit and at < last:
                break
            cut = units[at].cost if at else 0.0
            cost = best[at] + cut + _UNDER * max(0.0, 1 - size / minimum) + _EVEN * (1 - size / limit) ** 2
            if cost < cheapest:
                cheapest, first = cost, at
            if units[at].starts_chunk:
                break
        best.append(cheapest)
        firsts.append(first)
    spans: list[tuple[int, int]] = []
    last = len(units) - 1
    while last >= 0:
        spans.append((units[firsts[last]].start, units[last].end))
        last = firsts[last] - 1
    return spans[::-1]
