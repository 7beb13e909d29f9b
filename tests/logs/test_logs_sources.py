"""The rows 26 to 30 of a log's hardships through every entry: a file, one in gzip, and standard input."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.errors import TableError
from goldgen.logs import STANDARD_INPUT, LogFormat, LogMerge, LogSource, merge, read_log
from goldgen.logs.json_rows import json_rows
from goldgen.tabular import Row

Entry = Callable[[Path, str, bytes], LogSource]


def _file(folder: Path, name: str, raw: bytes) -> LogSource:
    (folder / name).write_bytes(raw)
    return LogSource(folder / name)


def _gzip_file(folder: Path, name: str, raw: bytes) -> LogSource:
    return _file(folder, name + ".gz", gzip.compress(raw))


def _stdin(_folder: Path, _name: str, raw: bytes) -> LogSource:
    return LogSource(STANDARD_INPUT, io.BytesIO(raw))


def _gzip_stdin(_folder: Path, _name: str, raw: bytes) -> LogSource:
    return LogSource(STANDARD_INPUT, io.BytesIO(gzip.compress(raw)))


every_entry = pytest.mark.parametrize("entry", [_file, _gzip_file, _stdin, _gzip_stdin])


def _merged(source: LogSource) -> LogMerge:
    return merge(read_log(source.rows(), source=source.name))


def _asked(merged: LogMerge) -> dict[str, int]:
    return {query.text: query.asked for query in merged.queries}


def _lines(merged: LogMerge) -> list[int]:
    return [row.line for row in merged.bad]


@every_entry
@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("log.csv", b"query,page\nhow,/a\nwhat,/b\n"),
        ("log.csv", "query;page\r\nhow;/a\r\nwhat;/b\r\n".encode("utf-8-sig")),
        ("log.tsv", b"page\tquery\n/a\thow\n/b\twhat\n"),
        ("log.jsonl", b'{"query": "how"}\n{"query": "what"}\n'),
        ("log.json", b'[{"query": "how"},\n {"query": "what"}]'),
        ("log.json", b'{\n  "query": "how"\n}\n{\n  "query": "what"\n}\n'),
        ("log.json", '["how", "what"]'.encode("utf-8-sig")),
        ("log.json", '[{"query": "how"}, {"query": "what"}]'.encode("utf-16")),
        ("log.txt", b"how\n\nwhat\n"),
        ("log.txt", "how\nwhat\n".encode("utf-16")),
    ],
)
def test_every_format_through_every_entry(tmp_path: Path, entry: Entry, name: str, raw: bytes) -> None:
    merged = _merged(entry(tmp_path, name, raw))

    assert (_asked(merged), merged.rows) == ({"how": 1, "what": 1}, 2)


@every_entry
def test_a_late_quotation_mark_and_cp1252_leave_the_count_exact(tmp_path: Path, entry: Entry) -> None:
    plain = b"".join(b"query %d,/p\n" % number for number in range(2_100))
    raw = b"query,page\n" + plain + b'"a, b\nc",/q\n' + "größe,/r\n".encode("cp1252")

    merged = _merged(entry(tmp_path, "log.csv", raw))

    assert merged.rows == len(merged.queries) == 2_102
    assert {"a, b c", "größe"} <= _asked(merged).keys()


@every_entry
@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("log.csv", b"query\nfirst\n" + b"x" * 140_000 + b"\nlast\n"),
        ("log.txt", b"first\n\n" + b"x" * 140_000 + b"\nlast\n"),
        ("log.json", b'[{"query": "first"},\n\n{"query": "' + b"x" * 140_000 + b'"},\n{"query": "last"}]'),
        (
            "log.json",
            b'[{"query": "first"},\n\n{"query": "' + b"x" * 1_200_000 + b'"},\n{"query": "last"}]',
        ),
    ],
)
def test_a_pasted_document_is_skipped_with_its_line(
    tmp_path: Path, entry: Entry, name: str, raw: bytes
) -> None:
    merged = _merged(entry(tmp_path, name, raw))

    assert (_asked(merged), _lines(merged)) == ({"first": 1, "last": 1}, [3])


@every_entry
@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_blank_truncated_and_joined_json_keep_the_good_rows(tmp_path: Path, entry: Entry, name: str) -> None:
    raw = b'{"query": "a"}\n\n{"query": "b"}{"query": "c"}\n{"query": "d\n{"query": "e"}\n{"query": "jane@exa'

    merged = _merged(entry(tmp_path, name, raw))

    assert (_asked(merged), _lines(merged)) == ({"a": 1, "b": 1, "c": 1, "e": 1}, [4, 6])
    assert "jane" not in repr(merged)


@given(
    st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers(), max_size=3)),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_json_is_read_as_it_was_written(
    rows: list[dict[str, object]], indent: int | None, array: bool
) -> None:
    text = json.dumps(rows, indent=indent) if array else "\n".join(json.dumps(row) for row in rows)
    usable = "\\u0000" not in text

    found = list(json_rows(io.BytesIO(text.encode())))

    assert len(found) == len(rows)
    if usable:
        assert [row.values for row in found if isinstance(row, Row)] == rows


def test_an_array_longer_than_a_piece_is_read_whole() -> None:
    raw = json.dumps([{"query": f"query {number}"} for number in range(9_000)]).encode()
    assert len(raw) > 3 * 65_536

    assert len(list(json_rows(io.BytesIO(raw)))) == 9_000


@pytest.mark.parametrize(("cut", "least"), [(1, 5_000), (3_000, 3_000)])
def test_gzip_that_ends_too_early_keeps_what_stood_before(tmp_path: Path, cut: int, least: int) -> None:
    packed = gzip.compress(b"".join(b'{"query": "query %d"}\n' % number for number in range(5_000)))
    (tmp_path / "log.jsonl.gz").write_bytes(packed[:-cut])

    merged = _merged(LogSource(tmp_path / "log.jsonl.gz"))

    assert len(merged.queries) >= least
    assert "gzip" in merged.bad[-1].reason
    assert merged.rows == len(merged.queries) + len(merged.bad)


def test_parquet_is_read_from_a_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"copy (select 'how' as query) to '{path}' (format parquet)")
    assert _asked(_merged(LogSource(path))) == {"how": 1}
    for source in (
        LogSource(STANDARD_INPUT, io.BytesIO(path.read_bytes())),
        _gzip_file(tmp_path, "b.parquet", path.read_bytes()),
    ):
        with pytest.raises(TableError, match="Parquet is read from a file"):
            _merged(source)


def test_a_log_is_known_by_its_content_packed_or_not(tmp_path: Path) -> None:
    raw = b"query\nhow\n"
    sources = [
        entry(tmp_path, name, raw)
        for entry, name in ((_file, "a.csv"), (_gzip_file, "b.csv"), (_stdin, ""), (_file, "c.json"))
    ]
    for source in sources[:3]:
        _merged(source)

    assert len({source.digest for source in sources[:3]}) == 1
    assert sources[0].digest != LogSource(STANDARD_INPUT, io.BytesIO()).digest


@pytest.mark.parametrize("kind", ["csv", "text"])
def test_a_format_that_is_named_comes_before_the_suffix(tmp_path: Path, kind: LogFormat) -> None:
    (tmp_path / "log.txt").write_bytes(b"query\nhow\n")

    merged = _merged(LogSource(tmp_path / "log.txt", format=kind))

    assert _asked(merged) == ({"how": 1} if kind == "csv" else {"query": 1, "how": 1})


@pytest.mark.parametrize(
    ("raw", "queries"),
    [
        (b"how do I search, and where\nwhat\n", {"how do I search, and where", "what"}),
        (b"time,query\n1,what\n", {"what"}),
        (b"query\nwhat\n", {"what"}),
        (b"text of one line\n", {"text of one line"}),
    ],
)
def test_what_has_no_suffix_is_told_by_its_beginning(raw: bytes, queries: set[str]) -> None:
    assert _asked(_merged(LogSource(STANDARD_INPUT, io.BytesIO(raw)))).keys() == queries


def test_a_file_without_a_header_does_not_show_what_stands_in_its_place(tmp_path: Path) -> None:
    source = _file(tmp_path, "log.csv", b"why is jane@example.com locked,2024-01-01\n" * 2)

    with pytest.raises(TableError, match="<EMAIL>") as caught:
        _merged(source)

    assert "jane" not in str(caught.value)


def test_what_is_not_there_or_not_gzip_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        _merged(LogSource(tmp_path / "gone.csv"))
    with pytest.raises(TableError, match="not readable as gzip"):
        _merged(_file(tmp_path, "log.csv", b"\x1f\x8bnonsense"))
    with pytest.raises(TableError, match="no standard input"):
        _merged(LogSource(STANDARD_INPUT))
