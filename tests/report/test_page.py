"""The page: its numbers can be read back, it loads nothing, and foreign text stays text."""

import base64
import hashlib
import re
from collections.abc import Mapping
from itertools import pairwise

import pytest
from bs4 import BeautifulSoup, Tag
from sample import HOSTILE, LABELS, bare, sample

from goldgen.evaluation.report import Report
from goldgen.report import html
from goldgen.report.style import DARK, LIGHT

LONG = tuple(
    f"http://127.0.0.1:9000/{'search' * 12}/{i}" if i % 2 else f"检索器 {i} $x$ <b>" for i in range(8)
)


@pytest.fixture(scope="module")
def page() -> str:
    return html(sample())


@pytest.fixture(scope="module")
def soup(page: str) -> BeautifulSoup:
    return BeautifulSoup(page, "html.parser")


def _values(within: Tag) -> Mapping[tuple[str, str], float]:
    cells = within.select("[data-retriever][data-measure][data-value]")
    return {
        (str(cell["data-retriever"]), str(cell["data-measure"])): float(str(cell["data-value"]))
        for cell in cells
    }


def _section(soup: BeautifulSoup, name: str) -> Tag:
    found = soup.find(id=name)
    assert isinstance(found, Tag)
    return found


def test_every_mean_can_be_read_back_in_full(soup: BeautifulSoup) -> None:
    found = _values(_section(soup, "comparison"))
    for result in sample().retrievers:
        for measure, mean in result.means.items():
            assert found[result.label, measure] == mean
        assert found[result.label, "confusion"] == result.confusion
        for origin, mean in result.by_origin.items():
            assert found[result.label, f"nDCG@10 {origin}"] == mean


def test_what_is_shown_is_the_number_with_three_decimals(soup: BeautifulSoup) -> None:
    cells = soup.select(
        'td[data-measure="nDCG@10"], td[data-measure="R@7"], td[data-measure="AUC near miss"]'
    )
    assert len(cells) >= 3 * len(LABELS)
    for cell in cells:
        shown = cell.find("bdi")
        assert shown is not None
        assert shown.get_text() == f"{float(str(cell['data-value'])):.3f}"


def test_differences_curves_scores_and_slices_can_be_read_back(soup: BeautifulSoup) -> None:
    report = sample()
    compared, curves = _values(_section(soup, "comparison")), _values(_section(soup, "cutoffs"))
    scores, weak = _values(_section(soup, "similarity")), _values(_section(soup, "slices"))
    for pair in report.differences:
        assert compared[pair.better, f"difference to {pair.worse}"] == pair.mean
    for result in report.retrievers:
        for k in result.curve.cutoffs:
            assert curves[result.label, f"P@{k}"] == result.curve.precision[k - 1]
            assert curves[result.label, f"R@{k}"] == result.curve.recall[k - 1]
        assert curves[result.label, "K"] == result.context.k
        assert result.similarity is not None
        assert scores[result.label, "AUC near miss within"] == result.similarity.auc_near_miss_within
    for found in report.slices:
        assert weak[found.retriever, f"nDCG@10 {found.trait}={found.value}"] == found.mean


def test_order_is_the_answer_then_the_proof_then_the_rest(soup: BeautifulSoup) -> None:
    sections = [section["id"] for section in soup.select("main > section")]
    assert sections == [
        "answer",
        "proof",
        "comparison",
        "cutoffs",
        "similarity",
        "slices",
        "failures",
        "next",
    ]
    report = sample()
    assert [p.get_text() for p in soup.select("#answer > p:not(.limits)")] == list(report.sentences)
    assert [li.get_text() for li in soup.select("#next li")] == list(report.next_steps)


def test_controls_and_trusted_figure_stand_in_the_proof(soup: BeautifulSoup) -> None:
    proof = _section(soup, "proof")
    rejected = proof.select_one('[data-measure="same_document rejected"]')
    assert rejected is not None
    assert rejected["data-value"] == "36"
    assert "read 50 accepted pairs drawn at random and found 2 wrong" in proof.get_text()
    assert "none judged" in str(proof.select_one("#figure-controls-1 svg"))


def test_page_asks_for_nothing_from_elsewhere(page: str, soup: BeautifulSoup) -> None:
    targets = [
        str(value)
        for tag in soup.find_all(True)
        for name, value in tag.attrs.items()
        if name in ("src", "href", "xlink:href", "srcset", "action", "data", "poster", "background")
    ]
    assert targets
    assert all(target.startswith("#") or target == "data:," for target in targets)
    assert not soup.find_all(
        ["link", "img", "iframe", "object", "embed", "base"], rel=lambda rel: rel != "icon"
    )
    assert not re.findall(r"url\((?!#)|@import", " ".join(map(str, soup.find_all("style"))))
    assert "url(" not in " ".join(str(tag["style"]) for tag in soup.select("[style]")).replace("url(#", "")
    assert "default-src 'none'" in page


def test_only_the_script_of_the_page_may_run(page: str, soup: BeautifulSoup) -> None:
    (script,) = soup.find_all("script")
    digest = base64.b64encode(hashlib.sha256(script.get_text().encode()).digest()).decode()
    policy = soup.select_one("meta[http-equiv]")
    assert policy is not None
    assert f"script-src 'sha256-{digest}';" in str(policy["content"])
    assert not [tag for tag in soup.find_all(True) if any(name.startswith("on") for name in tag.attrs)]


def test_foreign_text_stays_text(page: str, soup: BeautifulSoup) -> None:
    shown = " ".join(HOSTILE.replace("\x00", "�").replace("\u202e", "�").split())
    title, question = soup.find("h1"), soup.select_one(".lost h3")
    assert title is not None and question is not None
    assert shown in title.get_text()
    assert shown in question.get_text()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]", page)


def test_ids_are_unique_and_every_reference_has_its_target(soup: BeautifulSoup) -> None:
    ids = [str(tag["id"]) for tag in soup.select("[id]")]
    assert len(ids) == len(set(ids))
    asked = {str(tag["href"])[1:] for tag in soup.select('[href^="#"]')}
    asked |= {str(tag["clip-path"])[5:-1] for tag in soup.select("[clip-path]")}
    asked |= {str(tag["for"]) for tag in soup.select("label[for]")}
    asked |= {str(tag["aria-labelledby"]) for tag in soup.select("[aria-labelledby]")}
    assert asked
    assert asked <= set(ids)


def test_headings_tables_and_figures_are_announced(soup: BeautifulSoup) -> None:
    levels = [int(tag.name[1]) for tag in soup.find_all(["h1", "h2", "h3", "h4"])]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(table.find("caption") for table in soup.find_all("table"))
    figures = soup.find_all("figure")
    assert len(figures) == 11
    for figure in figures:
        drawn = figure.find("svg", role="img")
        assert drawn is not None and len(str(drawn["aria-label"])) > 20
        assert figure.select_one("details table tbody td")
    root = soup.find("html")
    assert root is not None and root["lang"] == "en"


def test_figures_take_the_colours_of_the_page(soup: BeautifulSoup) -> None:
    drawn = " ".join(str(tag) for tag in soup.select("figure > svg"))
    assert not re.findall(r"#[0-9a-f]{6}\b", drawn)
    named = set(re.findall(r"var\(--([\w-]+)\)", drawn))
    assert {"series-1", "series-4", "score-gold", "ink"} <= named
    assert named <= LIGHT.keys()


def test_the_same_report_gives_the_same_bytes() -> None:
    report = sample(("bm25",), 12)
    assert html(report) == html(report)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(sample(("bm25",), 12), id="one retriever"),
        pytest.param(sample(LONG, 12), id="eight with long names"),
        pytest.param(sample(("bm25", "dense"), 3), id="three questions"),
        pytest.param(bare(sample(("bm25", "dense"), 12, near_misses=False)), id="a set made elsewhere"),
    ],
)
def test_small_and_large_reports_hold_every_retriever(report: Report) -> None:
    soup = BeautifulSoup(html(report), "html.parser")
    found = _values(_section(soup, "comparison"))
    assert {label for label, _ in found} == {result.label for result in report.retrievers}
    assert not re.search(r"\bnan\b|None|\binf\b", soup.get_text())
    assert len(soup.select("main > section")) == 8


def test_colours_keep_the_contrast_that_reading_needs() -> None:
    for colours in (LIGHT, DARK):
        for paper in ("surface", "tint"):
            for text in ("ink", "muted", "accent", "good", "bad"):
                assert _contrast(colours[text], colours[paper]) >= 4.5, (text, paper)
        for name, colour in colours.items():
            if name.startswith(("series", "score")):
                assert _contrast(colour, colours["surface"]) >= 3, name
    assert LIGHT.keys() == DARK.keys()
    assert len(set(LIGHT.values())) == len(LIGHT)


def _contrast(a: str, b: str) -> float:
    """By WCAG 2.2."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
