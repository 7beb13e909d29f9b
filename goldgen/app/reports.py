"""The report of a set's last evaluation, or of a file, written for people."""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Report, report_from_json, report_to_json
from goldgen.report import write_figures, write_html, write_markdown
from goldgen.store import open_store


@dataclass(frozen=True, slots=True)
class ReportOptions:
    db: Path
    out: Path
    """Its suffix tells what is written: .html, .md, .json; without a suffix it is a folder of figures."""
    source: Path | None = None
    """A report as JSON; None: the set's last evaluation."""


def make_report(options: ReportOptions, reporter: Reporter | None = None) -> tuple[Path, ...]:
    """Write the report and return the files written.

    Raises EmptyResultError if nothing was evaluated yet, SettingsError for another suffix, for a file that is
    no report, or if a library is missing.
    """
    report = read_report(options.source) if options.source else last_report(options.db)
    with (reporter or Silent()).phase("drawing the report", None):
        return write_report(report, options.out)


def last_report(db: Path) -> Report:
    """The report of the last evaluation of a set. Raises EmptyResultError if there is none."""
    with open_store(db, read_only=True) as store:
        last = store.evaluations.latest()
    if last is None:
        raise EmptyResultError(f"{db} has no evaluation yet; run goldgen eval --db {db}")
    return report_from_json(last.report, f"the last evaluation in {db}")


def read_report(path: Path) -> Report:
    """A report that ``goldgen eval --json`` wrote. Raises SettingsError if it cannot be read or is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}; name a report of goldgen eval") from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # So PowerShell redirects what a command prints.
        content = content.decode("utf-16", "replace").encode()
    return report_from_json(content.removeprefix(codecs.BOM_UTF8), str(path))


def write_report(report: Report, out: Path) -> tuple[Path, ...]:
    """Write a report in the form that the suffix of ``out`` tells. Raises SettingsError for another."""
    writers: Mapping[str, Callable[[Report, Path], tuple[Path, ...]]] = {
        ".html": write_html,
        ".htm": write_html,
        ".md": write_markdown,
        ".json": _write_json,
        "": write_figures,
    }
    write = writers.get(out.suffix.lower())
    if write is None:
        raise SettingsError(f"{out}: a report is written as .html, .md, .json, or into a folder; choose one")
    try:
        return write(report, out)
    except OSError as error:
        raise SettingsError(f"cannot write {out}: {error.strerror}; name another place") from error


def _write_json(report: Report, path: Path) -> tuple[Path, ...]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report_to_json(report, indent=2) + "\n", encoding="utf-8")
    return (path,)
