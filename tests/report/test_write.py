"""Reports as files, and errors in one line."""

import sys
from pathlib import Path

import pytest
from sample import sample

from goldgen.errors import SettingsError
from goldgen.report import figures, html, markdown, write_figures, write_html, write_markdown

REPORT = sample(("bm25",), 12)


def test_page_and_markdown_are_written_with_their_folder(tmp_path: Path) -> None:
    page, text = tmp_path / "new" / "report.html", tmp_path / "report.md"
    assert write_html(REPORT, page) == (page,)
    assert write_markdown(REPORT, text) == (text,)
    assert page.read_text(encoding="utf-8") == html(REPORT)
    assert text.read_text(encoding="utf-8") == markdown(REPORT)


def test_each_figure_is_written_as_svg_and_png(tmp_path: Path) -> None:
    paths = write_figures(REPORT, tmp_path / "figures")
    names = [figure.name for figure in figures(REPORT)]
    assert [path.name for path in paths] == [f"{name}{end}" for name in names for end in (".svg", ".png")]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"cannot write .*report\.md: .+; name a place") as caught:
        write_markdown(REPORT, tmp_path / "file" / "report.md")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_missing_library_is_named_with_what_to_install(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SettingsError, match=rf'{library}.*pip install "goldgen\[report\]"') as caught:
        write_html(REPORT, tmp_path / "report.html")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
    write_markdown(REPORT, tmp_path / "report.md")
