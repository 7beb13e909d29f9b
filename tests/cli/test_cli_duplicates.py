"""Near duplicates with the installed command: merged as questions come, listed, parted."""

import json
from pathlib import Path

import pytest
from conftest import Goldgen
from stub.server import Stub
from typer.testing import CliRunner

from goldgen.cli.main import app
from goldgen.store import open_store
from goldgen.types import Chunk, Document

TEXT = "Basic has 5 seats. Roles can be renamed."


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        chunk = Chunk("chunk", "d", TEXT, 0, len(TEXT))
        store.corpus.replace_document(Document("d", "seats.md", TEXT), [chunk])
    return path


def test_what_is_merged_is_told_listed_and_can_be_parted(goldgen: Goldgen, stub: Stub) -> None:
    model = {"GOLDGEN_EMBEDDING_MODEL": "vectors", "GOLDGEN_EMBEDDING_BASE_URL": stub.url}
    table = goldgen.folder / "questions.csv"
    table.write_text(
        "question\nHow many seats has Basic?\nPlease tell me how many seats Basic has\n", "utf-8"
    )
    added = goldgen("add", "--file", str(table), "--name", "Ann", **model)
    assert added.returncode == 0, added.stderr
    line = "merged      1 near duplicate in the set; goldgen duplicates lists them"
    assert line in added.stdout and line in goldgen("status").stdout

    found = json.loads(goldgen("duplicates", "--json").stdout)
    (group,) = found["groups"]
    (member,) = group["members"]
    assert (found["merged"], member["standing"], member["found_by"]) == (1, "merged", "words")

    parted = goldgen("duplicates", "--part", group["kept_id"][:6], member["question_id"][:6])
    assert parted.returncode == 0, parted.stderr
    assert "are two questions from now on" in parted.stdout
    assert f"words, {member['similarity']:.3f}; stands alone: parted)" in parted.stdout
    assert member["text"] in parted.stdout and "merged      0 near duplicates" in parted.stdout

    wrong = goldgen("duplicates", "--part", "nothing", group["kept_id"])
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == (
        "error: 'nothing': the set has no question of that id; goldgen duplicates lists them\n"
    )


def test_parting_and_joining_at_once_is_wrong_usage() -> None:
    both = CliRunner().invoke(app, ["duplicates", "--part", "a", "b", "--join", "a", "b"])
    assert both.exit_code == 2 and "either --part or --join" in both.output
