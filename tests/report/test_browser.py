"""The page in a real browser: its numbers, its width on a phone, its script, and a quiet console."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from sample import sample

from goldgen.report import html
from goldgen.report.style import DARK, LIGHT

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(_CHROMIUM is None, reason="needs Chromium in PATH: apt-get install chromium"),
]
# The page stands in a frame as it is, so that its own rules on scripts hold, and is read from outside.
_READER = """<!doctype html><meta charset="utf-8"><title>reader</title>
<iframe width="390" height="800" srcdoc="PAGE"></iframe>
<iframe width="1280" height="800" srcdoc="PAGE"></iframe>
<pre id="found"></pre><script>
addEventListener("load", () => {
  const [phone, desktop] = [...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument);
  const widths = (page) => [page.documentElement.scrollWidth, page.defaultView.innerWidth];
  const found = { folded: widths(phone), desktop: widths(desktop) };
  for (const details of phone.querySelectorAll("details")) details.open = true;
  found.unfolded = widths(phone);
  found.numbers = [...desktop.querySelectorAll("#comparison [data-retriever][data-value]")]
    .map((cell) => [cell.dataset.retriever, cell.dataset.measure, Number(cell.dataset.value)]);
  const table = desktop.querySelector("#comparison table");
  table.tHead.rows[0].cells[1].querySelector("button").click();
  found.sorted = [...table.tBodies[0].rows].map((row) => row.cells[0].dataset.retriever);
  const filter = desktop.querySelector("#lost-by");
  filter.value = "dense";
  filter.dispatchEvent(new desktop.defaultView.Event("change"));
  found.lost = [...desktop.querySelectorAll(".lost:not([hidden])")].map((lost) => lost.dataset.lostBy);
  found.strokes = [...desktop.querySelectorAll("#figure-means path[style]")]
    .map((path) => desktop.defaultView.getComputedStyle(path).stroke);
  document.querySelector("#found").textContent = JSON.stringify(found);
  for (const frame of document.querySelectorAll("iframe")) frame.remove();
});
</script>"""


@dataclass(frozen=True, slots=True)
class _Seen:
    found: dict[str, Any]
    console: list[str]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> _Seen:
    folder = tmp_path_factory.mktemp("browser")
    reader = folder / "reader.html"
    reader.write_text(_READER.replace("PAGE", escape(html(sample()))), encoding="utf-8")
    done = _open(reader, folder / "profile")
    text = BeautifulSoup(done.stdout, "html.parser").find(id="found")
    assert text is not None, done.stderr
    return _Seen(json.loads(text.get_text()), re.findall("^.*CONSOLE.*$", done.stderr, re.MULTILINE))


def _open(page: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    """The page's document after its scripts ran, and what the console was told."""
    assert _CHROMIUM is not None
    return subprocess.run(
        [
            _CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}",
            "--enable-logging=stderr", "--window-size=1800,1000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )  # fmt: skip


def test_console_is_quiet(seen: _Seen) -> None:
    assert seen.console == []


def test_numbers_are_those_of_the_report(seen: _Seen) -> None:
    found = {(retriever, measure): value for retriever, measure, value in seen.found["numbers"]}
    for result in sample().retrievers:
        assert {measure: found[result.label, measure] for measure in result.means} == result.means


@pytest.mark.parametrize("state", ["folded", "unfolded", "desktop"])
def test_page_never_scrolls_sideways(state: str, seen: _Seen) -> None:
    width, window = seen.found[state]
    assert window == (1280 if state == "desktop" else 390)
    assert width <= window


def test_table_is_sorted_by_a_click_on_its_heading(seen: _Seen) -> None:
    ranked = sorted(sample().retrievers, key=lambda result: -result.means["nDCG@10"])
    assert seen.found["sorted"] == [result.label for result in ranked]


def test_failures_are_filtered_by_retriever(seen: _Seen) -> None:
    lost = [failure.lost_by for failure in sample().failures]
    assert seen.found["lost"] == ["dense"] * lost.count("dense")


def test_figures_have_the_colours_of_the_style_sheet(seen: _Seen) -> None:
    first = [
        f"rgb({', '.join(str(int(colours['series-1'][place : place + 2], 16)) for place in (1, 3, 5))})"
        for colours in (LIGHT, DARK)
    ]
    assert {*first} & {*seen.found["strokes"]}
