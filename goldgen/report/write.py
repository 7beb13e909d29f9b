"""Reports as files."""

from pathlib import Path

from goldgen.errors import SettingsError
from goldgen.evaluation.report import Report
from goldgen.report.figure import png, svg
from goldgen.report.gallery import figures
from goldgen.report.page import html
from goldgen.report.pull_request import markdown


def write_html(report: Report, path: Path) -> tuple[Path, ...]:
    """The path written. Raises SettingsError if a library is missing or the file cannot be written."""
    _write(path, html(report).encode())
    return (path,)


def write_markdown(report: Report, path: Path) -> tuple[Path, ...]:
    """The path written. Raises SettingsError if the file cannot be written."""
    _write(path, markdown(report).encode())
    return (path,)


def write_figures(report: Report, folder: Path) -> tuple[Path, ...]:
    """Each figure as SVG and as PNG; the paths written.

    Raises SettingsError if matplotlib is missing or a file cannot be written.
    """
    paths: list[Path] = []
    for figure in figures(report):
        for suffix, content in ((".svg", svg(figure).encode()), (".png", png(figure))):
            paths.append(folder / f"{figure.name}{suffix}")
            _write(paths[-1], content)
    return tuple(paths)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise SettingsError(
            f"cannot write {path}: {error.strerror or error}; name a place that can be written"
        ) from error
