"""Precision and recall over the number of results, which retriever lies above, and the K for a context."""

from itertools import combinations

from goldgen.evaluation.curves import Curve, dominance
from goldgen.evaluation.report import Report, RetrieverResult
from goldgen.report.canvas import drawing
from goldgen.report.figure import ReportFigure
from goldgen.report.format import cut_middle, number, ranges
from goldgen.report.lines import Line, draw_lines
from goldgen.report.style import Looks
from goldgen.report.table import Cell, Column, Table, count, marked, marks, measured, named

_MARKED = (1, 3, 5, 10, 15, 20)
_K = "K\u00a0=\u00a0"


def deepest(report: Report) -> int:
    return max((len(result.curve.precision) for result in report.retrievers), default=0)


def curve_figures(report: Report) -> tuple[ReportFigure, ...]:
    """Recall over K, precision over K, and one over the other; none without curves."""
    if not deepest(report):
        return ()
    return _over_k(report, "recall"), _over_k(report, "precision"), _recall_precision(report)


def _over_k(report: Report, which: str) -> ReportFigure:
    k = deepest(report)
    looks = Looks.of(report)
    lines = [
        Line(
            marked(result),
            looks[result.label],
            list(result.curve.cutoffs),
            _values(result.curve, which),
            _marked(result.curve),
            _ring(result, which),
        )
        for result in report.retrievers
    ]
    ceiling = report.retrievers[0].curve.ceiling if which == "precision" else None
    highest = max(value for line in lines for value in (*line.y, *(ceiling or ())))
    top = 1.0 if which == "recall" else min(1.0, max(0.1, highest * 1.15))
    with drawing():
        figure = draw_lines(
            lines,
            x_axis="K, the number of results",
            y_axis=f"{which} at K",
            x_limits=(1, max(k, 2)),
            y_limit=top,
            x_ticks=[tick for tick in _MARKED if tick <= max(k, 1)],
            ceiling=ceiling,
        )
    letter = which[0].upper()
    said = "; ".join(
        f"{line.label} from {number(line.y[0])} at 1 to {number(line.y[-1])} at {len(line.y)}"
        for line in lines
    )
    return ReportFigure(
        which,
        f"{which.capitalize()} over K",
        f"{which.capitalize()} over the number of results K from 1 to {k}: {said}.",
        _curve_table(report, letter),
        figure,
        "Ring: the K for the context budget."
        if which == "recall"
        else "Grey: what precision cannot reach, since few questions have K golds.",
    )


def _values(curve: Curve, which: str) -> tuple[float, ...]:
    return curve.recall if which == "recall" else curve.precision


def _marked(curve: Curve) -> list[int]:
    return [k - 1 for k in _MARKED if k <= len(curve.precision)]


def _ring(result: RetrieverResult, which: str) -> tuple[float, float] | None:
    k = result.context.k
    values = _values(result.curve, which)
    return (k, values[k - 1]) if 1 <= k <= len(values) else None


def _recall_precision(report: Report) -> ReportFigure:
    looks = Looks.of(report)
    lines = [
        Line(
            marked(result),
            looks[result.label],
            result.curve.recall,
            result.curve.precision,
            _marked(result.curve),
            _point(result),
        )
        for result in report.retrievers
    ]
    highest = max(value for line in lines for value in line.y)
    with drawing():
        figure = draw_lines(
            lines,
            x_axis="recall at K",
            y_axis="precision at K",
            x_limits=(0, 1),
            y_limit=min(1.0, max(0.1, highest * 1.15)),
        )
    points = ", ".join(str(k) for k in _MARKED if k <= deepest(report))
    said = "; ".join(
        f"{line.label} ends at recall {number(line.x[-1])}, precision {number(line.y[-1])}" for line in lines
    )
    return ReportFigure(
        "recall-precision",
        "Precision over recall",
        f"Precision over recall as K grows from 1 to {deepest(report)}: {said}.",
        _curve_table(report, "RP"),
        figure,
        f"From the left, markers at K = {points}. Ring: the K for the context budget.",
    )


def _point(result: RetrieverResult) -> tuple[float, float] | None:
    k = result.context.k
    if not 1 <= k <= len(result.curve.precision):
        return None
    return result.curve.recall[k - 1], result.curve.precision[k - 1]


def _curve_table(report: Report, letters: str) -> Table:
    labels = marks(report)
    ceiling = report.retrievers[0].curve.ceiling
    at_best = letters == "P"
    columns = [
        f"{cut_middle(labels[result.label], 28)}, {letter}@K"
        for result in report.retrievers
        for letter in letters
    ]
    rows = [
        (
            Cell(str(k), k),
            *(
                measured(result.label, f"{letter}@{k}", values[k - 1] if k <= len(values) else None)
                for result in report.retrievers
                for letter in letters
                for values in [result.curve.recall if letter == "R" else result.curve.precision]
            ),
            *((Cell(number(ceiling[k - 1]), ceiling[k - 1], measure=f"ceiling P@{k}"),) if at_best else ()),
        )
        for k in range(1, deepest(report) + 1)
    ]
    titles = ("K", *columns, *(("at best",) if at_best else ()))
    what = {"R": "Recall", "P": "Precision", "RP": "Recall and precision"}[letters]
    return Table(f"{what} at each K", tuple(map(Column, titles)), tuple(rows))


def dominance_sentences(report: Report) -> tuple[str, ...]:
    """For each pair, whose curve lies above and where; of means only."""
    return tuple(_dominance(a, b) for a, b in combinations(report.retrievers, 2))


def _dominance(a: RetrieverResult, b: RetrieverResult) -> str:
    found = dominance(a.curve, b.curve)
    if found.b_dominates:
        a, b, found = b, a, dominance(b.curve, a.curve)
    if found.a_dominates:
        everywhere = len(found.a_ahead) == len(a.curve.precision)
        where = "at every K" if everywhere else f"at {_K}{ranges(found.a_ahead)} and is level elsewhere"
        return f"{marked(a)} lies above {marked(b)} {where}."
    if not found.a_ahead:
        return f"{marked(a)} and {marked(b)} are level at every K."
    split = sorted(set(found.a_ahead) & set(found.b_ahead))
    parts = (
        (f"{marked(a)} lies above at {_K}", [k for k in found.a_ahead if k not in split]),
        (f"{marked(b)} at {_K}", [k for k in found.b_ahead if k not in split]),
        (f"precision and recall disagree at {_K}", split),
    )
    said = "; ".join(f"{what}{ranges(where)}" for what, where in parts if where)
    return f"{marked(a)} or {marked(b)} depends on K: {said}."


def context_table(report: Report) -> Table:
    rows = [
        (
            named(result.label, marked(result)),
            Cell(
                str(result.context.k) if result.context.k else "none fits",
                result.context.k,
                result.label,
                "K",
            ),
            Cell(number(result.context.tokens, 0), result.context.tokens, result.label, "tokens"),
            measured(result.label, "P@context", result.context.precision),
            measured(result.label, "R@context", result.context.recall),
            count(result.context.largest),
        )
        for result in report.retrievers
    ]
    return Table.of(
        f"The K worth choosing for {report.budget:,} tokens of context",
        ("retriever",),
        ("K", "mean tokens", "precision", "recall", "most that fit"),
        rows,
        "K is smaller than the most that fit where more results bring less than 0.005 of recall; 50 results "
        "are looked at.",
    )
