"""The report as one HTML page that loads nothing: styles, figures and script stand in it."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldgen.errors import SettingsError
from goldgen.evaluation.report import Report, VerifierResult
from goldgen.report import attacks, comparison, cutoffs, proof, similarity, weakness
from goldgen.report.figure import ReportFigure, page_svg
from goldgen.report.format import clean
from goldgen.report.gallery import figures
from goldgen.report.style import DARK, LIGHT, Look, Looks, style_properties, svg_dashes
from goldgen.report.table import Table

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATE, _SCRIPT = "report.html.jinja", "report.js"
_FIRST_FAILURES = 12
_FIRST_DOMINANCE = 6


@dataclass(frozen=True, slots=True)
class _Verifier:
    result: VerifierResult
    figure: ReportFigure | None


@dataclass(frozen=True, slots=True)
class _Page:
    """What the template shows; all words and numbers are made before."""

    report: Report
    size: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    trust: tuple[str, ...]
    verifiers: tuple[_Verifier, ...]
    agreements: Table | None
    questions_by_origin: Table
    comparison: Table
    measures: Table
    differences: Table | None
    means_by_origin: Table
    remarks: tuple[tuple[str, str], ...]
    comparison_figures: tuple[ReportFigure, ...]
    curves: tuple[ReportFigure, ...]
    dominance: tuple[str, ...]
    more_dominance: tuple[str, ...]
    context: Table
    auc: Table | None
    scores: tuple[ReportFigure, ...]
    without_scores: str
    attacks: Table | None
    under_attack: Table | None
    high_scores: Table | None
    more_high_scores: Table | None
    slices_in_words: tuple[str, ...]
    slices: Table
    slices_figure: ReportFigure | None
    failures: tuple[weakness.LostQuestion, ...]
    more_failures: tuple[weakness.LostQuestion, ...]


def html(report: Report) -> str:
    """One file, readable without a script, on a phone, in print, light and dark.

    Raises SettingsError if jinja2 or matplotlib is not installed.
    """
    environment = _environment()
    script = _source(environment, _SCRIPT)
    drawn = {figure.name: figure for figure in figures(report)}
    page = environment.get_template(_TEMPLATE).render(
        page=_page(report, drawn),
        light=style_properties(LIGHT),
        dark=style_properties(DARK),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        look=Looks.of(report).__getitem__,
    )
    return clean(page)


def _page(report: Report, drawn: Mapping[str, ReportFigure]) -> _Page:
    lost = weakness.lost_questions(report)
    dominance = cutoffs.dominance_sentences(report)
    high_scores, more_high_scores = similarity.high_scores_tables(report)
    return _Page(
        report=report,
        size=proof.size(report),
        facts=proof.facts(report),
        trust=proof.trust(report),
        verifiers=tuple(
            _Verifier(result, drawn.get(f"controls-{place}"))
            for place, result in enumerate(report.proof.verifiers, start=1)
        ),
        agreements=proof.agreements_table(report) if report.proof.agreements else None,
        questions_by_origin=proof.origins_table(report),
        comparison=comparison.comparison_table(report),
        measures=comparison.measures_table(report),
        differences=comparison.differences_table(report) if report.differences else None,
        means_by_origin=comparison.origins_table(report),
        remarks=comparison.remarks(report),
        comparison_figures=_named(drawn, "means", "differences"),
        curves=_named(drawn, "recall", "precision", "recall-precision"),
        dominance=dominance[:_FIRST_DOMINANCE],
        more_dominance=dominance[_FIRST_DOMINANCE:],
        context=cutoffs.context_table(report),
        auc=similarity.auc_table(report),
        scores=tuple(figure for name, figure in drawn.items() if name.startswith("scores-")),
        without_scores=similarity.without_scores(report),
        attacks=attacks.attacks_table(report),
        under_attack=attacks.under_attack_table(report),
        high_scores=high_scores,
        more_high_scores=more_high_scores,
        slices_in_words=weakness.slices_in_words(report),
        slices=weakness.slices_table(report, report.slices),
        slices_figure=drawn.get("slices"),
        failures=lost[:_FIRST_FAILURES],
        more_failures=lost[_FIRST_FAILURES:],
    )


def _named(drawn: Mapping[str, ReportFigure], *names: str) -> tuple[ReportFigure, ...]:
    return tuple(drawn[name] for name in names if name in drawn)


def _environment() -> "Environment":
    """Every value is escaped, for questions and documents are foreign text."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise SettingsError(
            'a report as HTML needs jinja2, which is not installed; pip install "goldgen[report]"'
        ) from error
    environment = Environment(
        loader=PackageLoader("goldgen.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own: dict[str, Callable[..., object]] = {"svg": page_svg, "dashes": _dashes}
    environment.filters.update(own)
    return environment


def _dashes(look: Look) -> str:
    return svg_dashes(look.dashes)


def _source(environment: "Environment", name: str) -> str:
    loader = environment.loader
    assert loader is not None
    return loader.get_source(environment, name)[0]
