"""The report as Markdown for a pull request: the answer, the means, what limits them, and what to do."""

import re

from goldgen.evaluation.report import Report
from goldgen.report.comparison import comparison_table
from goldgen.report.format import cut
from goldgen.report.table import Cell, Table
from goldgen.report.weakness import slices_in_words

_SPECIAL = re.compile(r"([\\`*_\[\]~|])")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# GitHub would notify a person, or link another issue. Nothing is seen of the break.
_LINKED = re.compile(r"((?<!\w)@|#)(?=\w)")
_LONGEST = 400


def markdown(report: Report) -> str:
    """GitHub's Markdown, with every foreign text escaped and at most 400 characters long."""
    questions = "question" if report.questions == 1 else "questions"
    parts = [
        f"## {_text(report.corpus)}: retrieval report",
        "\n".join(f"- {_text(sentence)}" for sentence in report.sentences),
        markdown_table(comparison_table(report)),
        f"{report.questions:,} {questions} with gold from {report.clusters:,} sources, {report.excluded:,} "
        f"without left out; {report.near_misses:,} near misses; {report.chunks:,} chunks.",
    ]
    if any(result.shares_model for result in report.retrievers):
        parts.append("† shares a model with judging or pooling, which favours it.")
    parts += _list("What limits the trust in this set", report.marks)
    parts += _list("The worst slices", slices_in_words(report))
    parts += _list("What to do next", report.next_steps, "1.")
    parts.append(
        f"<sub>{_text(report.created_at)} · set {_text(report.set_fingerprint)} · "
        f"corpus {_text(report.corpus_fingerprint)}</sub>"
    )
    return "\n\n".join(parts) + "\n"


def _list(title: str, items: tuple[str, ...], mark: str = "-") -> list[str]:
    return [f"### {title}\n\n" + "\n".join(f"{mark} {_text(item)}" for item in items)] if items else []


def markdown_table(table: Table) -> str:
    head = "| " + " | ".join(_text(column.title) for column in table.columns) + " |"
    rule = "|" + "|".join(" ---: " if column.numeric else " --- " for column in table.columns) + "|"
    rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    note = f"\n\n{_text(table.note)}" if table.note else ""
    return "\n".join((head, rule, *rows)) + note


def _cell(cell: Cell) -> str:
    return f"{_text(cell.text)}<br>{_text(cell.note)}" if cell.note else _text(cell.text)


def _text(text: str) -> str:
    """One line that GitHub shows as it stands."""
    escaped = _SPECIAL.sub(r"\\\1", cut(text, _LONGEST).translate(_HTML))
    return _LINKED.sub(r"\1&#8203;", escaped)
