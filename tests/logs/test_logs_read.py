import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pytest

from goldgen.errors import TableError
from goldgen.logs import LogColumns, LogRow, read_log
from goldgen.tabular import BadRow, Row, read_rows, read_rows_from

SHARED_LOGS = Path(__file__).parents[2] / ".." / "shared" / "data" / "logs"


def _rows(*values: Mapping[str, object]) -> list[Row | BadRow]:
    return [Row(line, row) for line, row in enumerate(values, start=1)]


def _queries(rows: Iterable[LogRow | BadRow]) -> list[str]:
    return [row.query for row in rows if isinstance(row, LogRow)]


def _bad(rows: Iterable[LogRow | BadRow]) -> list[tuple[int, str]]:
    return [(row.line, row.reason) for row in rows if isinstance(row, BadRow)]


@pytest.mark.parametrize("name", ["query", "q", "search", "search_term", "question", "text", "Query"])
def test_the_column_of_queries_is_found_by_its_usual_names(name: str) -> None:
    assert _queries(read_log(_rows({"n": 1, name: "how"}))) == ["how"]


def test_all_columns_are_read() -> None:
    values = {"q": " how \n to ", "url": "/a", "clicks": "3", "timestamp": "2024-05-06T10:11:12Z"}

    assert list(read_log(_rows(values))) == [
        LogRow(1, "how to", "/a", 3, datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC), clicked=True)
    ]


def test_named_columns_come_before_the_usual_ones() -> None:
    rows = _rows({"query": "no", "page": "/no", "asked": "yes", "target": "/yes", "n": 2, "at": "2024-05-06"})

    found = list(read_log(rows, LogColumns("asked", "target", "n", "at")))

    assert found == [LogRow(1, "yes", "/yes", 2, datetime(2024, 5, 6, tzinfo=UTC), clicked=True)]


def test_a_missing_column_of_queries_names_those_that_exist_and_the_flag() -> None:
    with pytest.raises(TableError, match=r"^log\.csv has no column of queries, only term, when; .* --query$"):
        list(read_log(_rows({"when": 1, "term": "x"}), source="log.csv"))


@pytest.mark.parametrize(
    ("columns", "flag"),
    [
        (LogColumns(query="nope"), "--query"),
        (LogColumns(page="nope"), "--page"),
        (LogColumns(clicks="nope"), "--clicks"),
        (LogColumns(time="nope"), "--time"),
    ],
)
def test_a_named_column_that_is_missing_is_an_error(columns: LogColumns, flag: str) -> None:
    with pytest.raises(TableError, match=f"no column 'nope', only page, query; name it with {flag}"):
        list(read_log(_rows({"query": "x", "page": "y"}), columns))


def test_a_column_may_be_missing_in_the_first_objects() -> None:
    rows = _rows({"event": "start"}, {"query": "how", "page": "/a"})

    found = list(read_log(rows))

    assert found == [BadRow(1, "the query is empty"), LogRow(2, "how", "/a", clicked=True)]


def test_a_log_without_rows_is_empty_and_bad_rows_pass() -> None:
    assert list(read_log([])) == []
    assert list(read_log([BadRow(3, "not JSON")])) == [BadRow(3, "not JSON")]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "the query is empty"),
        (" \t ", "the query is empty"),
        (None, "the query is empty"),
        (float("nan"), "the query is empty"),
        ("?!… – «»", "the query has no letter or digit"),
        ("x" * 2001, "the query is longer than 2,000 characters"),
        (["how"], "the query is not text"),
        ({"a": 1}, "the query is not text"),
        (True, "the query is not text"),
    ],
)
def test_a_row_without_a_usable_query_is_bad_with_line_and_reason(query: object, reason: str) -> None:
    rows: list[Row | BadRow] = [Row(7, {"query": query}), Row(8, {"query": "how"})]

    assert list(read_log(rows)) == [BadRow(7, reason), LogRow(8, "how")]


@pytest.mark.parametrize("query", ["x" * 2000, "é", "日本", "4012", 4012])
def test_short_and_numeric_queries_are_queries(query: object) -> None:
    assert _queries(read_log(_rows({"query": query}))) == [str(query)]


@pytest.mark.parametrize(
    ("value", "clicks"),
    [
        ("3", 3),
        (3, 3),
        ("3.0", 3),
        (0, 0),
        ("", None),
        (None, None),
        ("many", None),
        (-1, None),
        (2.5, None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_clicks_are_whole_numbers_or_none(value: object, clicks: int | None) -> None:
    clicked = None if clicks is None else clicks > 0
    found = list(read_log(_rows({"query": "x", "clicks": value})))
    assert found == [LogRow(1, "x", None, clicks, clicked=clicked)]


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2024-05-06 10:11:12", datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC)),
        ("2024-05-06T12:11:12+02:00", datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC)),
        ("20240506", datetime(2024, 5, 6, tzinfo=UTC)),
        ("1714990272", datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC)),
        (1714990272.0, datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC)),
        (1714990272000, datetime(2024, 5, 6, 10, 11, 12, tzinfo=UTC)),
        (1710122312345, datetime(2024, 3, 11, 1, 58, 32, 345000, tzinfo=UTC)),
        (datetime(2024, 5, 6, 10), datetime(2024, 5, 6, 10, tzinfo=UTC)),
        (date(2024, 5, 6), datetime(2024, 5, 6, tzinfo=UTC)),
        ("yesterday", None),
        ("9" * 40, None),
        ("", None),
        (None, None),
    ],
)
def test_times_are_iso_or_unix(value: object, time: datetime | None) -> None:
    assert list(read_log(_rows({"query": "x", "time": value}))) == [LogRow(1, "x", None, None, time)]


def test_excels_byte_order_mark_does_not_hide_the_column(tmp_path: Path) -> None:
    raw = "query,page\r\nwie geht's,/a\r\n".encode("utf-8-sig")
    path = tmp_path / "log.csv"
    path.write_bytes(raw)
    expected = [LogRow(2, "wie geht's", "/a", clicked=True)]

    assert list(read_log(read_rows(path))) == expected
    assert list(read_log(read_rows_from(io.BytesIO(raw), "csv"))) == expected


def test_a_late_quotation_mark_and_cp1252_leave_the_row_count_exact(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    plain = b"".join(b"query %d,/p\n" % number for number in range(21_000))
    path.write_bytes(b"query,page\n" + plain + b'"a, b\nc",/q\n' + "größe,/r\n".encode("cp1252"))

    rows = list(read_log(read_rows(path)))

    assert len(rows) == 21_002
    assert rows[-2:] == [
        LogRow(21_002, "a, b c", "/q", clicked=True),
        LogRow(21_004, "größe", "/r", clicked=True),
    ]


def test_a_pasted_query_is_skipped_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("query\nfirst\n" + "x" * 140_000 + "\nlast\n", encoding="utf-8")

    rows = list(read_log(read_rows(path)))

    assert _queries(rows) == ["first", "last"]
    assert [line for line, _ in _bad(rows)] == [3]


def test_blank_truncated_and_joined_json_lines_keep_the_good_rows(tmp_path: Path) -> None:
    raw = b'{"query": "a"}\n\n{"query": "b"}{"query": "c"}\n{"query": "d"\n{"query": ""}\n{"query": "jane@exa'
    path = tmp_path / "log.jsonl"
    path.write_bytes(raw)

    for rows in (read_rows(path), read_rows_from(io.BytesIO(raw), "jsonl")):
        found = list(read_log(rows))
        assert _queries(found) == ["a", "b", "c"]
        assert [line for line, _ in _bad(found)] == [4, 5, 6]
        assert not any("jane" in reason for _, reason in _bad(found))


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    with duckdb.connect(":memory:") as connection:
        select = "select 'how' as query, 2::bigint as clicks, timestamp '2024-05-06 10:00:00' as time"
        connection.execute(f"copy ({select}) to '{path}' (format parquet)")

    found = list(read_log(read_rows(path)))

    assert found == [LogRow(1, "how", None, 2, datetime(2024, 5, 6, 10, tzinfo=UTC), clicked=True)]


def test_a_real_log_is_read_whole() -> None:
    path = SHARED_LOGS / "ray_eval-dataset-v1.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is missing: the shared evaluation data are not next to this checkout")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    rows = list(read_log(read_rows(path), LogColumns(page="source")))

    assert [row.page for row in rows if isinstance(row, LogRow)] == [line["source"] for line in lines]
