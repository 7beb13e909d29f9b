"""What near misses do to each retriever."""

from goldgen.evaluation.report import Report
from goldgen.report.format import MISSING, interval, number, percent, signed
from goldgen.report.table import Cell, Table, count, marked, measured, named

_HEADLINE = "nDCG@10"


def attacks_table(report: Report) -> Table | None:
    """A row for each retriever and kind of near miss; None if the set has none."""
    rows = [
        (
            named(result.label, marked(result)),
            Cell(row.kind.replace("_", " ")),
            count(row.count, "near misses"),
            measured(result.label, "confused", row.rate, percent(row.rate), note=interval(row.low, row.high)),
            measured(
                result.label, "margin", row.margin, MISSING if row.margin is None else signed(row.margin)
            ),
        )
        for result in report.retrievers
        for row in result.attacks
    ]
    if not rows:
        return None
    return Table.of(
        "Near misses that stand above every gold chunk",
        ("retriever", "kind"),
        ("near misses", "above gold", "margin"),
        rows,
        "Margin: the median lead of the best gold chunk, in standard deviations of the scores of the "
        "question's first ten hits. Mined: chunks of the corpus that a judge says do not answer; the others "
        "are written, and each stands in the index for its own question alone.",
    )


def under_attack_table(report: Report) -> Table | None:
    """nDCG@10 without and with all written near misses of a question; None if there are none."""
    rows = [
        (
            named(result.label, marked(result)),
            count(found.questions, "questions attacked"),
            measured(result.label, f"{_HEADLINE} before attack", found.before[_HEADLINE]),
            measured(result.label, f"{_HEADLINE} under attack", found.after[_HEADLINE]),
            Cell(number(found.after["RR@10"]), found.after["RR@10"], result.label, "RR@10 under attack"),
        )
        for result in report.retrievers
        if (found := result.under_attack) is not None
    ]
    if not rows:
        return None
    return Table.of(
        "With all written near misses of a question in the index",
        ("retriever",),
        ("questions", f"{_HEADLINE} without", f"{_HEADLINE} with", "MRR@10 with"),
        rows,
        "Over the questions that have written near misses.",
    )
