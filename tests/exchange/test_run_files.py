import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldgen.errors import RetrieverError, TableError
from goldgen.exchange import RunFile, known_part, read_run
from goldgen.types import Hit, Question

NAMES = st.text("abcxyz019-_:.é", min_size=1, max_size=6).filter(lambda name: name == name.strip("﻿"))
SCORES = st.floats(allow_nan=False, width=64)
HITS = st.lists(st.tuples(NAMES, NAMES, SCORES), min_size=1, max_size=12)
FILES = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def trec(hits: list[tuple[str, str, float]]) -> str:
    return "".join(f"{q} Q0 {c} {n} {s!r} tag\n" for n, (q, c, s) in enumerate(hits, 1))


def as_csv(hits: list[tuple[str, str, float]]) -> str:
    return "query_id,doc_id,score\n" + "".join(f"{q},{c},{s!r}\n" for q, c, s in hits)


def as_jsonl(hits: list[tuple[str, str, float]]) -> str:
    rows = ({"question_id": q, "chunk_id": c, "score": s} for q, c, s in hits if math.isfinite(s))
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def trec_eval_order(hits: list[tuple[str, str, float]]) -> dict[str, list[str]]:
    """Score descending, then chunk id descending, each chunk once: written apart from the code under test."""
    found: dict[str, list[str]] = {}
    for question in dict.fromkeys(q for q, _, _ in hits):
        best = {c: max(s for q, d, s in hits if (q, d) == (question, c)) for q, c, _ in hits if q == question}
        found[question] = [c for _, c in sorted(((s, c) for c, s in best.items()), reverse=True)]
    return found


@FILES
@given(HITS, st.sampled_from([("run.trec", trec), ("run.csv", as_csv), ("run.run", trec)]))
def test_a_run_comes_in_the_order_of_trec_eval_whatever_its_format(
    tmp_path: Path, hits: list[tuple[str, str, float]], file: tuple[str, Callable[..., str]]
) -> None:
    name, written = file
    run = read_run(write(tmp_path, name, written(hits)))
    assert run.name == name
    assert run.rejected == ()
    found = {question: [hit.chunk_id for hit in ranking] for question, ranking in run.rankings.items()}
    assert found == trec_eval_order(hits)
    assert run.duplicates == len(hits) - sum(map(len, found.values()))


@FILES
@given(st.lists(st.text(max_size=30).map(lambda line: line.replace("\r", "").replace("\n", "")), max_size=8))
def test_every_line_is_a_hit_or_rejected_with_its_number(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(("q1 Q0 c1 1 0.5 tag\n" + "\n".join(lines)).encode("utf-8"))
    try:
        run = read_run(path)
    except RetrieverError:
        assert any("nan" in line.lower() for line in lines)
        return
    filled = [line for line in lines if line.split()]
    assert sum(map(len, run.rankings.values())) + run.duplicates + len(run.rejected) == 1 + len(filled)
    numbers = [row.line for row in run.rejected]
    assert numbers == sorted(set(numbers)) and all(2 <= number <= 1 + len(lines) for number in numbers)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q1 Q0 c2 1 0.5", "5 fields in place of 6"),
        ("q1 Q0 c2 1 0.5 my tag", "7 fields in place of 6"),
        ("q1 Q0 c2 1 high tag", "the score is no number: 'high'"),
    ],
)
def test_a_malformed_line_is_rejected_and_the_rest_read(tmp_path: Path, line: str, reason: str) -> None:
    run = read_run(write(tmp_path, "run.trec", f"q1 Q0 c1 1 0.5 tag\n\n{line}\nq1\tQ0\tc3\t2\t0.4\ttag\n"))
    assert [hit.chunk_id for hit in run.rankings["q1"]] == ["c1", "c3"]
    (bad,) = run.rejected
    assert bad.line == 3 and bad.reason.startswith(reason)
    assert "1 rows rejected" in run.reservations and "line 3" in run.reservations


def test_bytes_that_are_no_text_cost_their_line_only(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(b"\xef\xbb\xbfq1 Q0 c1 1 0.5 tag\nq1 Q0 c\xff 2 0.4 tag\n")
    run = read_run(path)
    assert run.rankings == {"q1": (Hit("c1", 0.5),)}
    assert [(bad.line, bad.reason) for bad in run.rejected] == [(2, "not UTF-8")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.trec", "q1 Q0 c1 1 NaN tag\n"),
        ("run.csv", "qid,docid,score\nq1,c1,nan\n"),
        ("run.jsonl", '{"qid": "q1", "docid": "c1", "score": NaN}\n'),
        ("run.jsonl", '{"qid": "q1", "docid": "c1", "score": null}\n'),
    ],
)
def test_a_score_that_is_nan_is_an_error(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(RetrieverError, match=r"line \d: question 'q1', chunk 'c1' has the score NaN"):
        read_run(write(tmp_path, name, text))


@pytest.mark.parametrize(("name", "written"), [("run.trec.gz", trec), ("run.csv.gz", as_csv)])
def test_zipped_runs_are_read(tmp_path: Path, name: str, written: Callable[..., str]) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(written([("q1", "c1", 0.5), ("q1", "c2", 0.7)]).encode()))
    assert read_run(path).rankings == {"q1": (Hit("c2", 0.7), Hit("c1", 0.5))}


@pytest.mark.parametrize(
    ("name", "written"), [("run.trec", trec), ("run.csv", as_csv), ("run.jsonl", as_jsonl)]
)
@pytest.mark.parametrize("zipped", [False, True])
def test_utf_16_is_read_by_its_byte_order_mark(
    tmp_path: Path, name: str, written: Callable[..., str], zipped: bool
) -> None:
    raw = written([("q1", "cä", 0.5), ("q1", "c2", 0.7)]).encode("utf-16")
    path = tmp_path / (f"{name}.gz" if zipped else name)
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    assert read_run(path).rankings == {"q1": (Hit("c2", 0.7), Hit("cä", 0.5))}
    path.write_bytes(gzip.compress(raw[:-1]) if zipped else raw[:-1])
    with pytest.raises(TableError, match=r"run.*: cannot be read .*\('utf-16.*truncated data"):
        read_run(path)


def test_parquet_with_numbers_as_ids_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    with duckdb.connect() as connection:
        connection.sql(
            "select 7 as qid, 'c' || i as docid, i / 2.0::float as score from range(3) t(i)"
        ).write_parquet(str(path))
    assert [hit.chunk_id for hit in read_run(path).rankings["7"]] == ["c2", "c1", "c0"]


def test_ranks_stand_in_for_scores(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, "run.csv", "question,chunk_id,rank\nWhy?,b,2\nWhy?,a,1\nWhy?,c,x\n"))
    assert [hit.chunk_id for hit in run.rankings["Why?"]] == ["a", "b"]
    assert len(run.rejected) == 1


def test_rows_of_a_table_without_question_chunk_or_score_are_rejected(tmp_path: Path) -> None:
    rows = [
        {"qid": "q1", "docid": "c1", "score": 1},
        {"qid": "", "docid": "c1", "score": 1},
        {"qid": "q1", "docid": None, "score": 1},
        {"qid": "q1", "docid": "c2"},
        {"docid": "c2", "score": 1},
        {"qid": "q1", "score": 1},
        {"qid": "q1", "docid": "c2", "score": "good"},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows) + "{broken\n"
    run = read_run(write(tmp_path, "run.jsonl", text))
    assert run.rankings == {"q1": (Hit("c1", 1.0),)}
    assert [bad.line for bad in run.rejected] == [2, 3, 4, 5, 6, 7, 8]
    assert all(bad.reason for bad in run.rejected)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.trec", b"", "holds no hit of a run"),
        ("prose.txt", b"This is no run.\n", "line 1: 4 fields in place of 6"),
        ("columns.csv", b"a,b\n1,2\n", "no column of questions"),
        ("broken.trec.gz", b"no gzip at all", "cannot be read as a run"),
        (
            "cut.trec.gz",
            gzip.compress(b"q1 Q0 c1 1 0.5 tag\n" * 99, mtime=0)[:-20],
            "cannot be read as a run",
        ),
        ("table.parquet.gz", b"x", "without .gz"),
        ("table.parquet", b"x", "not readable as Parquet"),
    ],
)
def test_a_file_that_is_no_run_is_one_clear_error(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError) as caught:
        read_run(path)
    assert message in str(caught.value) and name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.trec", "missing.csv", "missing.trec.gz"])
def test_a_missing_file_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableError, match="missing"):
        read_run(tmp_path / name)


def test_what_the_set_does_not_know_is_counted_and_questions_are_found_by_id_or_text() -> None:
    questions = [
        Question("q1", "When do exports run?", "synthetic", "fact"),
        Question("q2", "Why?", "log", "log"),
    ]
    hits = (Hit("c1", 3.0), Hit("gone", 2.0), Hit("c2", 1.0))
    run = RunFile("run", {"q1": hits, "WHY?": hits[:2], "nobody asked": hits})
    found = known_part(run, questions, {"c1", "c2"})
    assert found.rankings == {"q1": (hits[0], hits[2]), "q2": (hits[0],)}
    assert (found.unknown_questions, found.unknown_hits) == (1, 2)
    assert "1 questions that the set does not have, 2 hits on chunks" in found.reservations
    assert known_part(RunFile("run", {"q1": hits[:1]}), questions, {"c1"}).reservations == ""
