"""The checks of a gate for GitHub Actions: annotations on standard output, and a summary in Markdown."""

from collections.abc import Sequence

from goldgen.evaluation.gate import Verdict
from goldgen.report.checks import Check

_TITLE = "goldgen gate"


def annotations(checks: Sequence[Check], notes: Sequence[str] = ()) -> tuple[str, ...]:
    """A workflow command a line: an error for what failed, a warning for what is open and for each note.

    What passed is not annotated, for GitHub shows ten annotations a step.
    """
    levels: dict[Verdict, str] = {"fail": "error", "inconclusive": "warning"}
    return (
        *(
            _command(levels[check.verdict], f"{_TITLE}: {check.subject}, {check.name}", check.sentence)
            for check in sorted(checks, key=lambda check: check.verdict != "fail")
            if check.verdict in levels
        ),
        *(_command("warning", _TITLE, note) for note in notes),
    )


def error_annotation(message: str) -> str:
    """The workflow command for a gate that could decide nothing."""
    return _command("error", _TITLE, message)


def summary(verdict: Verdict, checks: Sequence[Check], notes: Sequence[str] = ()) -> str:
    """Markdown for the page of the run: the verdict, a row a check, the notes."""
    rows = [
        f"| {check.verdict} | {_cell(check.subject)} | {_cell(check.name)} | {_cell(check.sentence)} |"
        for check in checks
    ]
    head = [f"### {_TITLE}: {verdict}", "", "| verdict | of | check | answer |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", *(f"- {_cell(note)}" for note in notes)]).rstrip() + "\n"


def error_summary(message: str) -> str:
    """Markdown for a gate that could decide nothing."""
    return f"### {_TITLE}: error\n\n{_cell(message)}\n"


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    # As the runner reads them back: the toolkit's escapeData and escapeProperty.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    """Text that stays text in one cell of a table."""
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    for sign in "\\`*_[]|~#":
        line = line.replace(sign, f"\\{sign}")
    return line
