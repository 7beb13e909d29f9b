"""Collections made elsewhere, read row by row."""

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldgen.errors import TableError
from goldgen.exchange import (
    CollectionDocument,
    CollectionQuery,
    Qrel,
    beir_files,
    read_documents,
    read_qrels,
    read_queries,
)
from goldgen.tabular import BadRow

Item = TypeVar("Item")
IDS = st.text("abcxyz019#:/.-é中", min_size=1, max_size=6)
GRADES = st.floats(allow_nan=False, allow_infinity=False)
QRELS = st.dictionaries(st.tuples(IDS, IDS), GRADES, min_size=1, max_size=8)
FILES = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
BOM = "﻿"


def as_trec(qrels: dict[tuple[str, str], float]) -> str:
    return "".join(f"{query} 0\t{document}  {grade!r}\n" for (query, document), grade in qrels.items())


def as_table(qrels: dict[tuple[str, str], float]) -> str:
    rows = "".join(f"{query}\t{document}\t{grade!r}\n" for (query, document), grade in qrels.items())
    return "query-id\tcorpus-id\tscore\n" + rows


def write(path: Path, text: str, *, packed: bool = False) -> Path:
    path.parent.mkdir(exist_ok=True)
    raw = text.encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    return path


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parted(rows: Iterable[Item | BadRow]) -> tuple[list[Item], dict[int, str]]:
    """What could be used, and the reasons of the rest by line."""
    found = list(rows)
    bad = {row.line: row.reason for row in found if isinstance(row, BadRow)}
    return [row for row in found if not isinstance(row, BadRow)], bad


# qrels


@FILES
@given(QRELS, st.sampled_from([as_trec, as_table]), st.booleans(), st.booleans())
def test_grades_are_kept_whatever_the_format_and_the_scale(
    tmp_path: Path,
    qrels: dict[tuple[str, str], float],
    written: Callable[[dict[tuple[str, str], float]], str],
    packed: bool,
    windows: bool,
) -> None:
    text = BOM + "\n" + written(qrels)
    text = text.replace("\n", "\r\n") if windows else text
    found, bad = parted(read_qrels(write(tmp_path / "qrels", text, packed=packed)))
    assert not bad
    assert {(qrel.query_id, qrel.document_id): qrel.grade for qrel in found} == qrels


def test_a_bad_row_of_trec_is_data(tmp_path: Path) -> None:
    rows = [
        "q1 0 d1 1",
        "",
        "q1 0 d2",
        "q1 0 d3 high",
        "q1 0 d4 nan",
        "q1 Q0 d1 2",
        "q2 0 d1 -1 x",
        "q2 0 d1 .5",
    ]
    found, bad = parted(read_qrels(write(tmp_path / "qrels.txt", "\n".join(rows))))
    assert found == [Qrel(1, "q1", "d1", 1.0), Qrel(8, "q2", "d1", 0.5)]
    assert bad == {
        3: "3 fields in place of 4: qid iter docid grade",
        4: "the grade is no number: 'high'",
        5: "the grade is not finite: 'nan'",
        6: "a grade of this query and document stands further up",
        7: "5 fields in place of 4: qid iter docid grade",
    }


def test_a_bad_row_of_a_table_is_data(tmp_path: Path) -> None:
    rows = ["corpus-id\tscore\tquery-id", "d1\t-2\tq 1", "\t1\tq1", "d1\t1", "d2\t\tq1", "d3\t1\tq1\tmore"]
    found, bad = parted(read_qrels(write(tmp_path / "test.tsv", "\n".join(rows))))
    assert found == [Qrel(2, "q 1", "d1", -2.0)]
    assert bad == {
        3: "it names no document",
        4: "it names no query",
        5: "the grade is no number: ''",
        6: "4 cells under a header of 3",
    }


def test_a_line_that_is_no_utf8_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"q1 0 d\xff 1\nq1 0 d2 1\n")
    assert parted(read_qrels(path)) == ([Qrel(2, "q1", "d2", 1.0)], {1: "not UTF-8"})


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("written", [as_trec, as_table])
@pytest.mark.parametrize("packed", [False, True])
def test_utf_16_is_read_by_its_byte_order_mark(
    tmp_path: Path, encoding: str, written: Callable[[dict[tuple[str, str], float]], str], packed: bool
) -> None:
    text = BOM + written({("q1", "中ä"): 1.0, ("q2", "d2"): 0.5}).replace("\n", "\r\n")
    raw = text.encode(encoding)
    path = tmp_path / "qrels"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    found, bad = parted(read_qrels(path))
    assert not bad
    assert [(q.query_id, q.document_id, q.grade) for q in found] == [("q1", "中ä", 1.0), ("q2", "d2", 0.5)]
    path.write_bytes(gzip.compress(raw[:-1]) if packed else raw[:-1])
    with pytest.raises(TableError, match=r"qrels: cannot be read \('utf-16"):
        list(read_qrels(path))


# Documents and queries


def test_documents_keep_their_ids_and_texts(tmp_path: Path) -> None:
    rows = jsonl(
        {"_id": "a#1", "title": " Seats ", "text": "Basic has\n5 seats. ", "metadata": {"url": "x"}},
        {"_id": 7, "title": "Only a title", "text": ""},
        {"docno": "b", "contents": "Other names of columns."},
    )
    for packed in (False, True):
        path = write(tmp_path / "corpus", BOM + rows.replace("\n", "\n\n"), packed=packed)
        assert parted(read_documents(path)) == (
            [
                CollectionDocument("a#1", "Basic has\n5 seats. ", "Seats"),
                CollectionDocument("7", "Only a title"),
                CollectionDocument("b", "Other names of columns."),
            ],
            {},
        )


@pytest.mark.parametrize("read", [read_documents, read_queries])
def test_a_row_that_cannot_be_used_is_told_by_its_line(
    tmp_path: Path, read: Callable[[Path], Iterable[object]]
) -> None:
    lines = [
        '{"_id": "a", "text": "First."}',
        '{"_id": "a", "text": "Second of the id."}',
        '{"_id": "b", "text": " "}',
        '{"_id": "c", "text": ["no", "text"]}',
        '{"text": "No id."}',
        '{"_id": true, "text": "No id."}',
        '{"_id": "d", "text": "cut of',
        '["no", "object"]',
        '{"_id": "e", "text": "half \\ud800"}',
        '{"_id": "f", "text": "Last."}',
    ]
    found, bad = parted(read(write(tmp_path / "rows.jsonl", "\n".join(lines))))
    assert len(found) == 2
    assert [bad[2], bad[3], bad[4]] == ["its id stands further up", "it has no text", "it has no text"]
    assert bad[5] == bad[6] and bad[5].startswith("it has no id (_id, id")
    assert bad[7].startswith("not JSON") and bad[8].startswith("not an object")
    assert sorted(bad) == [2, 3, 4, 5, 6, 7, 8, 9]


def test_two_queries_of_one_text_are_two_and_name_their_documents(tmp_path: Path) -> None:
    rows = jsonl(
        {"_id": "1", "text": "Why?", "metadata": {"document_id": "d1", "answer": "So."}},
        {"_id": "2", "text": "Why?", "doc_id": 4},
        {"qid": "3", "query": "Why?", "metadata": None},
    )
    found, bad = parted(read_queries(write(tmp_path / "queries.jsonl", rows)))
    assert not bad
    assert found == [
        CollectionQuery("1", "Why?", "d1"),
        CollectionQuery("2", "Why?", "4"),
        CollectionQuery("3", "Why?"),
    ]


# Files


def beir(folder: Path, *qrels: str, packed: bool = False) -> Path:
    for name in ("corpus.jsonl", "queries.jsonl"):
        write(folder / (f"{name}.gz" if packed else name), "", packed=packed)
    for name in qrels:
        write(folder / "qrels" / name, "")
    return folder


@pytest.mark.parametrize(
    ("there", "split", "chosen"),
    [
        (["dev.tsv"], "", "dev.tsv"),
        (["dev.tsv", "test.tsv", "train.tsv"], "", "test.tsv"),
        (["dev.tsv", "test.tsv"], "dev", "dev.tsv"),
        (["test.tsv.gz", "train.tsv"], "", "test.tsv.gz"),
        (["test.tsv.gz", "test.tsv"], "", "test.tsv"),
    ],
)
def test_the_split_is_the_only_one_or_test(tmp_path: Path, there: list[str], split: str, chosen: str) -> None:
    folder = beir(tmp_path / "set", *there, packed=True)
    files = beir_files(folder, split)
    assert files.qrels == folder / "qrels" / chosen
    assert (files.corpus.name, files.queries.name) == ("corpus.jsonl.gz", "queries.jsonl.gz")


def test_a_named_file_comes_before_the_folders(tmp_path: Path) -> None:
    folder, own = beir(tmp_path / "set"), tmp_path / "own"
    assert beir_files(folder, qrels=own).qrels == own
    assert beir_files(folder, qrels=own, corpus=own).corpus == own


@pytest.mark.parametrize(
    ("there", "split", "says"),
    [
        (["dev.tsv", "train.tsv"], "", "has no test.tsv, only dev, train; name one by --split"),
        (["test.tsv"], "dev", "has no dev.tsv, only test; name one by --split"),
        ([], "", "has no test.tsv, no *.tsv"),
    ],
)
def test_a_split_that_is_not_there_is_an_error(
    tmp_path: Path, there: list[str], split: str, says: str
) -> None:
    with pytest.raises(TableError) as raised:
        beir_files(beir(tmp_path / "set", *there), split)
    assert str(raised.value) == f"{tmp_path / 'set' / 'qrels'}: {says}"


def test_files_that_are_missing_or_damaged_are_errors_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"has no corpus.jsonl; name a folder with corpus.jsonl"):
        beir_files(tmp_path)
    for read in (read_documents, read_queries, read_qrels):
        with pytest.raises(TableError, match=r"cannot be read \(No such file or directory\); check"):
            list(read(tmp_path / "nowhere"))
        cut = tmp_path / "cut.gz"
        cut.write_bytes(gzip.compress(b"q1 0 d1 1\n" * 1000)[:-20])
        with pytest.raises(TableError, match="cannot be read"):
            list(read(cut))
