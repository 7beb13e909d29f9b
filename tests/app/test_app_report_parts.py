"""What a report is put together from, on real sets: imported labels, near misses, merged questions."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import draft, fill, human, verdict
from stub.server import Stub

from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.golden import load_golden
from goldgen.app.importing import ImportOptions, import_collection
from goldgen.app.models import ModelSettings
from goldgen.app.retrievers import SearchOptions
from goldgen.app.runs import compare_runs
from goldgen.app.set_proof import set_proof
from goldgen.cli.evaluation_tables import render
from goldgen.evaluation import NearMissHit, OwnLeftOut, Report, RetrieverResult, Similarity
from goldgen.store import open_store
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Chunk, Document, Judgment, NearMiss

GOOD = {
    "When do exports run?": [("d0", 9.5), ("d2", 3.5)],
    "How many seats?": [("d2", 5.5), ("d1", 4.5)],
}
TWIN = NearMiss(
    "twin", "q-again", "chunk-seats", "As before.", "How many seats has Basic?", "entity", "More", "All"
)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two golden questions, one of them written twice with a near miss for each wording."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill(store)
        store.questions.add([replace(draft("seats", "HOW MANY SEATS HAS BASIC?"), id="q-again")])
        store.questions.add_near_misses([TWIN])
        golds = [verdict("exports", "chunk-exports", 3), verdict("seats", "chunk-seats", 3)]
        refused = [verdict("seats", "near", 0), Judgment("q-again", "twin", "claude-judge", grade=0)]
        store.judgments.put([*golds, *refused])
    return path


def lexical(db: Path, *retrievers: str, runs: tuple[Path, ...] = ()) -> Report:
    return evaluate(EvalOptions(db, retrievers, SearchOptions(language="en"), runs=runs))


def write_collection(folder: Path, gold: float, other: float) -> Path:
    """A BEIR folder: each of two questions has one document of grade ``gold``, and d2 has ``other``."""
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": f"d{n}", "text": f"Page {n} of the guide."} for n in range(4)]
    queries = [{"_id": f"q{n}", "text": text} for n, text in enumerate(GOOD)]
    for name, rows in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    labels = [f"q{n}\td{place}\t{grade}" for n in range(2) for place, grade in ((n, gold), (2, other))]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *labels]))
    return folder


def good(question: str, k: int) -> Sequence[tuple[str, float]]:
    return GOOD[question][:k]


def poor(question: str, k: int) -> Sequence[tuple[str, float]]:
    return [("d2", 7.5), ("d3", 1.5)][:k]


def spread(found: RetrieverResult) -> Similarity:
    assert found.similarity is not None
    return found.similarity


@pytest.mark.parametrize(("gold", "other", "gold_from"), [(1, 0, None), (4, 3, 4.0)])
def test_an_imported_set_is_measured_from_its_own_grade_of_gold(
    tmp_path: Path, gold: float, other: float, gold_from: float | None
) -> None:
    db, path = tmp_path / "set.duckdb", tmp_path / "kept.csv"
    folder = write_collection(tmp_path / "guide", gold, other)
    import_collection(ImportOptions(db, folder, gold_from=gold_from))
    rows = [f"q{n},{chunk},{score}" for n, hits in enumerate(GOOD.values()) for chunk, score in hits]
    path.write_text("\n".join(["question_id,chunk_id,score", *rows]))
    report = evaluate(EvalOptions(db, own={"good": good, "poor": poor}, runs=(path,)))
    assert (report.threshold, report.questions) == (gold, 2)
    first, second, kept = report.retrievers
    for found in (first, kept):
        assert (found.means["RR@10"], found.means["R@1"], found.means["AP@10"]) == (0.75, 0.5, 0.75)
        assert found.curve.recall[:3] == (0.5, 1.0, 1.0)
        assert (found.context.k, found.context.recall) == (2, 1.0)
        scores = spread(found)
        assert (scores.gold.count, scores.gold.median) == (2, 7.0)
        # Gold at 9.5 and 4.5 against 3.5 and 5.5; d2 is a near miss only where its grade is above 0.
        assert (scores.auc_near_miss or scores.auc_other) == 0.75
        assert (scores.near_miss.count, scores.other.count) == ((2, 0) if other else (0, 2))
        assert [high.chunk_id for high in scores.highest_wrong] == ["d2"]
    assert second.means["RR@10"] == 0.0
    assert {(failure.question_id, failure.lost_by) for failure in report.failures} == {
        ("q0", "poor"),
        ("q1", "poor"),
    }
    for failure in report.failures:
        assert set(failure.won_by) == {"good", "kept"}
        kinds = {hit.chunk_id: (hit.kind, hit.grade) for hit in failure.instead}
        assert kinds == {"d2": ("near miss" if other else "irrelevant", other), "d3": ("unjudged", None)}
    assert [[found.chunk_id for found in item.golds] for item in report.outcomes] == [["d0"], ["d1"]]
    compared = compare_runs(db, "poor", "good")
    assert compared.mean_before == second.means["nDCG@10"]
    assert compared.mean_after == first.means["nDCG@10"] > 0.5


def test_each_near_miss_is_searched_alone_and_counts_for_the_question_that_the_set_goes_by(db: Path) -> None:
    (bm25,) = lexical(db, "bm25").retrievers
    found = {hit.near_miss_id: hit for hit in bm25.near_miss_hits}
    # The twin outranks the gold, and the other would come third if the twin were there too.
    assert {name: (hit.question_id, hit.rank) for name, hit in found.items()} == {
        "near": ("q-seats", 2),
        "twin": ("q-seats", 1),
    }
    assert all(isinstance(hit, NearMissHit) and hit.score > 0 for hit in found.values())
    assert bm25.confusion == 0.5
    assert spread(bm25).near_miss.count == 2 and spread(bm25).auc_near_miss is not None


def test_a_near_miss_that_scores_high_is_shown_with_its_whole_text(db: Path) -> None:
    report = lexical(db, "bm25")
    (high,) = [high for high in spread(report.retrievers[0]).highest_wrong if high.is_near_miss]
    assert (high.chunk_id, high.question_id, high.rank) == ("twin", "q-seats", 1)
    assert report.texts["twin"] == ("", TWIN.full_text)


@pytest.mark.parametrize(
    ("hits", "reciprocal"),
    [
        (("q-again chunk-seats",), 1.0),
        (("q-again chunk-seats", "q-seats chunk-exports"), 0.5),
        (("q-seats chunk-exports", "q-again chunk-seats"), 0.5),
    ],
)
def test_a_run_may_name_a_question_that_was_merged_and_its_own_name_counts_first(
    db: Path, tmp_path: Path, hits: tuple[str, ...], reciprocal: float
) -> None:
    path = tmp_path / "mine.trec"
    lines = [f"{question} Q0 {chunk} 1 2.5 mine" for question, chunk in map(str.split, hits)]
    path.write_text("\n".join([*lines, "q-exports Q0 chunk-exports 1 2.0 mine"]))
    (mine,) = lexical(db, runs=(path,)).retrievers
    assert (mine.means["RR@10"], mine.reservations) == (reciprocal, "")


def test_tokens_are_those_of_the_text_that_is_indexed(db: Path) -> None:
    text = "Short."
    chunk = Chunk("chunk-deep", "doc-deep", text, 0, len(text), context="Guide > Exports > " * 20)
    with open_store(db) as store:
        store.corpus.replace_document(Document("doc-deep", "deep.md", text), [chunk])
    (mine,) = evaluate(EvalOptions(db, own={"mine": lambda question, k: ["chunk-deep"]})).retrievers
    assert mine.context.tokens == estimated_tokens(chunk.full_text) > 50


def test_a_retriever_that_shares_a_model_is_marked_in_report_and_comparison(db: Path, stub: Stub) -> None:
    with open_store(db) as store:
        store.meta.set("pool_models", '["openai/some-embedder"]')
    models = ModelSettings(embedding_model="Some-Embedder", embedding_base_url=stub.url)
    options = EvalOptions(db, ("bm25", "dense"), SearchOptions(language="en"), models)
    report = evaluate(options)
    assert {found.label: found.shares_model for found in report.retrievers} == {"bm25": False, "dense": True}
    said = "\n".join(report.sentences)
    assert "dense†" in said and "bm25†" not in said
    assert "† shares a model with judging or pooling (claude-judge, some-embedder)" in said
    compared = "\n".join(compare_runs(db, "bm25", "dense").sentences)
    assert re.search(r"dense \(\w+\)†", compared) and not re.search(r"bm25 \(\w+\)†", compared)
    assert "no proof" in compared


def test_wrong_ones_of_the_pairs_that_people_read_stand_in_the_proof(db: Path) -> None:
    with open_store(db) as store:
        read = [human("exports", "chunk-exports", 3), human("seats", "chunk-seats", 1)]
        store.judgments.put([replace(judgment, sampled=True) for judgment in read])
        proof = set_proof(store, load_golden(store))
    assert (proof.trusted, proof.is_imported) == ((1, 2), False)
    assert proof.trusted_interval is not None
    low, high = proof.trusted_interval
    assert 0 < low < 0.5 < high < 1


def test_the_proof_of_an_imported_set_says_that_it_was_imported(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    import_collection(ImportOptions(db, write_collection(tmp_path / "guide", 1, 0)))
    with open_store(db, read_only=True) as store:
        proof = set_proof(store, load_golden(store))
    assert (proof.is_imported, proof.trusted, proof.judged_by) == (True, None, ())


def test_eval_prints_no_minus_before_nothing(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = lexical(db, "bm25", "bm25-okapi")
    own = OwnLeftOut(0.5, -0.0001, 1, 0)
    results = tuple(replace(result, without_own=own) for result in report.retrievers)
    render(replace(report, retrievers=results))
    shown = capsys.readouterr().out
    assert "0.500 (" in shown and "-0.000" not in shown
