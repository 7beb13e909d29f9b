"""The set's own proof: what its controls, its readers and its make-up say for and against it."""

from goldgen.evaluation.report import Report, VerifierResult
from goldgen.report.canvas import drawing
from goldgen.report.figure import ReportFigure
from goldgen.report.format import cut, interval, listed, number, percent
from goldgen.report.intervals import Estimate, draw_estimates
from goldgen.report.style import LIGHT
from goldgen.report.table import Cell, Table, count
from goldgen.types import ControlKind

_KINDS: dict[ControlKind, str] = {
    "answer_deleted": "its answer deleted",
    "same_document": "another chunk of the document",
    "neighbour": "nearest neighbour",
    "easy": "easy: any other chunk",
}
_LEAKS = ("with its headings", "copied in a row", "answer inside", "points away")
_SHARED = (
    "Means over the questions with gold. Shared words: the share of a question's words that its gold has "
    "too, weighed by how rare they are, and the same of the headings above it. Copied in a row: its longest "
    "run of words that stands there. Answer inside: it states its own answer, of those that came with one. "
    'Points away: it needs a text beside it ("in this section").'
)
_SHARED_BEFORE = "Shared words: the mean share of a question's words that its gold has too."
_VERDICT_COLOURS = {"proven": LIGHT["good"], "failed": LIGHT["bad"]}


def size(report: Report) -> tuple[tuple[str, str], ...]:
    """The figures at the top of the page: a number and what it counts."""
    counts = (
        (report.questions, "question with gold", "questions with gold"),
        (report.clusters, "source", "sources"),
        (report.chunks, "chunk", "chunks"),
        (report.near_misses, "near miss", "near misses"),
    )
    return tuple((f"{value:,}", one if value == 1 else many) for value, one, many in counts)


def facts(report: Report) -> tuple[tuple[str, str], ...]:
    """How the set was made, a term and its description each."""
    proof = report.proof
    unknown = "not known: the set was imported" if proof.is_imported else ""
    states = ", ".join(f"{value:,} {state}" for state, value in proof.states.items())
    return (
        ("Questions", states or f"{report.questions:,} with gold"),
        ("Without gold", f"{report.excluded:,}, in no mean"),
        ("Unjudged pairs", f"{proof.unjudged_pairs:,}; a hit without a verdict counts as not relevant"),
        ("Verdicts by people", f"{proof.human_verdicts:,}"),
        ("Questions by", unknown or listed(proof.generated_by) or "people or logs only"),
        ("Judged by", unknown or listed(proof.judged_by) or "no model"),
        ("Pooled by", unknown or listed(proof.pooled_by) or "no search"),
        ("Gold", f"from grade {report.threshold:g}"),
        ("Lexical search", _language(report.language)),
    )


def _language(language: str | None) -> str:
    if language is None:
        return "none was measured"
    return "words as they stand" if language == "plain" else f"stems without stop words ({language})"


def trust(report: Report) -> tuple[str, ...]:
    """What people and controls say of wrong golds, in sentences."""
    proof = report.proof
    if proof.is_imported:
        return ("The labels came with the set; goldgen knows nothing of how they were made.",)
    sentences: list[str] = []
    if proof.trusted is not None:
        wrong, read = proof.trusted
        said = (
            f" (95% interval {percent(proof.trusted_interval[0])} to {percent(proof.trusted_interval[1])})"
            if proof.trusted_interval
            else ""
        )
        share = percent(wrong / read) if read else "none"
        sentences.append(
            f"The trusted figure: people read {read:,} accepted pairs drawn at random and found {wrong:,} "
            f"wrong, {share}{said}."
        )
    else:
        sentences.append(
            "Nobody has read a full random sample of the accepted pairs, so there is no trusted figure."
        )
    sentences.extend(
        f"By the controls of {verifier.name}, {percent(verifier.wrong_golds[0])} to "
        f"{percent(verifier.wrong_golds[1])} of the golds are expected to be wrong; that is an estimate."
        for verifier in proof.verifiers
        if verifier.wrong_golds is not None
    )
    if not proof.verifiers:
        sentences.append("No verifier was measured by controls on this set.")
    return tuple(sentences)


def controls_table(verifier: VerifierResult) -> Table:
    rows = [
        (
            Cell(_KINDS[control.kind]),
            count(control.rejected, f"{control.kind} rejected"),
            count(control.judged, f"{control.kind} judged"),
            _share(control.rejected, control.judged, control.kind),
            Cell(interval(control.low, control.high)),
        )
        for control in verifier.controls
    ]
    caption = f"Controls that {verifier.name} rejects, as it should"
    return Table.of(caption, ("kind of control",), ("rejected", "judged", "share", "95% interval"), rows)


def _share(part: int, whole: int, measure: str) -> Cell:
    share = part / whole if whole else None
    return Cell(number(share), share, measure=measure)


def control_figures(report: Report) -> tuple[ReportFigure, ...]:
    """For each verifier that has controls, the shares it rejects."""
    found: list[ReportFigure] = []
    for place, verifier in enumerate(report.proof.verifiers, start=1):
        if not verifier.controls:
            continue
        colour = _VERDICT_COLOURS.get(verifier.verdict, LIGHT["accent"])
        rows = [
            Estimate(
                _KINDS[control.kind],
                f"{control.rejected:,} of {control.judged:,}" if control.judged else "none judged",
                control.low,
                control.rejected / control.judged if control.judged else None,
                control.high,
                colour,
            )
            for control in verifier.controls
        ]
        with drawing():
            figure = draw_estimates(
                rows, (0.0, 1.0), f"share that {cut(verifier.name, 24)} rejects, with 95% interval"
            )
        shown = "; ".join(
            f"{row.label}: {row.text}, interval {interval(row.low, row.high)}"
            for row in rows
            if row.mid is not None
        )
        found.append(
            ReportFigure(
                f"controls-{place}",
                f"Controls rejected by {verifier.name}",
                f"Share of each kind of control that {verifier.name} rejects. {shown or 'None was judged'}.",
                controls_table(verifier),
                figure,
                "Each control has a text that must not be accepted. The worst kind counts.",
            )
        )
    return tuple(found)


def agreements_table(report: Report) -> Table:
    rows = [
        (
            Cell(" and ".join(found.judges)),
            count(found.pairs),
            Cell(number(found.kappa), found.kappa, measure="kappa"),
        )
        for found in report.proof.agreements
    ]
    return Table.of(
        "Agreement of judges on gold or not", ("judges",), ("pairs", "Cohen's kappa"), rows,
        "1 is full agreement, 0 what chance gives.",
    )  # fmt: skip


def origins_table(report: Report) -> Table:
    leakage = report.proof.leakage
    rows = [
        (Cell(origin), count(report.by_origin.get(origin, 0), f"questions {origin}"), *_leaks(report, origin))
        for origin in dict.fromkeys((*report.by_origin, *report.proof.overlap))
    ]
    return Table.of(
        "Questions by origin",
        ("origin",),
        ("questions with gold", "words shared with the gold", *(_LEAKS if leakage else ())),
        rows,
        f"{_SHARED if leakage else _SHARED_BEFORE} Questions that copy their text flatter keyword search.",
    )


def _leaks(report: Report, origin: str) -> tuple[Cell, ...]:
    overlap = report.proof.overlap.get(origin)
    cells = (Cell(percent(overlap), overlap, measure=f"overlap {origin}"),)
    if not report.proof.leakage:
        return cells
    means = report.proof.leakage.get(origin)
    values = (
        (means.heading, means.copied, means.answer_inside, means.points_away)
        if means
        else (None,) * len(_LEAKS)
    )
    named = zip(_LEAKS, values, strict=True)
    return cells + tuple(Cell(percent(value), value, measure=f"{name} {origin}") for name, value in named)
