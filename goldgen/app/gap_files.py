"""Gaps as files for those who write the documents."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from goldgen.app.gaps import KINDS, Gap, GapsReport, NearChunk
from goldgen.errors import SettingsError
from goldgen.exchange import write_csv, write_jsonl, write_lines
from goldgen.report import Cell, Table
from goldgen.report.pull_request import markdown_table

_COLUMNS = (
    "kind", "question", "asked", "traffic", "first_seen", "last_seen", "unclicked", "rewritten", "variants",
    "pool_depth", "nearest_document", "nearest_headings", "nearest_chunk_id", "nearest_grade",
    "nearest_score", "other_documents", "question_id", "origin",
    "foreign_language",
)  # fmt: skip


def write_gaps(report: GapsReport, path: Path) -> None:
    """Write the gaps in the form that the suffix of ``path`` tells: .csv, .jsonl or .md.

    Cells of CSV are made safe for spreadsheets; JSONL has every text as it is. Raises SettingsError for
    another suffix, or a file that cannot be written.
    """
    writers: Mapping[str, Callable[[GapsReport, Path], None]] = {
        ".csv": _csv,
        ".jsonl": _jsonl,
        ".md": _markdown,
    }
    write = writers.get(path.suffix.lower())
    if write is None:
        raise SettingsError(f"{path}: gaps are written as .csv, .jsonl or .md; choose one")
    write(report, path)


def _jsonl(report: GapsReport, path: Path) -> None:
    write_jsonl(
        path,
        (
            asdict(gap) | {"first_seen": _time(gap.first_seen), "last_seen": _time(gap.last_seen)}
            for gap in report.gaps
        ),
    )


def _csv(report: GapsReport, path: Path) -> None:
    write_csv(path, _COLUMNS, map(_row, report.gaps))


def _row(gap: Gap) -> tuple[object, ...]:
    near = gap.nearest[0] if gap.nearest else NearChunk("", "", "", None, None, 0)
    others = dict.fromkeys(other.document for other in gap.nearest if other.document != near.document)
    return (
        gap.kind, gap.question, gap.asked, round(gap.traffic, 3), _time(gap.first_seen), _time(gap.last_seen),
        gap.unclicked, gap.rewritten, "\n".join(gap.variants), gap.pool_depth, near.document, near.headings,
        near.chunk_id, near.grade, near.score, "\n".join(others), gap.question_id, gap.origin, gap.foreign,
    )  # fmt: skip


def _markdown(report: GapsReport, path: Path) -> None:
    write_lines(path, ((line,) for line in _lines(report)), "")


def _lines(report: GapsReport) -> Iterator[str]:
    yield "# What users ask and the documents do not say"
    yield ""
    yield (
        f"{report.asked:,} questions of users: {report.answered:,} answered, {sum(report.kinds.values()):,} "
        f"without an answer, {report.unjudged:,} not judged yet."
    )
    for kind, what in KINDS.items():
        found = [gap for gap in report.gaps if gap.kind == kind]
        if found:
            yield from ("", f"## {kind.capitalize()}", "", f"{what[0].upper()}{what[1:]}.", "")
            yield from markdown_table(_table(found)).split("\n")


def _table(found: list[Gap]) -> Table:
    return Table.of(
        "",
        ("Question", "Nearest", "Last asked"),
        ("Asked", "Asked again", "Judged to"),
        [
            (
                Cell(gap.question, note=" · ".join(gap.variants)),
                Cell(near_words(gap)),
                Cell(f"{gap.last_seen:%Y-%m-%d}" if gap.last_seen else ""),
                Cell(f"{gap.asked:,}"),
                Cell(f"{gap.rewritten:,}"),
                Cell(f"{gap.pool_depth}"),
            )
            for gap in found
        ],
    )


def near_words(gap: Gap) -> str:
    """The nearest place of each document, with what was judged of it."""
    places = {near.document: near for near in reversed(gap.nearest)}
    return "; ".join(
        f"{near.document}{f' > {near.headings}' if near.headings else ''} ({_judged(near)})"
        for near in reversed(places.values())
    )


def _judged(near: NearChunk) -> str:
    if near.grade is None:
        return "not judged"
    return f"score {near.score:.2f}" if near.score is not None else f"grade {near.grade:g}"


def _time(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
