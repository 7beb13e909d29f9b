"""What goldgen eval, report and why print and write, with the installed command."""

import json
from pathlib import Path

import pytest
from conftest import Goldgen
from stored_sets import fill, verdict

from goldgen.store import open_store


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    """Two golden questions and a near miss of one."""
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        fill(store)
        golds = [verdict("exports", "chunk-exports", 3), verdict("seats", "chunk-seats", 3)]
        store.judgments.put([*golds, verdict("seats", "chunk-exports", 1), verdict("seats", "near", 1)])
    return path


def test_a_run_file_stands_beside_a_retriever_and_the_report_can_be_made_again(
    goldgen: Goldgen, tmp_path: Path
) -> None:
    (tmp_path / "mine.trec").write_text("q-exports Q0 chunk-exports 1 2.5 mine\n", encoding="utf-8")
    arguments = ("--retriever", "bm25", "--run", "mine.trec", "--measure", "AllGold@5", "--report", "a.json")
    run = goldgen("eval", *arguments)
    assert run.returncode == 0, run.stderr
    assert run.stderr == "wrote a.json\n"
    assert "mine: AllGold@5 0.500" in run.stdout
    assert "scores and context" in run.stdout and "next 1." in run.stdout
    kept = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert [found["label"] for found in kept["retrievers"]] == ["bm25", "mine"]

    again = goldgen("report", "--out", "b.json")
    assert (again.returncode, again.stdout) == (0, "wrote b.json\n")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    pages = goldgen("report", "--from", "a.json", "--out", "page.html")
    assert (pages.returncode, pages.stdout) == (0, "wrote page.html\n")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(kept["retrievers"][1]["means"]["nDCG@10"]) in page


def test_why_shows_golds_and_near_misses_in_every_retriever(goldgen: Goldgen) -> None:
    run = goldgen("why", "how many SEATS", "--retriever", "bm25", "--retriever", "bm25-okapi")
    assert run.returncode == 0, run.stderr
    assert "bm25        first gold at rank 1" in run.stdout
    assert "gold, grade 3  seats.md  [chunk-seats]" in run.stdout
    assert "written near miss" in run.stdout and "The [-Basic-]{+Pro+} plan has 5 seats" in run.stdout
    found = json.loads(goldgen("why", "q-seats", "--retriever", "bm25", "--json").stdout)
    standings = [candidate["standing"] for candidate in found["candidates"]]
    assert standings[:2] == ["gold", "written near miss"]
    assert found["candidates"][1]["places"]["bm25"]["rank"] >= 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("why", "q-", "--retriever", "bm25"), "no question 'q-'"),
        (("why", "s", "--retriever", "bm25"), "2 questions match 's'"),
        (("report",), "no evaluation yet"),
        (("eval", "--retriever", "bm25", "--measure", "bpref@3"), "takes no cutoff"),
        (("eval", "--run", "missing.trec"), "missing.trec"),
        (("report", "--from", "missing.json"), "cannot read missing.json"),
    ],
)
def test_what_cannot_be_done_is_one_line(goldgen: Goldgen, arguments: tuple[str, ...], says: str) -> None:
    run = goldgen(*arguments)
    assert run.returncode == 1 and says in run.stderr
    assert run.stderr.startswith("error: ") and len(run.stderr.splitlines()) == 1
