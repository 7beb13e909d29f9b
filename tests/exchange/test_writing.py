"""Files for other tools."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.errors import SettingsError
from goldgen.exchange import write_csv, write_json, write_jsonl, write_lines, write_tsv
from goldgen.exchange.writing import safe_cell

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))
FORMULAS = ('=HYPERLINK("http://x.test","y")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1")


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_text_in_a_table_and_as_it_was_in_jsonl(tmp_path: Path, cell: str) -> None:
    write_csv(tmp_path / "a.csv", ["query"], [[cell]])
    write_jsonl(tmp_path / "a.jsonl", [{"query": cell}])
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["query"], [f"'{cell}"]]
    assert json.loads((tmp_path / "a.jsonl").read_text("utf-8")) == {"query": cell}


def test_numbers_and_plain_texts_stay_as_they_are() -> None:
    assert [safe_cell(value) for value in (-1, -0.5, "a=b", "", None)] == [-1, -0.5, "a=b", "", None]


@given(rows=st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_tables_are_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("tables") / "a.tsv"
    write_tsv(path, ["a", "b"], rows)
    with path.open(newline="", encoding="utf-8") as file:
        assert [tuple(row) for row in csv.reader(file, delimiter="\t")] == [("a", "b"), *rows]


def test_white_space_within_a_field_of_a_line_becomes_a_space(tmp_path: Path) -> None:
    write_lines(tmp_path / "q.tsv", [("q1", "two\nlines\tand a tab")], "\t")
    assert (tmp_path / "q.tsv").read_text("utf-8") == "q1\ttwo lines and a tab\n"


def test_a_writing_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"kept": True})
    with pytest.raises(TypeError):
        write_json(path, object())
    assert json.loads(path.read_text("utf-8")) == {"kept": True}
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"cannot write .*a\.json"):
        write_json(tmp_path / "file" / "a.json", {})
