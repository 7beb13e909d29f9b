"""Figures as files: well-formed, self-contained, the same each time, and true to foreign labels."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from sample import LABELS, bare, sample

from goldgen.report import ReportFigure, figures, png, svg

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn() -> tuple[ReportFigure, ...]:
    return figures(sample())


def test_each_part_of_the_report_is_drawn(drawn: tuple[ReportFigure, ...]) -> None:
    assert [figure.name for figure in drawn] == [
        "controls-1", "means", "differences", "recall", "precision", "recall-precision",
        "scores-1", "scores-2", "scores-3", "scores-4", "slices",
    ]  # fmt: skip
    assert all(figure.title and figure.alt and figure.table.rows for figure in drawn)


def test_what_a_report_lacks_is_not_drawn() -> None:
    report = bare(sample(("bm25",), 12, near_misses=False))
    assert [figure.name for figure in figures(report)] == ["means", "recall", "precision", "recall-precision"]


def test_svg_is_well_formed_and_refers_to_nothing_outside(drawn: tuple[ReportFigure, ...]) -> None:
    for figure in drawn:
        text = svg(figure)
        root = ElementTree.fromstring(text)
        assert root.findtext(f"{_SVG}title") == figure.title
        assert root.findtext(f"{_SVG}desc") == figure.alt
        assert set(re.findall(r"https?://[^\"'\s<]+", text)) == {"http://www.w3.org/2000/svg"}
        assert "var(" not in text
        assert list(root.iter(f"{_SVG}text"))


def test_labels_are_drawn_as_they_stand() -> None:
    labels = ("$a_1$ and $b_2$", "<script>x</script>", "检索器", "חיפוש", "line\nbreak\x00")
    (means,) = (figure for figure in figures(sample(labels, 12)) if figure.name == "means")
    found = [text.text for text in ElementTree.fromstring(svg(means)).iter(f"{_SVG}text")]
    assert {*labels[:4], "line break�"} <= set(found)


def test_png_is_1000_pixels_wide(drawn: tuple[ReportFigure, ...]) -> None:
    image = png(drawn[1])
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20], "big") == 1000
    assert int.from_bytes(image[20:24], "big") > 300
    assert png(drawn[1]) == image


def test_settings_of_the_user_neither_matter_nor_change() -> None:
    report = sample(LABELS[:1], 12)
    plain = [svg(figure) for figure in figures(report)]
    with mpl.rc_context({"font.size": 40.0, "axes.facecolor": "red", "text.parse_math": True}):
        assert [svg(figure) for figure in figures(report)] == plain
        assert mpl.rcParams["font.size"] == 40.0
