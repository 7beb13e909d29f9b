"""Importing a set made elsewhere, with the installed command."""

import json
from pathlib import Path

import pytest
from conftest import Goldgen

DOCUMENTS = {
    "exports": "Exports run at night and are sent to the owner by mail.",
    "seats": "The Basic plan has 5 seats, and more seats cost 3 euros each.",
    "alerts": "Alerts go to the on-call person and stop after 30 minutes.",
}
QUERIES = {"q1": "When do exports run?", "q2": "How many seats has Basic?", "q3": "Who is \x1b asked?"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BEIR folder, and ``qrels.trec`` with TREC's labels on a scale to 2."""
    folder = tmp_path / "helpdesk"
    (folder / "qrels").mkdir(parents=True)
    for name, texts in (("corpus", DOCUMENTS), ("queries", QUERIES)):
        rows = "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in texts.items())
        (folder / f"{name}.jsonl").write_text(rows, encoding="utf-8")
    table = "query-id\tcorpus-id\tscore\nq1\texports\t1\nq2\tseats\t1\nq2\tnowhere\t1\n"
    (folder / "qrels" / "test.tsv").write_text(table, encoding="utf-8")
    (tmp_path / "qrels.trec").write_text("q1 0 exports 2\nq1 0 alerts 1\nq2 0 alerts 1\n", encoding="utf-8")
    return folder


@pytest.mark.usefixtures("folder")
def test_a_folder_is_imported_and_measured(goldgen: Goldgen) -> None:
    run = goldgen("import", "helpdesk")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [
        "set         helpdesk",
        "documents   3",
        "questions   3: 2 with gold, 1 without a label",
        "labels      2 of grade 1; gold from 1",
        "rejected    1 rows of test.tsv: 1 it names a document that is not there",
        "  line 4: it names a document that is not there",
        "next        goldgen eval: measure retrievers; one of your own returns the ids of corpus.jsonl",
    ]
    measured = json.loads(goldgen("eval", "--retriever", "bm25", "--json").stdout)
    assert (measured["questions"], measured["threshold"], measured["excluded"]) == (2, 1, 1)
    assert measured["retrievers"][0]["means"]["nDCG@10"] == 1
    assert measured["marks"][0] == "imported: labels of helpdesk, not verified by goldgen"


@pytest.mark.usefixtures("folder")
def test_trecs_qrels_as_json(goldgen: Goldgen) -> None:
    files = (
        "--qrels",
        "qrels.trec",
        "--queries",
        "helpdesk/queries.jsonl",
        "--corpus",
        "helpdesk/corpus.jsonl",
    )
    run = goldgen("import", *files, "--name", "trec", "--json", "--db", "trec.duckdb")
    found = json.loads(run.stdout)
    assert (found["name"], found["gold_from"], found["grades"]) == ("trec", 2, {"1": 2, "2": 1})
    assert (found["golden"], found["without_gold"], found["unjudged"]) == (1, 1, 1)
    again = goldgen("import", *files, "--gold-from", "1", "--db", "trec.duckdb")
    assert "set         qrels.trec, in place of an earlier import\n" in again.stdout
    assert "questions   3: 2 with gold, 1 without a label\n" in again.stdout
    assert "labels      3 of grades 1 (2), 2 (1); gold from 1\n" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--corpus", "c.jsonl"), 2, "name a BEIR folder, or --corpus, --queries and"),
        (("helpdesk", "--split", "dev", "--qrels", "qrels.trec"), 2, "--split chooses among the qrels"),
        (("helpdesk", "--split", "dev"), 1, "error: helpdesk/qrels: has no dev.tsv, only test; name one by"),
        (("nowhere",), 1, "error: nowhere: has no corpus.jsonl; name a folder with corpus.jsonl"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_imported_is_an_error(
    goldgen: Goldgen, arguments: tuple[str, ...], status: int, says: str
) -> None:
    run = goldgen("import", *arguments)
    assert run.returncode == status
    assert says in run.stderr
    assert not (goldgen.folder / "outputs").exists()
