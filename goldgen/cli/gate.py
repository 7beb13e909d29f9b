"""goldgen gate"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import one_line, print_json, printable
from goldgen.errors import GoldgenError, SettingsError

if TYPE_CHECKING:
    from goldgen.app.gate import GateReport

_EXIT_CODES = {"pass": 0, "fail": 3, "inconclusive": 4}
_CI = "Continuous integration"


def gate(
    baseline: Annotated[
        Path | None,
        typer.Option(readable=False, help="What goldgen eval --json wrote before the change."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="The measure held against the baseline; nDCG@10 by default.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The loss in it that is put up with; 0.02 by default."),
    ] = None,
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="MEASURE=FLOOR", help="A floor, such as R@5=0.85; repeatable."),
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option("--retriever", help="Check this one; repeatable. Default: all of the baseline."),
    ] = None,
    current: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="What eval --json wrote now; by default the set's last evaluation."
        ),
    ] = None,
    common: Annotated[
        bool,
        typer.Option("--common", help="Compare across different sets, by the questions that both have."),
    ] = False,
    require_proven: Annotated[
        bool, typer.Option("--require-proven", help="Let only a set pass whose verifiers are proven.")
    ] = False,
    junit: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="Write the checks here as JUnit XML.", rich_help_panel=_CI, metavar="FILE"
        ),
    ] = None,
    github: Annotated[
        bool | None,
        typer.Option(
            "--github/--no-github",
            help="Annotations and a summary for GitHub; by default in GitHub Actions only.",
            rich_help_panel=_CI,
            show_default=False,
        ),
    ] = None,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    as_json: options.Json = False,
) -> None:
    """Let a change pass only if it is shown to lose no more than a margin, and floors are kept.

    Exit code 0: pass; 3: fail; 4: inconclusive, for the set is too small to tell, or unproven; 1: an error.

    Example: `goldgen gate --baseline main.json --metric nDCG@10 --margin 0.02 --min R@5=0.85`
    """
    from goldgen.app import gate as app
    from goldgen.app.comparison import PRIMARY
    from goldgen.evaluation import Measure

    in_github = os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if in_github else None
    told = _Outlets(junit, Path(summary) if summary else None, in_github, as_json)
    try:
        if baseline is None and (metric or margin is not None or common):
            raise SettingsError("--metric, --margin and --common need --baseline FILE to compare with")
        report = app.gate(
            app.GateOptions(
                db,
                baseline,
                current,
                Measure.parse(metric) if metric else PRIMARY,
                app.MARGIN if margin is None else margin,
                tuple(retriever or ()),
                tuple(map(app.Minimum.parse, minimum or ())),
                common,
                require_proven,
            )
        )
    except GoldgenError as error:
        # What an earlier run left there must not be taken for this one's answer.
        told.error(str(error))
        raise
    if as_json:
        print_json(report)
    else:
        _render(report)
    told.report(report)
    raise typer.Exit(_EXIT_CODES[report.verdict])


@dataclass(frozen=True, slots=True)
class _Outlets:
    """Where continuous integration reads."""

    junit: Path | None
    summary: Path | None
    """Of the job, in GitHub Actions."""
    annotated: bool
    to_errors: bool
    """Annotations go to standard error, which GitHub reads too; standard output is JSON."""

    def report(self, report: "GateReport") -> None:
        from goldgen.report.github import annotations, summary
        from goldgen.report.junit import junit_xml

        self._tell(
            junit_xml(report.checks, report.notes),
            annotations(report.checks, report.notes),
            summary(report.verdict, report.checks, report.notes),
        )

    def error(self, message: str) -> None:
        from goldgen.report.github import error_annotation, error_summary
        from goldgen.report.junit import junit_error

        self._tell(junit_error(message), (error_annotation(message),), error_summary(message))

    def _tell(self, junit: str, annotations: Sequence[str], summary: str) -> None:
        if self.annotated:
            for annotation in annotations:
                typer.echo(printable(annotation), err=self.to_errors)
        if self.summary:
            _write(self.summary, summary, "a")
        if self.junit:
            _write(self.junit, junit, "w")


def _write(path: Path, text: str, mode: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}; name another file") from error


def _render(report: "GateReport") -> None:
    _say(f"current     {report.current}")
    for check in report.checks:
        _say(f"check       {check.sentence}")
    for note in report.notes:
        _say(f"note        {note}")
    held = sum(check.verdict == "pass" for check in report.checks)
    _say(f"gate        {report.verdict}: {held} of {len(report.checks)} checks pass")


def _say(line: str) -> None:
    typer.echo(one_line(line))
