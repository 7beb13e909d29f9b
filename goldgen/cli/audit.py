"""goldgen audit"""

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import one_line, print_json

if TYPE_CHECKING:
    from goldgen.app.audit import AuditReport
    from goldgen.app.audit_decisions import Decision, Decisions
    from goldgen.app.audit_verdict import Contrasted
    from goldgen.app.question_figures import Mean, QuestionFigures
    from goldgen.evaluation.origins import OriginDifference
    from goldgen.types import Origin

_WIDTH = 110
_NAME = 30
_COLUMN = 24
_SHOWN_WORDS = 10


def audit(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--runs",
            metavar="RUN",
            help="A kept run, by its id or a retriever's label for its latest; repeat it. By default the "
            "latest run of each retriever.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Hold synthetic questions against those that people asked: wording, difficulty, and what they decide.

    Example: `goldgen audit --runs bm25 --runs dense`
    """
    from goldgen.app import audit as app

    report = app.audit(app.AuditOptions(db, tuple(runs or ())))
    if as_json:
        print_json(report)
    else:
        _render(report)


def _render(report: "AuditReport") -> None:
    for line in textwrap.wrap(report.verdict, _WIDTH):
        _say(line)
    _say("")
    _table(report.figures)
    for found in report.against:
        _say("")
        _render_words(found)
    _render_decisions(report.decisions)
    for mark in report.marks:
        _say(f"mark: {mark}")


def _table(figures: "Mapping[Origin, QuestionFigures]") -> None:
    found = list(figures.values())

    def row(name: str, cell: "Callable[[QuestionFigures], str]") -> None:
        cells = [cell(each) for each in found]
        if any(cells):
            _say(f"{name:<{_NAME}}" + "".join(f"{cell or '–':>{_COLUMN}}" for cell in cells))

    _say(" " * _NAME + "".join(f"{origin:>{_COLUMN}}" for origin in figures))
    row("questions (with gold)", lambda f: f"{f.n:,} ({f.golden:,})")
    row("words, mean (95%)", lambda f: _mean(f.words, 1))
    row("words, median", lambda f: f"{f.words_median:g}")
    for step in found[0].words_shares:
        row(f"  {step} words", lambda f, step=step: f"{f.words_shares[step]:.0%}")
    for name in found[0].surface:
        row(name, lambda f, name=name: _mean(f.surface[name]))
    for style in dict.fromkeys(style for each in found for style in each.forms):
        row(f"reads as {style}", lambda f, style=style: f"{f.forms.get(style, 0.0):.0%}")
    for style in dict.fromkeys(style for each in found for style in each.styles):
        row(
            f"drafted as {style}",
            lambda f, style=style: f"{f.styles.get(style, 0.0):.0%}" if f.styles else "",
        )
    for language in dict.fromkeys(language for each in found for language in each.languages):
        row(f"language {language}", lambda f, language=language: f"{f.languages.get(language, 0.0):.0%}")
    row("overlap with gold (95%)", lambda f: _mean(f.overlap) if f.overlap else "")
    for name in dict.fromkeys(name for each in found for name in each.ranks):
        row(f"{name}, questions", lambda f, name=name: f"{f.ranks[name].n:,}" if name in f.ranks else "")
        row(
            f"{name}, gold first (95%)",
            lambda f, name=name: _mean(f.ranks[name].first) if name in f.ranks else "",
        )
        row(
            f"{name}, gold in ten (95%)",
            lambda f, name=name: _mean(f.ranks[name].first_ten) if name in f.ranks else "",
        )


def _mean(found: "Mean", digits: int = 2) -> str:
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f}-{found.high:.{digits}f})"


def _render_words(found: "Contrasted") -> None:
    words, real = found.vocabulary, found.real
    _say(
        f"of the words of {real} questions, synthetic ones use {words.real_known:.0%} "
        f"({words.real_known_by_use:.0%} by use); of the words of synthetic ones, {real} ones use "
        f"{words.written_known:.0%}"
    )
    _say(
        f"  with {words.questions_drawn} questions of each: {words.at_equal_size[0]:.0%} and "
        f"{words.at_equal_size[1]:.0%}; different words in {words.words_drawn}: synthetic "
        f"{words.type_token[0]:.0%}, {real} {words.type_token[1]:.0%}"
    )
    if words.only_real:
        _say(f"  only in {real} questions: {', '.join(words.only_real[:_SHOWN_WORDS])}")
    if found.telling is None:
        _say("told apart: not known; ten questions of each are needed")
        return
    told = found.telling
    _say(
        f"told apart from {real} ones by how they are put: AUC {told.area:.2f} (95% {told.low:.2f} to "
        f"{told.high:.2f}); 0.5 is alike"
    )
    _say(
        f"  weights, + for {real}: "
        + ", ".join(f"{name} {weight:+.2f}" for name, weight in told.weights.items())
    )


def _render_decisions(found: "Decisions") -> None:
    for real in dict.fromkeys(decision.real for decision in found.found):
        rows = [decision for decision in found.found if decision.real == real]
        seen = rows[0].contrast
        _say("")
        _say(f"what they decide, nDCG@10; intervals at {found.level:.1%}, so that all hold together at 95%")
        if seen.few_clusters:
            _say("questions of an origin come from fewer than 20 sources: the intervals are rough")
        wide = max(len(_pair(decision)) for decision in rows)
        heads = (f"synthetic (n={seen.questions[0]})", f"{real} (n={seen.questions[1]})", "apart")
        _say(" " * wide + "".join(f"{head:>{_COLUMN}}" for head in heads))
        for decision in rows:
            contrast = decision.contrast
            cells = (_difference(each) for each in (contrast.first, contrast.second, contrast.apart))
            _say(
                f"{_pair(decision):<{wide}}"
                + "".join(f"{cell:>{_COLUMN}}" for cell in cells)
                + f"  {decision.verdict}"
            )
    for note in found.notes:
        _say(f"note: {note}")


def _pair(decision: "Decision") -> str:
    return f"{decision.better} over {decision.worse}"


def _difference(found: "OriginDifference") -> str:
    return f"{found.mean:+.2f} ({found.low:+.2f} to {found.high:+.2f})"


def _say(line: str) -> None:
    typer.echo(one_line(line))
