"""The report of an evaluation: what it says is what was measured, and it is kept whole."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from stored_sets import fill, human, verdict

import goldgen
from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.reports import ReportOptions, last_report, make_report, read_report
from goldgen.app.retrievers import SearchOptions
from goldgen.errors import EmptyResultError, RetrieverError, SettingsError, TableError
from goldgen.evaluation import Report, report_to_json
from goldgen.store import Store, open_store
from goldgen.types import Judgment


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "set.duckdb"


@pytest.fixture
def store(db: Path) -> Generator[Store]:
    """Two golden questions, and a near miss of one."""
    with open_store(db) as opened:
        fill(opened)
        opened.judgments.put(
            [
                Judgment("q-exports", "chunk-exports", "judge", grade=3, quote="Exports run at night."),
                verdict("seats", "chunk-seats", 3),
                verdict("seats", "chunk-exports", 1),
                verdict("seats", "near", 0),
            ]
        )
        yield opened


def measure(
    db: Path, *retrievers: str, runs: tuple[Path, ...] = (), measures: tuple[str, ...] = ()
) -> Report:
    search = SearchOptions(language="en")
    return evaluate(EvalOptions(db, retrievers, search, runs=runs, measures=measures))


def test_a_report_tells_of_every_question(store: Store, db: Path) -> None:
    store.close()
    report = measure(db, "bm25", "bm25-okapi", measures=("AllGold@5", "bpref"))
    assert [outcome.question_id for outcome in report.outcomes] == ["q-exports", "q-seats"]
    exports = report.outcomes[0]
    assert exports.first_gold == {"bm25": 1, "bm25-okapi": 1}
    assert exports.values["bm25"]["AllGold@5"] == 1.0 and "bpref" in exports.values["bm25"]
    assert exports.traits["document"] == "exports.md" and exports.traits["origin"] == "synthetic"
    (gold,) = exports.golds
    assert (gold.chunk_id, gold.document, gold.quote) == (
        "chunk-exports",
        "exports.md",
        "Exports run at night.",
    )
    assert report.proof.states == {"golden": 2}
    assert report.retrievers[0].confusion == 0.0
    assert report.retrievers[0].curve.recall[0] == 1.0
    assert report.next_steps


def test_the_same_report_comes_back_from_the_set_and_from_a_file(
    store: Store, db: Path, tmp_path: Path
) -> None:
    store.close()
    with pytest.raises(EmptyResultError, match="no evaluation yet"):
        last_report(db)
    measure(db, "bm25-okapi")
    report = measure(db, "bm25")
    assert last_report(db) == report
    (path,) = make_report(ReportOptions(db, tmp_path / "kept" / "main.json"))
    assert read_report(path) == report
    # Windows PowerShell redirects in UTF-16, other tools put a mark before UTF-8.
    for encoding in ("utf-16", "utf-8-sig"):
        path.write_text(report_to_json(report), encoding=encoding)
        assert read_report(path) == report
    with open_store(db, read_only=True) as opened:
        runs = opened.runs.all()
    assert [run.retriever for run in runs] == ["bm25-okapi", "bm25"]
    assert runs[1].id == report.retrievers[0].run_id
    assert runs[1].corpus_fingerprint == report.corpus_fingerprint
    assert len({run.evaluation_id for run in runs}) == 2


@pytest.mark.parametrize("text", ["", "{}", "[1", "\ufeff", '{"questions": 3}'])
def test_a_file_that_is_no_report_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "main.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"main\.json is no report of this goldgen"):
        read_report(path)


def test_a_report_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        read_report(tmp_path / "main.json")
    with pytest.raises(SettingsError, match="cannot read"):
        read_report(tmp_path)


def test_the_form_of_a_report_is_told_by_its_suffix(store: Store, db: Path, tmp_path: Path) -> None:
    store.close()
    measure(db, "bm25")
    with pytest.raises(SettingsError, match=r"\.html"):
        make_report(ReportOptions(db, tmp_path / "report.pdf"))
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot write"):
        make_report(ReportOptions(db, tmp_path / "taken" / "main.json"))


def test_a_run_from_a_file_is_measured_beside_bm25(store: Store, db: Path, tmp_path: Path) -> None:
    store.close()
    path = tmp_path / "mine.run"
    path.write_text(
        "q-exports Q0 gone 1 9.0 mine\n"
        "q-exports Q0 chunk-exports 2 8.0 mine\n"
        "elsewhere Q0 chunk-seats 1 1.0 mine\n",
        encoding="utf-8",
    )
    report = measure(db, "bm25", runs=(path,))
    mine = report.retrievers[1]
    assert (mine.label, mine.milliseconds, mine.confusion) == ("mine", None, None)
    # The unknown chunk keeps its rank, and the question that the file leaves out counts 0.
    assert mine.means["RR@10"] == 0.25
    assert "1 questions that the set does not have, 1 hits on chunks" in mine.reservations
    (alone,) = measure(db, runs=(path,)).retrievers
    assert alone.means == mine.means


def test_a_run_of_another_set_is_refused(store: Store, db: Path, tmp_path: Path) -> None:
    store.close()
    path = tmp_path / "other.csv"
    path.write_text("question_id,chunk_id,score\nq-exports,page-1,1.0\n", encoding="utf-8")
    with pytest.raises(RetrieverError, match="run on another set"):
        measure(db, runs=(path,))
    path.write_text("question_id,chunk_id,score\nelsewhere,chunk-seats,1.0\n", encoding="utf-8")
    with pytest.raises(RetrieverError, match="run on another set"):
        measure(db, runs=(path,))
    with pytest.raises(TableError):
        measure(db, runs=(tmp_path / "missing.csv",))


def test_a_function_is_measured_from_python(store: Store, db: Path) -> None:
    store.close()

    def found(question: str, k: int) -> list[str]:
        return ["chunk-seats", "chunk-exports"][:k]

    report = goldgen.evaluate(goldgen.EvalOptions(db, own={"mine": found}))
    assert isinstance(report, goldgen.Report)
    (mine,) = report.retrievers
    assert mine.label == "mine" and mine.means["RR@10"] == 0.75
    # Ids without scores say nothing of similarity.
    assert mine.similarity is None


def test_two_runs_of_one_name_are_told_apart_and_the_same_twice_is_refused(
    store: Store, db: Path, tmp_path: Path
) -> None:
    store.close()
    hits = "q-exports Q0 chunk-exports 1 1.0 x\n"
    paths = (tmp_path / "bm25.run", tmp_path / "other" / "bm25.run")
    paths[1].parent.mkdir()
    for path in paths:
        path.write_text(hits, encoding="utf-8")
    report = measure(db, "bm25", runs=paths[:1])
    assert [result.label for result in report.retrievers] == ["bm25", str(paths[0])]
    with pytest.raises(SettingsError, match="given twice"):
        measure(db, runs=(paths[0], paths[0], paths[0]))


def test_an_unknown_measure_is_refused_before_anything_is_searched(store: Store, db: Path) -> None:
    store.close()
    with pytest.raises(SettingsError, match="unknown measure 'nDCGG@5'"):
        measure(db, "bm25", measures=("nDCGG@5",))


def test_frames_hold_what_the_report_holds(store: Store, db: Path) -> None:
    store.close()
    report = measure(db, "bm25", "bm25-okapi")
    polars, pandas = report.by_question.to_polars(), report.by_question.to_pandas()
    assert polars.height == len(pandas) == 4
    assert polars["nDCG@10"].to_list() == pandas["nDCG@10"].tolist()
    mean = polars.filter(polars["retriever"] == "bm25")["nDCG@10"].mean()
    assert mean == report.retrievers[0].means["nDCG@10"]
    assert report.by_retriever.to_polars()["retriever"].to_list() == ["bm25", "bm25-okapi"]


def test_what_people_say_and_what_is_unjudged_stands_in_the_proof(store: Store, db: Path) -> None:
    store.judgments.put([human("exports", "chunk-exports", 3), verdict("exports", "chunk-seats", None)])
    store.close()
    proof = measure(db, "bm25").proof
    assert proof.human_verdicts == 1 and proof.unjudged_pairs == 1
    assert proof.overlap.keys() == {"synthetic"}
    assert any("ann (a person)" in agreed.judges for agreed in proof.agreements)


def test_the_report_is_json_that_any_reader_takes(store: Store, db: Path) -> None:
    store.close()
    text = report_to_json(measure(db, "bm25", "bm25-okapi"), indent=2)

    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    assert json.loads(text, parse_constant=refuse)["primary"] == "nDCG@10"
