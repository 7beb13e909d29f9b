"""What users ask and the documents do not say, on real files."""

import asyncio
import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from asked_sets import ASKED, CHUNKS, SEEN, TRAFFIC, fill_asked, pool
from conftest import Goldgen
from pooled_sets import fill_corpus, settings
from stored_sets import write_log
from stub.server import Stub

from goldgen.app.gap_files import write_gaps
from goldgen.app.gaps import KINDS, Gap, GapsOptions, gaps
from goldgen.app.logs import LogOptions, add_logs
from goldgen.errors import EmptyResultError, SettingsError, StoreError
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("asked") / "set.duckdb"
    fill_asked(path)
    return path


@pytest.fixture
def db(filled: Path, tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    return Path(shutil.copy(filled, tmp_path / "outputs" / "goldgen.duckdb"))


def found(db: Path) -> dict[str, Gap]:
    return {gap.question_id: gap for gap in gaps(GapsOptions(db)).gaps}


def test_each_question_is_told_for_what_it_is_and_counted(db: Path) -> None:
    report = gaps(GapsOptions(db))

    assert {gap.question_id: gap.kind for gap in report.gaps} == {
        "gap": "gap",
        "part": "answered in part",
        "shallow": "pool too shallow",
        "scored": "judge with scores",
        "proposed": "answer proposed",
    }
    assert report.kinds == dict.fromkeys(KINDS, 1)
    assert (report.asked, report.answered, report.unjudged) == (7, 1, 1)
    assert report.asked == report.answered + report.unjudged + sum(report.kinds.values())
    assert report.traffic == sum(TRAFFIC.values())
    assert report.traffic_of["gap"] == TRAFFIC["gap"]


def test_the_surest_come_first_and_of_these_the_most_asked(db: Path) -> None:
    with open_store(db) as store:
        for key, traffic in (("rare", 1.0), ("often", 30.0)):
            store.questions.add([Question(key, f"{key} unheard of", "log", "log")])
            store.pool.put([*pool(key, 50), *pool(key, 50, "dense")])
            store.judgments.put([Judgment(key, f"c{n}", "judge", grade=0) for n in range(50)])
            store.logs.set_weights(store.logs.weights() | {key: traffic})

    report = gaps(GapsOptions(db))
    assert [gap.question_id for gap in report.gaps][:4] == ["often", "gap", "rare", "part"]
    few = gaps(GapsOptions(db, n=2))
    assert [gap.question_id for gap in few.gaps] == ["often", "gap"]
    assert (few.kinds, few.asked) == (report.kinds, report.asked)


def test_what_the_logs_say_of_it_is_told(db: Path) -> None:
    gap = found(db)["gap"]
    assert (gap.asked, gap.traffic, gap.unclicked, gap.rewritten) == (4, 4.0, 3, 2)
    assert (gap.first_seen, gap.last_seen) == (SEEN, SEEN.replace(day=4))
    # The spelling in capitals is no other wording.
    assert gap.variants == ("remove a series",)
    assert gap.pool_depth == 50


def test_questions_that_are_one_are_one_with_all_their_traffic(db: Path) -> None:
    with open_store(db) as store:
        store.questions.add([Question("twin", "Delete OLD series", "log", "log")])
        store.logs.set_weights(store.logs.weights() | {"twin": 6.0})

    report = gaps(GapsOptions(db))
    assert report.asked == 7
    assert next(gap.traffic for gap in report.gaps if gap.kind == "gap") == 10.0


def test_a_query_that_a_model_wrote_too_is_one_of_users(db: Path) -> None:
    with open_store(db) as store:
        store.questions.add([Question("a", "Delete old series", "synthetic", "negative", model="m")])
    assert {gap.kind for gap in gaps(GapsOptions(db)).gaps} == set(KINDS)


def test_what_was_rejected_is_counted_apart(db: Path) -> None:
    with open_store(db) as store:
        store.questions.add([Question("hand", "does it fly", "manual", "manual", "c9", "d")])
        store.judgments.put([Judgment("hand", "c9", "judge", grade=0)])
    report = gaps(GapsOptions(db))
    assert (report.asked, report.rejected, report.unjudged) == (8, 1, 1)


def test_the_nearest_chunks_are_those_judged_best(db: Path) -> None:
    near = found(db)["gap"].nearest
    assert [(chunk.chunk_id, chunk.grade, chunk.rank) for chunk in near] == [
        ("c1", 1.0, 2),
        ("c0", 0.0, 1),
        ("c2", 0.0, 3),
    ]
    assert (near[0].document, near[0].headings) == ("handbook.md", "Handbook > Exports")
    scored = found(db)["scored"].nearest
    assert [(chunk.chunk_id, chunk.score) for chunk in scored][:2] == [("c0", 0.9), ("c1", 0.89)]


def test_another_language_than_that_of_the_documents_is_told(db: Path) -> None:
    assert found(db)["scored"].foreign == "de"
    assert {gap.foreign for gap in found(db).values() if gap.question_id != "scored"} == {""}


def test_a_whole_corpus_that_is_judged_needs_no_depth(tmp_path: Path) -> None:
    db = tmp_path / "small.duckdb"
    with open_store(db) as store:
        text = "Exports run at night."
        store.corpus.replace_document(Document("d", "d.md", text), [Chunk("c", "d", text, 0, len(text))])
        store.questions.add([Question("q", "how many seats", "manual", "manual")])
        store.pool.put([replace(pool("q", 1)[0], chunk_id="c", depth=10)])
        store.judgments.put([Judgment("q", "c", "judge", grade=1)])

    (gap,) = gaps(GapsOptions(db)).gaps
    assert (gap.kind, gap.origin, gap.asked, gap.traffic) == ("gap", "manual", 1, 0.0)


def test_what_a_model_wrote_is_no_question_of_users(db: Path) -> None:
    before = gaps(GapsOptions(db))
    with open_store(db) as store:
        store.questions.add([Question("negative", "does it fly", "synthetic", "negative", model="m")])
        store.pool.put([*pool("negative", 50), *pool("negative", 50, "dense")])
        store.judgments.put([Judgment("negative", f"c{n}", "judge", grade=0) for n in range(CHUNKS)])
    assert gaps(GapsOptions(db)) == before


def test_csv_is_safe_and_jsonl_is_as_it_was_asked(db: Path, tmp_path: Path) -> None:
    report = gaps(GapsOptions(db))
    for name in ("gaps.csv", "gaps.jsonl", "gaps.md"):
        write_gaps(report, tmp_path / name)

    with (tmp_path / "gaps.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["question_id"]: row for row in csv.DictReader(file)}
    assert rows["shallow"]["question"] == f"'{ASKED['shallow']}"
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows.values() for cell in row.values()
    )
    assert (rows["gap"]["nearest_chunk_id"], rows["gap"]["nearest_grade"]) == ("c1", "1.0")
    lines = [json.loads(line) for line in (tmp_path / "gaps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["question_id"] for line in lines] == [gap.question_id for gap in report.gaps]
    assert next(line for line in lines if line["question_id"] == "shallow")["question"] == ASKED["shallow"]
    assert lines[0]["last_seen"] == "2026-09-04T12:00:00+00:00"


def test_markdown_holds_what_was_asked_as_text(db: Path, tmp_path: Path) -> None:
    asked = "<img src=x> a | b [c](http://evil.example) @octocat"
    with open_store(db) as store:
        store.questions.add([Question("gap", asked, "log", "log")])
    write_gaps(gaps(GapsOptions(db)), tmp_path / "gaps.md")

    text = (tmp_path / "gaps.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "img src" in line)
    assert "<img" not in row and r"\[c\](" in row and "@octocat" not in row
    assert row.replace(r"\|", "").count("|") == 7
    assert text.startswith("# What users ask") and "## Gap\n\nThe documents do not say it" in text


def test_refusals(db: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\.csv, \.jsonl or \.md"):
        write_gaps(gaps(GapsOptions(db)), tmp_path / "gaps.xlsx")
    with open_store(tmp_path / "none.duckdb") as store:
        store.questions.add([Question("q", "What is it?", "synthetic", "fact", "c", "d")])
    with pytest.raises(EmptyResultError, match="goldgen logs add FILE"):
        gaps(GapsOptions(tmp_path / "none.duckdb"))
    with pytest.raises(StoreError, match="no golden set"):
        gaps(GapsOptions(tmp_path / "missing.duckdb"))


def test_a_log_becomes_gaps_by_a_judge_with_grades(tmp_path: Path, stub: Stub) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill_corpus(store)
    log = write_log(
        tmp_path,
        "what holds for Exports run at night?,u1",
        "what holds for holidays on Mars?,u2",
        "what holds for holidays on Mars?,u3",
        header="query,user",
    )
    job = LogOptions(db, log, depth=50, models=settings(stub, tmp_path, dense=True))
    asyncio.run(add_logs(job))

    report = gaps(GapsOptions(db))
    (gap,) = (gap for gap in report.gaps if gap.kind == "gap")
    assert (gap.question, gap.asked, gap.traffic) == ("what holds for holidays on Mars?", 2, 2.0)
    assert {near.grade for near in gap.nearest} == {1.0} and gap.pool_depth == 50
    asyncio.run(add_logs(replace(job, depth=10)))
    assert gaps(GapsOptions(db)) == report


def test_the_command_lists_and_writes(db: Path, goldgen: Goldgen) -> None:
    run = goldgen("gaps", "--n", "2", "-o", "out/gaps.csv")
    assert (run.returncode, run.stderr) == (0, "")
    assert "7 questions of users: 1 answered, 5 without an answer, 1 not judged yet" in run.stdout
    assert "1 gap, 8% of the traffic: the documents do not say it" in run.stdout
    assert "4x  delete old series" in run.stdout and "also: remove a series" in run.stdout
    assert "near: handbook.md > Handbook > Exports (grade 1)" in run.stdout
    assert "and 3 more" in run.stdout and "wrote       out/gaps.csv, 2 questions" in run.stdout
    assert (goldgen.folder / "out" / "gaps.csv").read_bytes().count(b"\r\n") == 3

    told = json.loads(goldgen("gaps", "--json").stdout)
    assert [gap["kind"] for gap in told["gaps"]] == list(KINDS)
