"""Tables: real files of every format, with the damage that exports really have."""

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.errors import TableError
from goldgen.tabular import LONGEST_FIELD, BadRow, Row, pick_column, read_rows, read_rows_from


def table(folder: Path, name: str, content: str | bytes) -> list[Row | BadRow]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_rows(path))


def values(rows: list[Row | BadRow], column: str) -> list[object]:
    return [row.values[column] for row in rows if isinstance(row, Row)]


def bad(rows: list[Row | BadRow]) -> list[BadRow]:
    return [row for row in rows if isinstance(row, BadRow)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.csv", "query,asked\nGrüße 返金,3\n"),
        ("log.tsv", "query\tasked\nGrüße 返金\t3\n"),
        ("log.jsonl", '{"query": "Grüße 返金", "asked": "3"}\n'),
        ("log.ndjson", '{"query": "Grüße 返金", "asked": "3"}\n'),
    ],
)
def test_a_byte_order_mark_hides_no_column(tmp_path: Path, name: str, content: str, encoding: str) -> None:
    rows = table(tmp_path, name, content.encode(encoding))
    assert [row.values for row in rows if isinstance(row, Row)] == [{"query": "Grüße 返金", "asked": "3"}]
    assert not bad(rows)


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl"])
def test_a_cp1252_line_among_utf8_is_decoded(tmp_path: Path, name: str) -> None:
    head, rows = (b"query\n", ["Caf\xe9 5 \u20ac", "Gr\xfc\xdfe"])
    if name == "log.jsonl":
        head, rows = b"", [json.dumps({"query": row}, ensure_ascii=False) for row in rows]
    content = head + rows[0].encode("cp1252") + b"\n" + rows[1].encode("utf-8") + b"\n"
    assert values(table(tmp_path, name, content), "query") == ["Caf\xe9 5 \u20ac", "Gr\xfc\xdfe"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    content = f'"query, or|text; mostly"{delimiter}asked\n"a,b;c|d\te"{delimiter}7\n'
    (row,) = table(tmp_path, "log.csv", content)
    assert isinstance(row, Row)
    assert dict(row.values) == {"query, or|text; mostly": "a,b;c|d\te", "asked": "7"}


def test_a_late_quoted_cell_with_a_line_break_keeps_the_count_exact(tmp_path: Path) -> None:
    plain = "".join(f"query {number},1\n" for number in range(21_000))
    rows = table(tmp_path, "log.csv", "query,asked\n" + plain + '"a, b\nc",2\nlast,3\n')
    assert len(rows) == 21_002
    assert values(rows, "query")[-2:] == ["a, b\nc", "last"]
    assert [row.line for row in rows[-2:]] == [21_002, 21_004]


@pytest.mark.parametrize(
    "cell", ["x" * 140_000, '"' + "x" * 140_000 + '"', '"' + "pasted, line\n" * 12_000 + '"']
)
def test_a_field_that_is_too_long_costs_its_own_row_only(tmp_path: Path, cell: str) -> None:
    rows = table(tmp_path, "log.csv", f"query,asked\nbefore,1\n{cell},2\nafter,3\n")
    assert values(rows, "query") == ["before", "after"]
    assert bad(rows) == [BadRow(3, f"a field is longer than {LONGEST_FIELD:,} characters")]


@pytest.mark.parametrize("filler", [3, 60_000])
def test_a_quote_that_is_never_closed_costs_its_own_row_only(tmp_path: Path, filler: int) -> None:
    rows = table(tmp_path, "log.csv", 'query,asked\n"open,1\n' + "a filling query,1\n" * filler)
    assert bad(rows) == [BadRow(2, "a quotation mark is never closed")]
    assert values(rows, "query") == ["a filling query"] * filler


def test_a_tsv_query_may_begin_with_a_quotation_mark(tmp_path: Path) -> None:
    rows = table(tmp_path, "log.tsv", 'query\tasked\n"what is\t1\nplain\t2\n"quoted"\t3\n')
    assert values(rows, "query") == ['"what is', "plain", "quoted"]


def test_ragged_rows_and_blank_lines(tmp_path: Path) -> None:
    rows = table(tmp_path, "log.csv", "query,asked\n\nshort\nlong,1,2\nempty tail,1,,\n   \n")
    assert [dict(row.values) for row in rows if isinstance(row, Row)] == [
        {"query": "short"},
        {"query": "empty tail", "asked": "1"},
    ]
    assert bad(rows) == [BadRow(4, "3 cells under a header of 2")]


def test_a_nul_marks_its_row(tmp_path: Path) -> None:
    rows = table(tmp_path, "log.csv", "query\na\x00b\nfine\n")
    assert [row.line for row in bad(rows)] == [2]
    assert values(rows, "query") == ["fine"]
    rows = table(tmp_path, "log.jsonl", '{"query": "a\\u0000b"}\n{"query": "\\ud800"}\n{"query": "fine"}\n')
    assert [row.line for row in bad(rows)] == [1, 2]
    assert values(rows, "query") == ["fine"]


def test_json_lines_with_blanks_a_cut_line_and_two_on_one(tmp_path: Path) -> None:
    content = (
        '{"query": "a"}\n\n{"query": "b"}{"query": "c"} {"query": "d"}\n[1]\n{"query": NaN}\n{"query": "e'
    )
    rows = table(tmp_path, "log.jsonl", content)
    assert values(rows, "query") == ["a", "b", "c", "d", None]
    assert [row.line for row in bad(rows)] == [4, 6]
    assert "list" in bad(rows)[0].reason


def test_deeply_nested_json_is_a_bad_row(tmp_path: Path) -> None:
    rows = table(tmp_path, "log.jsonl", "[" * 200_000 + '\n{"query": "fine"}\n')
    assert [row.line for row in bad(rows)] == [1]
    assert values(rows, "query") == ["fine"]


@pytest.mark.parametrize("name", ["log.parquet", "log[1]*.parquet"])
def test_parquet(tmp_path: Path, name: str) -> None:
    plain = tmp_path / "plain.parquet"
    with duckdb.connect(":memory:") as connection:
        select = "select i as asked, 'query ' || i as query from range(2500) r(i)"
        connection.execute(f"copy ({select}) to '{plain}' (format parquet)")
    rows = list(read_rows(plain.rename(tmp_path / name)))
    assert len(rows) == 2500
    assert rows[0] == Row(1, {"asked": 0, "query": "query 0"})
    assert rows[-1] == Row(2500, {"asked": 2499, "query": "query 2499"})


def test_what_is_no_table_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"not parquet\nat all")
    (tmp_path / "notes.xlsx").write_bytes(b"PK")
    (tmp_path / "wide.csv").write_bytes("query,asked\na,1\n".encode("utf-16-le"))
    for name in ("broken.parquet", "notes.xlsx", "absent.csv", "wide.csv"):
        with pytest.raises(TableError, match=name) as caught:
            list(read_rows(tmp_path / name))
        assert "\n" not in str(caught.value)


def test_empty_tables_have_no_rows(tmp_path: Path) -> None:
    assert table(tmp_path, "a.csv", "") == []
    assert table(tmp_path, "b.csv", "query,asked\n") == []
    assert table(tmp_path, "c.jsonl", "\n\n") == []


def test_columns_are_picked_by_wish_and_not_by_place() -> None:
    assert pick_column(["Text", "ID", "_id"], ["id", "_id"]) == "ID"
    assert pick_column(["Text", "_id"], ["id", "_id"]) == "_id"
    assert pick_column(["a"], ["id"]) is None


CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=20)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=20))
def test_what_the_csv_module_writes_comes_back(cells: list[tuple[str, str]]) -> None:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows([("query", "note"), *cells])
    rows = list(read_rows_from(io.BytesIO(out.getvalue().encode()), "csv"))
    assert [tuple(row.values.values()) for row in rows if isinstance(row, Row)] == cells


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_but_never_crash(data: bytes) -> None:
    for row in read_rows_from(io.BytesIO(data), "jsonl"):
        assert isinstance(row, Row | BadRow)
