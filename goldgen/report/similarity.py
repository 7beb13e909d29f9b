"""Does similarity tell? What the scores of a retriever say of gold, near misses and other hits."""

from math import floor, log10

from goldgen.evaluation.report import Report, RetrieverResult
from goldgen.evaluation.similarity import HighScore, ScoreClass, Similarity
from goldgen.report.canvas import drawing
from goldgen.report.figure import ReportFigure
from goldgen.report.format import cut, cut_middle, listed, number, percent
from goldgen.report.lines import Ridge, draw_ridges
from goldgen.report.style import LIGHT
from goldgen.report.table import Cell, Table, count, marked, measured, named

_EXCERPT = 220
_FIRST = 3


def similarity_figures(report: Report) -> tuple[ReportFigure, ...]:
    """One for each retriever that has scores."""
    return tuple(
        _figure(result, found, place)
        for place, result in enumerate(report.retrievers, start=1)
        if (found := result.similarity) is not None and len(found.edges) > 1
    )


def _figure(result: RetrieverResult, found: Similarity, place: int) -> ReportFigure:
    ridges = [
        _ridge("gold", LIGHT["score-gold"], found.gold),
        _ridge("near misses", LIGHT["score-near-miss"], found.near_miss),
        _ridge("other hits", LIGHT["score-other"], found.other),
    ]
    with drawing():
        figure = draw_ridges(found.edges, ridges, f"score of {cut_middle(result.label, 36)}")
    return ReportFigure(
        f"scores-{place}",
        f"Scores of {marked(result)}",
        f"Distributions of the scores of {marked(result)}: gold has a median of {number(found.gold.median)}, "
        f"near misses {number(found.near_miss.median)}, other hits {number(found.other.median)}.",
        _bins(found),
        figure,
        _in_words(found),
    )


def _ridge(label: str, colour: str, found: ScoreClass) -> Ridge:
    total = sum(found.bins)
    shares = [value / total if total else 0.0 for value in found.bins]
    return Ridge(
        f"{label} ({found.count:,})" if found.count else f"{label}: none", colour, shares, found.median
    )


def _bins(found: Similarity) -> Table:
    width = found.edges[1] - found.edges[0]
    digits = max(0, 1 - floor(log10(width))) if width > 0 else 3
    rows = [
        (
            *(Cell(number(edge, digits), edge) for edge in (low, high)),
            *(count(bins[place]) for bins in (found.gold.bins, found.near_miss.bins, found.other.bins)),
        )
        for place, (low, high) in enumerate(zip(found.edges, found.edges[1:], strict=False))
    ]
    return Table.of("Hits by score", (), ("from", "to", "gold", "near misses", "other"), rows)


def without_scores(report: Report) -> str:
    """Which retrievers have no figure here; "" if all have one."""
    names = [marked(result) for result in report.retrievers if result.similarity is None]
    return f"{listed(names)} {'gives' if len(names) == 1 else 'give'} ranks and no scores." if names else ""


def _in_words(found: Similarity) -> str:
    """What the overlap means."""
    near, other = found.auc_near_miss, found.auc_other
    if not found.comparable:
        near, other = found.auc_near_miss_within, found.auc_other_within
    if near is None and other is None:
        return "There is no gold, or nothing else, among its hits to compare."
    parts: list[str] = []
    if near is not None:
        parts.append(f"a gold hit scores above a near miss {percent(near)} of the time")
    if other is not None:
        parts.append(
            f"above another hit {percent(other)}"
            if parts
            else f"a gold hit scores above another {percent(other)} of the time"
        )
    if not found.comparable:
        return f"Scores compare within one question only. Of one, {', '.join(parts)}. Chance is 50%."
    least = min(value for value in (near, other) if value is not None)
    return f"{_verdict(least)}: {', '.join(parts)}. Chance is 50%."


def _verdict(auc: float) -> str:
    if auc < 0.6:
        return "The score does not tell"
    if auc < 0.8:
        return "The score tells little"
    return "The score tells often" if auc < 0.95 else "The score tells"


def auc_table(report: Report) -> Table | None:
    """None if no retriever has scores."""
    if all(result.similarity is None for result in report.retrievers):
        return None
    rows = [
        (
            named(result.label, marked(result)),
            *(
                measured(result.label, measure, value)
                for measure, value in (
                    ("AUC near miss", found.auc_near_miss if found else None),
                    ("AUC near miss within", found.auc_near_miss_within if found else None),
                    ("AUC other", found.auc_other if found else None),
                    ("AUC other within", found.auc_other_within if found else None),
                )
            ),
        )
        for result in report.retrievers
        for found in [result.similarity]
    ]
    return Table.of(
        "How often gold scores above what does not answer (AUC)",
        ("retriever",),
        ("near miss", "within a question", "other hit", "within a question"),
        rows,
        "Each drawn at random, ties half; 0.5 is chance. Within a question: both drawn from the same "
        "question, which is what ranking sees; a fixed threshold on the score sees the first, which is n/a "
        "for scores that compare within one question only.",
    )


def high_scores_tables(report: Report) -> tuple[Table | None, Table | None]:
    """Wrong hits at rank 1 with the highest scores: the first of each retriever, and the others."""
    return _high_scores(report, slice(_FIRST)), _high_scores(report, slice(_FIRST, None))


def _high_scores(report: Report, which: slice) -> Table | None:
    questions = {outcome.question_id: outcome.text for outcome in report.outcomes}
    rows = [
        (
            named(result.label, marked(result)),
            Cell(questions.get(hit.question_id, hit.question_id)),
            _evidence(report, hit),
            Cell(_kind(hit)),
            measured(result.label, "score", hit.score),
            measured(result.label, "above gold", hit.above_gold, percent(hit.above_gold)),
        )
        for result in report.retrievers
        if result.similarity is not None
        for hit in result.similarity.highest_wrong[which]
    ]
    if not rows:
        return None
    return Table.of(
        "Wrong hits at rank 1 with the highest scores",
        ("retriever", "question", "what it found", "which is"),
        ("score", "gold that scores lower"),
        rows,
    )


def _evidence(report: Report, hit: HighScore) -> Cell:
    document, text = report.texts.get(hit.chunk_id, ("", ""))
    return Cell(document or hit.chunk_id, note=cut(text, _EXCERPT), path=True)


def _kind(hit: HighScore) -> str:
    if hit.is_near_miss:
        return "a near miss"
    return "unjudged" if hit.grade is None else f"grade {hit.grade:g}"
