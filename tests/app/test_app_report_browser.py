"""The page of a real evaluation in a real browser: it shows the numbers that the set keeps."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from stored_sets import draft, fill, verdict

from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.reports import ReportOptions, make_report
from goldgen.app.retrievers import SearchOptions
from goldgen.store import open_store
from goldgen.types import Chunk, Document

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_HEADLINE = ("nDCG@10", "P@5", "R@5", "RR@10", "AP@10")
# Words that most pages have weigh nothing in Okapi's formula, so that one rare word decides there alone.
_TEXTS = (
    "Owners change plans.",
    "Quarterly mail.",
    "Quarterly notes.",
    *(
        f"Owners change plans on page {number} of the settings, where all else is kept."
        for number in range(3)
    ),
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(_CHROMIUM is None, reason="needs Chromium in PATH: apt-get install chromium"),
]


def opened(page: Path, profile: Path) -> tuple[BeautifulSoup, list[str]]:
    """The page's document after its scripts ran, and what the console was told."""
    assert _CHROMIUM is not None
    done = subprocess.run(
        [
            _CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}",
            "--enable-logging=stderr", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )  # fmt: skip
    return BeautifulSoup(done.stdout, "html.parser"), re.findall("^.*CONSOLE.*$", done.stderr, re.MULTILINE)


def test_the_page_shows_the_numbers_that_the_set_keeps(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill(store)
        for number, text in enumerate(_TEXTS):
            document = Document(f"doc-{number}", f"page-{number}.md", text)
            chunk = Chunk(f"chunk-{number}", document.id, text, 0, len(text))
            store.corpus.replace_document(document, [chunk])
        store.questions.add([draft("0", "Do owners change plans quarterly?")])
        own = [verdict(key, f"chunk-{key}", 3) for key in ("exports", "seats", "0")]
        store.judgments.put([*own, verdict("seats", "chunk-exports", 3), verdict("seats", "near", 0)])
    evaluate(EvalOptions(db, ("bm25", "bm25-okapi"), SearchOptions(language="en")))
    (path,) = make_report(ReportOptions(db, tmp_path / "report.html"))
    with open_store(db, read_only=True) as store:
        kept = {run.retriever: dict(zip(run.measures, run.means, strict=True)) for run in store.runs.all()}
    assert kept.keys() == {"bm25", "bm25-okapi"} and kept["bm25"] != kept["bm25-okapi"]
    document, console = opened(path, tmp_path / "profile")
    assert console == []

    first, every = (
        table
        for table in document.select("#comparison table")
        if table.get_text(" ", strip=True).startswith(("Means over the questions", "Every measure"))
    )
    for table, measures in ((first, _HEADLINE), (every, tuple(kept["bm25"]))):
        cells = table.select("[data-retriever][data-measure][data-value]")
        numbers = {(str(cell["data-retriever"]), str(cell["data-measure"])): cell for cell in cells}
        assert len(numbers) == len(cells)
        for retriever, means in kept.items():
            for measure in measures:
                cell = numbers[retriever, measure]
                value, shown = float(str(cell["data-value"])), cell.find("bdi")
                assert value == means[measure], (retriever, measure)
                assert shown is not None and shown.get_text() == f"{value:.3f}"
