from collections.abc import Generator, Mapping
from pathlib import Path

import pytest
from pooled_sets import ASKED, TEXTS, accepted, draft, fill_pooled, log_query, settings
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.app.comparison import PRIMARY
from goldgen.app.contributions import own_left_out, without_own
from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.golden import load_golden
from goldgen.store import Store, open_store
from goldgen.types import Hit, Judgment, Pooled, Ranking


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    """bm25 alone proposed mail, dense alone proposed second, and both proposed stop."""
    with open_store(tmp_path / "set.duckdb") as opened:
        fill_pooled(opened)
        opened.judgments.put([verdict("second", 3), verdict("mail", 3), verdict("stop", 3)])
        opened.pool.put([*proposed("bm25", "own", "mail", "stop"), *proposed("dense", "second", "stop")])
        yield opened


def verdict(key: str, grade: int, question: str = "q-exports", *, human: bool = False) -> Judgment:
    chunk_id = f"chunk-{key}"
    if human:
        return Judgment(question, chunk_id, "ann", judge_kind="human", grade=grade)
    return Judgment(question, chunk_id, "ver", grade=grade, document_id=f"doc-{key}")


def proposed(source: str, *keys: str, question: str = "q-exports") -> list[Pooled]:
    return [Pooled(question, f"chunk-{key}", source, rank, 10) for rank, key in enumerate(keys, 1)]


def left(store: Store, source: str, question: str = "q-exports") -> dict[str, float]:
    """The grades of a question without what ``source`` alone proposed."""
    reduced = without_own(load_golden(store), source)
    assert reduced is not None
    (judged,) = (judged for judged in reduced.judged if judged.question_id == question)
    return {chunk_id.removeprefix("chunk-"): grade for chunk_id, grade in judged.grades.items()}


def test_only_what_one_source_alone_proposed_is_left_out(store: Store) -> None:
    assert set(left(store, "bm25")) == {"own", "second", "twin", "stop"}
    assert set(left(store, "dense")) == {"own", "mail", "stop"}, "the twin of what it proposed goes with it"
    assert without_own(load_golden(store), "hybrid") is None


def test_golds_that_are_left_out_are_counted(store: Store) -> None:
    golden = load_golden(store)
    reduced = without_own(golden, "dense"), without_own(golden, "bm25")
    assert [found.golds for found in reduced if found] == [2, 1]


def test_a_twin_that_another_source_proposed_is_no_contribution_of_one_alone(store: Store) -> None:
    store.pool.put(proposed("bm25", "own", "mail", "stop", "twin"))
    assert set(left(store, "dense")) == {"own", "second", "twin", "mail", "stop"}


def test_what_a_human_said_and_what_a_log_names_stays(store: Store) -> None:
    store.judgments.put([verdict("mail", 3, human=True)])
    assert left(store, "bm25")["mail"] == 3.0
    named = log_query(text="Log: exports?", page="doc-mail")
    store.questions.add([named])
    store.judgments.put([verdict("mail", 3, named.id), verdict("second", 3, named.id)])
    store.pool.put(proposed("bm25", "mail", "second", question=named.id))
    assert set(left(store, "bm25", named.id)) == {"mail"}


def test_a_merged_question_keeps_the_name_it_has_in_runs(store: Store) -> None:
    """Its gold by a search gone, the other of two questions worded alike speaks for both."""
    store.questions.add([draft("a-first", ASKED.upper(), of="seats")])
    store.judgments.put([verdict("mail", 3, "q-a-first")])
    store.pool.put(proposed("bm25", "mail", question="q-a-first"))
    golden = load_golden(store)
    (item,) = golden.questions
    assert item.question.id == "q-a-first" and item.merged == ("q-exports",)
    assert "own" in left(store, "bm25", "q-a-first")


def test_a_candidate_whose_chunk_is_gone_takes_no_other_verdict_with_it(store: Store) -> None:
    store.pool.put(proposed("bm25", "own", "mail", "stop", "gone"))
    elsewhere = Judgment(
        "q-exports", "no-chunk", "ver", grade=3, document_id="doc-seats", quote=TEXTS["seats"]
    )
    store.judgments.put([elsewhere])
    assert left(store, "bm25")["seats"] == 3.0


def ranking(*keys: str) -> Ranking:
    return tuple(Hit(f"chunk-{key}", -float(place)) for place, key in enumerate(keys))


def runs(**found: Ranking) -> Mapping[str, Mapping[str, Ranking]]:
    return {label: {"q-exports": hits} for label, hits in found.items()}


def test_a_lead_that_rests_on_own_contributions_is_said(store: Store) -> None:
    found = runs(dense=ranking("second", "twin", "own"), bm25=ranking("own", "mail"), hybrid=ranking("own"))
    dense = own_left_out(load_golden(store), "dense", found)
    assert dense is not None and dense.mean is not None and dense.difference is not None
    assert dense.difference < 0 and (dense.golds, dense.questions) == (2, 0)
    assert dense.overtaken_by == ("bm25", "hybrid")
    assert own_left_out(load_golden(store), "hybrid", found) is None


def test_a_lead_that_others_golds_bear_stays(store: Store) -> None:
    found = runs(bm25=ranking("own", "mail", "stop"), dense=ranking("seats"))
    bm25 = own_left_out(load_golden(store), "bm25", found)
    assert bm25 is not None and bm25.overtaken_by == ()
    assert bm25.golds == 1


def test_questions_without_any_other_gold_are_left_out_and_counted(store: Store) -> None:
    query = log_query(text="Log: seats?")
    store.questions.add([query])
    store.judgments.put([verdict("seats", 3, query.id)])
    store.pool.put(proposed("bm25", "seats", question=query.id))
    found = {"bm25": {"q-exports": ranking("mail"), query.id: ranking("seats")}}
    bm25 = own_left_out(load_golden(store), "bm25", found)
    assert bm25 is not None and bm25.questions == 1
    assert bm25.mean == 0.0, "over the one question that keeps a gold, of which bm25 found nothing else"
    store.judgments.remove(accepted())
    store.judgments.put([verdict(key, 0) for key in ("second", "stop")])
    bm25 = own_left_out(load_golden(store), "bm25", found)
    assert bm25 is not None
    assert (bm25.mean, bm25.difference, bm25.questions) == (None, None, 2)


def test_eval_reports_both_figures_of_a_retriever_in_the_pool(tmp_path: Path, start_stub: StartStub) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill_pooled(store)
        store.judgments.put([verdict("mail", 3), verdict("second", 0)])
        store.pool.put(proposed("bm25", "own", "mail", "second", "seats"))
    models = settings(start_stub(generator_script), tmp_path, dense=True)
    report = evaluate(EvalOptions(db, ("bm25", "dense"), models=models))
    bm25, dense = report.retrievers
    assert dense.without_own is None
    assert bm25.without_own is not None and bm25.without_own.golds == 1
    assert bm25.without_own.difference is not None and bm25.without_own.mean is not None
    assert bm25.without_own.mean == pytest.approx(bm25.means[str(PRIMARY)] + bm25.without_own.difference), (
        "no question lost its gold, so that both means are of the same questions"
    )
    assert sum("order" in sentence for sentence in report.sentences) == 1
    assert report.chunks == len(TEXTS)
