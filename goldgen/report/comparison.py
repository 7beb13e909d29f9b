"""Retrievers side by side: means, intervals, paired differences, and what may have favoured one."""

from collections.abc import Sequence

from goldgen.evaluation.report import PairedDifference, Report, RetrieverResult
from goldgen.report.canvas import drawing
from goldgen.report.figure import ReportFigure
from goldgen.report.format import (
    MISSING,
    columns,
    cut_middle,
    interval,
    listed,
    measure_title,
    number,
    p_value,
    percent,
    signed,
)
from goldgen.report.intervals import LABEL_COLUMNS, Estimate, draw_estimates, padded
from goldgen.report.style import Looks
from goldgen.report.table import Cell, Table, count, marked, marks, measured, named

_HEADLINE = ("nDCG@10", "P@5", "R@5", "RR@10", "AP@10")
_MOST = 6
_MOST_PAIRS = 10


def headline(report: Report) -> tuple[str, ...]:
    """The measures of the first table, the primary one first."""
    known = list(report.retrievers[0].means) if report.retrievers else []
    usual = [measure for measure in _HEADLINE if measure in known]
    others = usual if len(usual) > 1 else known
    return tuple(dict.fromkeys((report.primary, *others)))[:_MOST]


def comparison_table(report: Report) -> Table:
    measures = headline(report)
    rows = [
        (
            named(result.label, marked(result)),
            measured(
                result.label,
                report.primary,
                result.means.get(report.primary),
                note=interval(*result.interval),
            ),
            *(measured(result.label, measure, result.means.get(measure)) for measure in measures[1:]),
            measured(result.label, "Judged@10", result.judged, percent(result.judged)),
            measured(result.label, "confusion", result.confusion, percent(result.confusion)),
            measured(result.label, "milliseconds", result.milliseconds, number(result.milliseconds, 1)),
        )
        for result in report.retrievers
    ]
    return Table.of(
        "Means over the questions with gold; below the first, its 95% interval",
        ("retriever",),
        (*map(measure_title, measures), "judged", "confused", "ms"),
        rows,
        "Judged: share of the first ten hits that have a verdict. Confused: share of the near misses that "
        "stand above every gold chunk. ms: median time of a query.",
    )


def measures_table(report: Report) -> Table:
    """Every measure of every retriever, with the ceiling of precision."""
    labels = [cut_middle(marked(result), 28) for result in report.retrievers]
    measures = dict.fromkeys(measure for result in report.retrievers for measure in result.means)
    rows = [
        (
            Cell(measure_title(measure)),
            *(measured(result.label, measure, result.means.get(measure)) for result in report.retrievers),
            Cell(number(report.ceilings[measure]), report.ceilings[measure])
            if measure in report.ceilings
            else Cell(""),
        )
        for measure in measures
    ]
    return Table.of(
        "Every measure", ("measure",), (*labels, "at best"), rows,
        "At best: a question with fewer than K golds cannot reach P@K 1.",
    )  # fmt: skip


def differences_table(report: Report) -> Table:
    labels = marks(report)
    rows = [
        (
            named(pair.better, labels.get(pair.better, pair.better)),
            named(pair.worse, labels.get(pair.worse, pair.worse)),
            Cell("yes" if pair.is_told_apart else "no"),
            Cell(signed(pair.mean), pair.mean, pair.better, f"difference to {pair.worse}"),
            Cell(f"{signed(pair.low)} to {signed(pair.high)}"),
            Cell(p_value(pair.p), pair.p),
            Cell(number(pair.effect, 2), pair.effect),
            Cell(MISSING) if pair.needed is None else count(pair.needed.questions),
        )
        for pair in report.differences
    ]
    return Table.of(
        f"Paired differences in {measure_title(report.primary)}",
        ("ahead", "behind", "told apart"),
        ("difference", "95% interval", "p", "effect", f"needed for {report.delta:g}"),
        rows,
        "p: Fisher randomisation over sources, corrected for all pairs (Holm). Effect: mean by standard "
        f"deviation. Needed: questions that would show a difference of {report.delta:g}, if it is there.",
    )


def origins_table(report: Report) -> Table:
    """The primary measure by origin, and without the labels that a retriever alone proposed."""
    pooled = any(result.without_own for result in report.retrievers)
    rows = [
        (
            named(result.label, marked(result)),
            *(
                measured(result.label, f"{report.primary} {origin}", result.by_origin.get(origin))
                for origin in report.by_origin
            ),
            *((_without_own(result),) if pooled else ()),
        )
        for result in report.retrievers
    ]
    own = ("without own",) if pooled else ()
    origins = (f"{origin} (n = {questions:,})" for origin, questions in report.by_origin.items())
    note = (
        "Without own: gold that only this retriever proposed is left out, over the questions that keep a "
        "gold, with the difference to all labels."
    )
    return Table.of(
        f"{measure_title(report.primary)} by origin of the question", ("retriever",), (*origins, *own), rows,
        note if pooled else "",
    )  # fmt: skip


def _without_own(result: RetrieverResult) -> Cell:
    own = result.without_own
    if own is None:
        return Cell("")
    if own.mean is None or own.difference is None:
        return Cell("no gold left")
    return measured(result.label, "without own", own.mean, note=signed(own.difference))


def remarks(report: Report) -> tuple[tuple[str, str], ...]:
    """What was odd about a retriever's rankings: its label and a sentence."""
    return tuple((marked(result), said) for result in report.retrievers if (said := _remark(result)))


def _remark(result: RetrieverResult) -> str:
    parts: list[str] = []
    if result.tied_share >= 0.0005:
        parts.append(f"{result.tied_share:.1%} of the ranks are tied")
    if result.duplicates:
        parts.append(f"{result.duplicates:,} duplicate hits were left out")
    own = result.without_own
    if own is not None and own.golds:
        lost = f", and {own.questions:,} questions have no other" if own.questions else ""
        parts.append(f"{own.golds:,} golds were proposed by it alone{lost}")
    if result.replies is not None:
        found = result.replies
        parts.append("its confusion is n/a, since goldgen cannot put near misses into its index")
        counts = (
            (found.unknown, f"of {found.hits:,} hits name no chunk of the set"),
            (found.repeated, "repeated hits were left out"),
        )
        parts.extend(f"{value:,} {what}" for value, what in counts if value)
    if result.missing:
        many = "question has" if result.missing == 1 else "questions have"
        parts.append(f"{result.missing:,} {many} no hit and count 0")
    if result.reservations:
        parts.append(result.reservations.rstrip("."))
    return "; ".join(parts)


def means_figure(report: Report) -> ReportFigure:
    looks = Looks.of(report)
    title = measure_title(report.primary)
    rows = [
        Estimate(
            marked(result),
            number(mean),
            result.interval[0],
            mean,
            result.interval[1],
            looks[result.label].colour,
            looks[result.label].marker,
        )
        for result in report.retrievers
        if (mean := result.means.get(report.primary)) is not None
    ]
    limits = padded([value for row in rows for value in (row.low, row.mid, row.high) if value is not None])
    with drawing():
        figure = draw_estimates(rows, limits, f"mean {title}, with 95% interval")
    said = listed(f"{row.label} {row.text} ({interval(row.low, row.high)})" for row in rows)
    table = Table.of(
        f"Mean {title}", ("retriever",), ("mean", "low", "high"),
        [
            (
                named(result.label, marked(result)),
                measured(result.label, report.primary, result.means.get(report.primary)),
                *(
                    measured(result.label, f"{report.primary} {end}", value)
                    for end, value in zip(("low", "high"), result.interval, strict=True)
                ),
            )
            for result in report.retrievers
        ],
    )  # fmt: skip
    return ReportFigure(
        "means", f"{title} of each retriever", f"Means with 95% intervals: {said}.", table, figure,
        "Two intervals that overlap may still differ: the paired differences tell." if len(rows) > 1 else "",
    )  # fmt: skip


def differences_figure(report: Report) -> ReportFigure | None:
    """The pairs, or those of the leader where there are many; None for a single retriever."""
    pairs = _drawn(report)
    if not pairs:
        return None
    labels, looks = marks(report), Looks.of(report)
    rows = [
        Estimate(
            _over(labels.get(pair.better, pair.better), labels.get(pair.worse, pair.worse)),
            signed(pair.mean),
            pair.low,
            pair.mean,
            pair.high,
            looks[pair.better].colour,
            looks[pair.better].marker,
            hollow=not pair.is_told_apart,
        )
        for pair in pairs
    ]
    limits = padded([0.0, *(value for pair in pairs for value in (pair.low, pair.high))], -1.0, 1.0)
    axis = f"difference in {measure_title(report.primary)}, with 95% interval"
    with drawing():
        figure = draw_estimates(rows, limits, axis, zero=True, band=report.delta)
    said = "; ".join(f"{row.label} {row.text}, {interval(row.low, row.high)}" for row in rows)
    of_all = len(report.differences)
    left_out = f" Those of the leader; all {of_all} pairs stand below." if len(pairs) < of_all else ""
    return ReportFigure(
        "differences",
        "Paired differences",
        f"Paired differences with 95% intervals: {said}.",
        _differences_drawn(report, pairs),
        figure,
        f"Hollow: not told apart. Shaded: below {report.delta:g}, the difference worth seeing.{left_out}",
    )


def _drawn(report: Report) -> tuple[PairedDifference, ...]:
    if len(report.differences) <= _MOST_PAIRS:
        return report.differences
    best = max(report.retrievers, key=lambda result: result.means[report.primary]).label
    return tuple(pair for pair in report.differences if best in (pair.better, pair.worse))


def _over(better: str, worse: str) -> str:
    whole = f"{better} over {worse}"
    if columns(whole) <= LABEL_COLUMNS:
        return whole
    half = (LABEL_COLUMNS - len(" over ")) // 2
    return f"{cut_middle(better, half)} over {cut_middle(worse, half)}"


def _differences_drawn(report: Report, pairs: Sequence[PairedDifference]) -> Table:
    labels = marks(report)
    rows = [
        (
            named(pair.better, labels.get(pair.better, pair.better)),
            named(pair.worse, labels.get(pair.worse, pair.worse)),
            *(Cell(signed(value), value) for value in (pair.mean, pair.low, pair.high)),
        )
        for pair in pairs
    ]
    return Table.of("Paired differences", ("ahead", "behind"), ("difference", "low", "high"), rows)
