"""Near misses that stand in the corpus, and what written ones cost a retriever."""

from pathlib import Path

from stored_sets import FACTS, draft, fill, human, verdict

from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.golden import load_golden
from goldgen.app.mined import mined_near_misses
from goldgen.app.models import ModelSettings
from goldgen.store import Store, open_store
from goldgen.types import Chunk, Document, Judgment, Pooled


def filled(store: Store) -> None:
    fill(store)
    text = "The Team plan has seats too, as many as you like, and none of them is counted."
    chunk = Chunk("chunk-team", "doc-team", text, 0, len(text))
    store.corpus.replace_document(Document("doc-team", "team.md", text), [chunk])
    store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("seats", "near", 1)])


def mined(db: Path, *judgments: Judgment, pool: tuple[Pooled, ...] = ()) -> list[str]:
    with open_store(db) as store:
        filled(store)
        store.judgments.put(judgments)
        store.pool.put(pool)
        return [item.id for item in mined_near_misses(load_golden(store))]


def test_a_chunk_that_a_judge_says_does_not_answer_is_one(tmp_path: Path) -> None:
    assert mined(tmp_path / "a.duckdb", verdict("seats", "chunk-team", 1)) == ["chunk-team"]
    assert mined(tmp_path / "b.duckdb", human("seats", "chunk-team", 0)) == ["chunk-team"]


def test_what_answers_in_part_or_has_no_verdict_is_none(tmp_path: Path) -> None:
    assert mined(tmp_path / "a.duckdb", verdict("seats", "chunk-team", 2)) == []
    assert mined(tmp_path / "b.duckdb", verdict("seats", "chunk-team", None)) == []
    assert mined(tmp_path / "c.duckdb") == []


def test_a_judge_with_scores_knows_no_near_miss(tmp_path: Path) -> None:
    scored = Judgment("q-seats", "chunk-team", "embedded", grade=0, score=0.2)
    assert mined(tmp_path / "a.duckdb", scored) == []


def test_what_search_likes_best_comes_first(tmp_path: Path) -> None:
    judged = [verdict("seats", f"chunk-{key}", 0) for key in ("team", "exports")]
    pool = tuple(
        Pooled("q-seats", f"chunk-{key}", "bm25", rank, 10) for rank, key in enumerate(("exports", "team"), 1)
    )
    assert mined(tmp_path / "a.duckdb", *judged, pool=pool) == ["chunk-exports", "chunk-team"]


def test_eval_tells_both_kinds_apart(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        filled(store)
        store.questions.add([draft("seats", "How many seats has the Pro plan, and what do more seats cost?")])
        store.judgments.put([verdict("seats", "chunk-team", 0)])
    report = evaluate(EvalOptions(db, ("bm25",), models=ModelSettings(offline=True)))
    (result,) = report.retrievers
    rows = {row.kind: row for row in result.attacks}
    assert (rows["mined"].count, rows["mined"].confused) == (1, 0)
    assert (rows["plan"].count, rows["plan"].confused) == (1, 1), "it says Pro, as the question does"
    assert result.under_attack and result.under_attack.questions == 1
    assert result.under_attack.before["RR@10"] == 1.0 > result.under_attack.after["RR@10"] == 0.5
    assert FACTS["seats.md"] in {chunk[1] for chunk in report.texts.values()} or not report.failures
