"""Where a retriever is weak: slices, and the questions that one loses and another wins."""

from dataclasses import dataclass

from goldgen.evaluation.failures import Failure, Instead
from goldgen.evaluation.report import GoldChunk, QuestionOutcome, Report
from goldgen.evaluation.slices import Slice
from goldgen.report.canvas import drawing
from goldgen.report.figure import ReportFigure
from goldgen.report.format import columns, cut, cut_front, cut_middle, interval, listed, measure_title, number
from goldgen.report.intervals import LABEL_COLUMNS, Estimate, draw_estimates, padded
from goldgen.report.style import Looks
from goldgen.report.table import Cell, Table, count, marks, measured, named

WORST = 15
_IN_WORDS = 5
MOST_FAILURES = 200
_EXCERPT = 360
_QUOTE = 600


def slices_figure(report: Report) -> ReportFigure | None:
    """The worst slices; None without any."""
    worst = report.weak_slices[:WORST]
    if not worst:
        return None
    labels, looks = marks(report), Looks.of(report)
    rows = [
        Estimate(
            _label(found, labels.get(found.retriever, found.retriever)),
            number(found.mean),
            found.low,
            found.mean,
            found.high,
            looks[found.retriever].colour,
            looks[found.retriever].marker,
            other=found.rest,
        )
        for found in worst
    ]
    values = [value for row in rows for value in (row.low, row.mid, row.high, row.other) if value is not None]
    title = measure_title(report.primary)
    with drawing():
        figure = draw_estimates(rows, padded(values), f"mean {title}, with 95% interval")
    said = "; ".join(f"{row.label} {row.text}" for row in rows[:5])
    return ReportFigure(
        "slices", "The worst slices", f"The {len(rows)} worst slices by {title}, the worst first: {said}.",
        slices_table(report, worst), figure, "The thin stroke is the mean of all other questions.",
    )  # fmt: skip


def _label(found: Slice, retriever: str) -> str:
    end = f" · {cut_middle(retriever, 14)}"
    room = LABEL_COLUMNS - columns(end) - len(found.trait) - 1
    value = cut_front(found.value, room) if found.trait == "document" else cut(found.value, room)
    return f"{found.trait} {value}{end}"


def slices_in_words(report: Report) -> tuple[str, ...]:
    """The very worst slices, a sentence each."""
    labels = marks(report)
    return tuple(
        f"{labels.get(found.retriever, found.retriever)}, {found.trait} {found.value}: {number(found.mean)} "
        f"over {found.questions:,} {'question' if found.questions == 1 else 'questions'}"
        + (f"; all others {number(found.rest)}." if found.rest is not None else ".")
        for found in report.weak_slices[:_IN_WORDS]
    )


def slices_table(report: Report, slices: tuple[Slice, ...]) -> Table:
    labels = marks(report)
    rows = [
        (
            Cell(found.trait),
            Cell(found.value, path=found.trait == "document"),
            named(found.retriever, labels.get(found.retriever, found.retriever)),
            count(found.questions),
            count(found.clusters),
            measured(found.retriever, f"{report.primary} {found.trait}={found.value}", found.mean),
            Cell(interval(found.low, found.high), found.low),
            Cell(number(found.rest), found.rest),
        )
        for found in slices
    ]
    return Table.of(
        f"{measure_title(report.primary)} by kind of question, the worst first",
        ("trait", "value", "retriever"),
        ("questions", "sources", "mean", "95% interval", "all others"),
        rows,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that a failure rests on."""

    heading: str
    document: str
    text: str


@dataclass(frozen=True, slots=True)
class LostQuestion:
    """A failure, ready to be read."""

    retriever: str
    question: str
    said: str
    golds: tuple[Evidence, ...]
    instead: tuple[Evidence, ...]
    ranks: tuple[tuple[str, str, int | None], ...]
    """Label, label with its dagger, and the rank of the first gold in that retriever."""


def lost_questions(report: Report) -> tuple[LostQuestion, ...]:
    """The first failures with their evidence; how many there are in all, the report itself tells."""
    outcomes = {outcome.question_id: outcome for outcome in report.outcomes}
    return tuple(
        _lost(report, failure, outcome)
        for failure in report.failures[:MOST_FAILURES]
        if (outcome := outcomes.get(failure.question_id)) is not None
    )


def _lost(report: Report, failure: Failure, outcome: QuestionOutcome) -> LostQuestion:
    labels = marks(report)
    lost = labels.get(failure.lost_by, failure.lost_by)
    won = listed(labels.get(label, label) for label in failure.won_by)
    where = (
        f"its gold stands at rank {failure.rank}"
        if failure.rank is not None
        else "its gold was never retrieved"
    )
    return LostQuestion(
        failure.lost_by,
        outcome.text,
        f"Lost by {lost}, {f'won by {won}' if won else 'won by none'}: {where}.",
        tuple(_gold(report, gold) for gold in outcome.golds),
        tuple(_instead(report, hit) for hit in failure.instead),
        tuple((label, text, outcome.first_gold.get(label)) for label, text in labels.items()),
    )


def _gold(report: Report, gold: GoldChunk) -> Evidence:
    document, text = report.texts.get(gold.chunk_id, (gold.document, ""))
    return Evidence(
        f"grade {gold.grade:g}", document or gold.document or gold.chunk_id, cut(gold.quote or text, _QUOTE)
    )


def _instead(report: Report, hit: Instead) -> Evidence:
    document, text = report.texts.get(hit.chunk_id, ("", ""))
    kind = hit.kind if hit.grade is None else f"{hit.kind}, grade {hit.grade:g}"
    return Evidence(
        f"rank {hit.rank}, {kind}, score {number(hit.score)}", document or hit.chunk_id, cut(text, _EXCERPT)
    )
