import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Goldgen
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.store import open_store

SIZE = ("--chunk-size", "700")


def printed(goldgen: Goldgen, *arguments: str) -> str:
    run = goldgen("corpus", *arguments)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def overview(goldgen: Goldgen) -> dict[str, Any]:
    return json.loads(printed(goldgen, "--json"))


def test_people_see_the_chunks_before_they_pay_for_questions(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    (docs / "notes.py").write_text("print()", encoding="utf-8")
    out = printed(goldgen, "load", "docs", *SIZE)
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert lines["loaded"].endswith("docs: 4 documents, 4 new or changed")
    assert lines["documents"].endswith("4: 4 .md")
    assert lines["chunks"].endswith("8, of 700 characters at most")
    assert lines["skipped"].endswith("1: 1 files of kind .py are not read")
    assert "  notes.py: files of kind .py are not read" in out
    assert printed(goldgen).splitlines() == out.splitlines()[1:]
    found = overview(goldgen)
    shown = printed(goldgen, "show", found["longest"][:10])
    assert shown.startswith(f"chunk       {found['longest']}, ")
    assert "--- text" in shown
    stub = start_stub(generator_script)
    models = ("--base-url", stub.url, "--model", "gen", "--near-miss", "0")
    run = goldgen("synth", *models, "--json")  # no path: the corpus as it was loaded, cut as it was asked
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["chunks_asked"] == 8
    assert overview(goldgen)["chunking"]["size"] == 700


def test_files_are_chosen_by_patterns(goldgen: Goldgen, docs: Path) -> None:
    (docs / "old").mkdir()
    (docs / "old/a.md").write_text("# Old\n\nAn old page.", encoding="utf-8")
    (docs / "read.txt").write_text("A text.", encoding="utf-8")
    (docs / ".gitignore").write_text("read.txt", encoding="utf-8")
    chosen = ("--include", "*.md", "--include", "*.txt", "--exclude", "old/")
    found = json.loads(printed(goldgen, "load", "docs", *chosen, "--json"))["overview"]
    assert (found["documents"], found["selection"]["exclude"]) == (4, ["old/"])
    reasons = {item["path"]: item["reason"] for item in found["skipped_files"]}
    assert reasons == {
        ".gitignore": "hidden",
        "old": "named by --exclude",
        "read.txt": "ignored by .gitignore",
    }
    assert "excluded    old/" in printed(goldgen)
    everything = json.loads(printed(goldgen, "load", "docs", "--no-gitignore", "--json"))
    assert everything["report"]["documents"] == 6


def test_chunks_come_from_a_database_by_query(goldgen: Goldgen, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "wiki.db")) as database, database:
        database.execute("create table c (id, text, page)")
        rows = [("a-1", "One text.", "a"), ("a-2", "Two \x1b[31mtexts.", "a"), ("a-2", "Again.", "a")]
        database.executemany("insert into c values (?, ?, ?)", rows)
    query = "select id, text, page as document_id from c"
    out = printed(goldgen, "load", "--from", "sqlite:wiki.db", "--query", query)
    assert "chunks      2, as they came" in out
    assert f"query       {query}" in out
    assert "  sqlite:3: its id stands on an earlier row: 'a-2' on 2" in out
    shown = printed(goldgen, "show", "a-2")
    assert "--- before: a-1\nOne text." in shown
    assert "Two \\x1b[31mtexts." in shown


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("load",), 2, "name the documents to read"),
        (("load", "docs", "--from", "sqlite:x.db"), 2, "either PATH or --from"),
        (("load", "docs", "--chunk-overlap", "10"), 2, "need --chunk-size"),
        (
            ("load", "--from", "postgresql:password=hidden nonsense", "--query", "q"),
            1,
            "error: the PostgreSQL",
        ),
        (("load", "docs", "--exclude", "!"), 1, "error: --exclude '!' is no pattern"),
        ((), 1, "error: no golden set"),
    ],
)
def test_errors_are_told(
    goldgen: Goldgen, docs: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    run = goldgen("corpus", *arguments)
    assert run.returncode == code
    assert message in " ".join(run.stderr.split())
    assert "hidden" not in run.stderr
    assert "Traceback" not in run.stderr


def test_synth_without_a_corpus_asks_for_one(goldgen: Goldgen, tmp_path: Path) -> None:
    run = goldgen("synth", "--offline")
    assert (run.returncode, "name the documents" in run.stderr) == (2, True)
    open_store(tmp_path / "outputs/goldgen.duckdb").close()
    run = goldgen("synth", "--offline")
    assert run.returncode == 1
    assert run.stderr.startswith("error: ") and "name the documents to read" in run.stderr
