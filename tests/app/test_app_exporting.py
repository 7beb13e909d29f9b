"""The golden set as files of others, and read back."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Goldgen
from stored_sets import fill, human, verdict

from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.exporting import ExportForm, ExportOptions, ExportReport, export
from goldgen.app.importing import ImportOptions, import_collection
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Report
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Question

FORMULA = '=HYPERLINK("http://bad.test";"exports")'


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Three golden questions, one of them a log query that is a formula; one rejected and one unjudged."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill(store)
        store.questions.add(
            [
                Question("q-log", FORMULA, "log", "log", asked=7),
                Question("q-no", "Who reads exports?", "manual", "manual", "chunk-exports", "doc-exports"),
                Question("q-open", "Who sends exports?", "manual", "manual", "chunk-exports", "doc-exports"),
            ]
        )
        store.judgments.put(
            [
                verdict("exports", "chunk-exports", 3),
                verdict("exports", "chunk-seats", 1),
                verdict("seats", "chunk-seats", 3),
                verdict("seats", "near", 0),
                verdict("no", "chunk-exports", 0),
                human("log", "chunk-exports", 3),
            ]
        )
    return path


def exported(db: Path, to: Path, form: ExportForm) -> ExportReport:
    return export(ExportOptions(db, to, form))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def measured(db: Path) -> Report:
    return evaluate(EvalOptions(db, ("bm25",)))


def test_all_questions_are_written_or_counted(db: Path, tmp_path: Path) -> None:
    found = exported(db, tmp_path / "beir", "beir")
    assert (found.questions, found.labels, found.left_out) == (3, 3, {"rejected": 1, "unjudged": 1})
    assert found.not_carried == ("1 near misses (only jsonl has them)",)
    assert any("gpt-writer" in mark or "verifier" in mark for mark in found.marks)


def test_a_beir_folder_that_is_imported_again_measures_the_same(db: Path, tmp_path: Path) -> None:
    exported(db, tmp_path / "beir", "beir")
    again = import_collection(ImportOptions(tmp_path / "again.duckdb", tmp_path / "beir"))
    assert (again.golden, again.gold_from, again.grades) == (3, 3, {"1": 1, "3": 3})
    one, two = (measured(path).retrievers[0].means for path in (db, tmp_path / "again.duckdb"))
    assert one == two


def test_ids_of_any_kind_come_back(tmp_path: Path) -> None:
    odd = ['a "b', "c\td", "e  f", "-7"]
    with open_store(tmp_path / "odd.duckdb") as store:
        for name in odd:
            document = Document(f"d{name}", f"{name}.md", f"The text of {name}.")
            store.corpus.replace_document(
                document, [Chunk(name, document.id, document.text, 0, len(document.text))]
            )
            store.questions.add([Question(f"q-{name}", f"What of {name}?", "manual", "manual", name)])
        store.judgments.put([verdict(name, name, 3) for name in odd])
    exported(tmp_path / "odd.duckdb", tmp_path / "beir", "beir")
    again = import_collection(ImportOptions(tmp_path / "again.duckdb", tmp_path / "beir"))
    assert (again.golden, again.labels.rejected) == (len(odd), {})
    with pytest.raises(SettingsError, match="white space"):
        exported(tmp_path / "odd.duckdb", tmp_path / "trec", "trec")


def test_trec_files_are_imported_as_labels(db: Path, tmp_path: Path) -> None:
    exported(db, tmp_path / "beir", "beir")
    exported(db, tmp_path / "trec", "trec")
    labels = tmp_path / "trec" / "qrels.txt"
    again = import_collection(ImportOptions(tmp_path / "again.duckdb", tmp_path / "beir", qrels=labels))
    assert (again.golden, again.grades) == (3, {"1": 1, "3": 3})
    queries = (tmp_path / "trec" / "queries.tsv").read_text("utf-8").splitlines()
    assert f"q-log\t{FORMULA}" in queries


def test_a_formula_is_harmless_in_csv_and_as_typed_in_jsonl(db: Path, tmp_path: Path) -> None:
    exported(db, tmp_path / "a.csv", "csv")
    exported(db, tmp_path / "a.jsonl", "jsonl")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        cells = {row["question_id"]: row["question"] for row in csv.DictReader(file)}
    assert cells["q-log"] == f"'{FORMULA}"
    assert {row["question"] for row in rows(tmp_path / "a.jsonl")} >= {FORMULA}


def test_a_line_of_jsonl_has_all_that_is_known(db: Path, tmp_path: Path) -> None:
    exported(db, tmp_path / "a.jsonl", "jsonl")
    line = next(row for row in rows(tmp_path / "a.jsonl") if row["id"] == "q-seats")
    assert [gold["document"] for gold in line["gold"]] == ["seats.md"]
    assert [near["edit"] for near in line["near_misses"]] == ["plan"]
    assert line["grades"] == {"chunk-seats": 3}
    assert line["set"]["marks"]


def test_questions_for_ragas_and_deepeval_name_the_texts_that_answer(db: Path, tmp_path: Path) -> None:
    exported(db, tmp_path / "r.jsonl", "ragas")
    exported(db, tmp_path / "d.json", "deepeval")
    ragas, deepeval = rows(tmp_path / "r.jsonl"), json.loads((tmp_path / "d.json").read_text("utf-8"))
    assert [row["user_input"] for row in ragas] == [golden["input"] for golden in deepeval]
    assert [row["reference_contexts"] for row in ragas] == [golden["context"] for golden in deepeval]
    assert all(row["reference_contexts"] for row in ragas)


def test_nothing_is_overwritten_unless_asked(db: Path, tmp_path: Path) -> None:
    to = tmp_path / "a.csv"
    to.write_text("mine", encoding="utf-8")
    with pytest.raises(SettingsError, match="is there already"):
        exported(db, to, "csv")
    assert to.read_text("utf-8") == "mine"
    export(ExportOptions(db, to, "csv", overwrite=True))
    assert to.read_text("utf-8") != "mine"
    with pytest.raises(SettingsError, match="is a folder"):
        exported(db, tmp_path, "csv")


def test_a_set_without_golden_questions_writes_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path / "set.duckdb") as store:
        fill(store)
    with pytest.raises(EmptyResultError, match="no golden question"):
        exported(tmp_path / "set.duckdb", tmp_path / "beir", "beir")
    assert not (tmp_path / "beir").exists()


def test_the_command_tells_what_it_wrote(db: Path, goldgen: Goldgen) -> None:
    run = goldgen("export", "a.csv", "--format", "csv", "--db", str(db))
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[:4] == [
        "wrote a.csv",
        "questions   3 golden, with 3 golds",
        "left out    1 rejected, 1 unjudged",
        "not in it   1 near misses (only jsonl has them)",
    ]
    again = goldgen("export", "a.csv", "--format", "csv", "--db", str(db))
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)
