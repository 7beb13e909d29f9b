import asyncio
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from pooled_sets import (
    ASKED,
    NOT_STRICT,
    OTHER_NIGHT,
    SHOWN,
    TEXTS,
    Heard,
    accepted,
    draft,
    fill_pooled,
    grades,
    label,
    log_query,
    settings,
)
from stub.generator import generator_script, stage
from stub.replies import refusal
from stub.server import Body, Reply, StartStub, Stub

from goldgen.app.golden import load_golden
from goldgen.app.judges import planned_verifier
from goldgen.app.labelling import LabelOptions, plan_labels
from goldgen.app.verify import VerifyOptions, plan_verify, verify
from goldgen.errors import SettingsError
from goldgen.store import Store, open_store
from goldgen.types import Judgment
from goldgen.verify import StrictProof
from goldgen.verify.agreement import PROPOSED


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill_pooled(opened)
        yield opened


def passages(stub: Stub) -> list[str]:
    """What was judged in a first call, in order."""
    asked = [chat.body["messages"][-1]["content"] for chat in stub.chats if stage(chat.body) == "Verdict"]
    return [next(key for key, text in TEXTS.items() if text in message) for message in asked]


def golds(store: Store) -> set[str]:
    (item,) = (item for item in load_golden(store).questions if item.question.id == "q-exports")
    return {chunk_id.removeprefix("chunk-") for chunk_id in item.gold}


def test_a_second_answer_becomes_gold_and_its_twin_without_a_call(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    report = label(store, settings(stub, tmp_path))
    assert golds(store) == {"own", "second", "twin"}
    judged = passages(stub)
    assert "own" not in judged, "its label is there"
    assert len({"second", "twin"} & set(judged)) == 1, "twins are judged once"
    assert sorted(judged) == sorted(set(judged))
    assert report.proposed == report.pairs + report.shared
    assert (report.questions, report.shared, report.judged, report.left) == (1, 1, report.pairs, 0)
    assert (report.golds_before, report.golds, report.new_golds) == (1, 3, 2)
    assert report.unjudged == {} and report.held_back == 0 and report.stopped == ""
    assert report.acceptance == 1 / report.pairs
    assert report.wrong_golds is not None and report.wrong_golds.estimate == 0.0
    assert report.wrong_golds.high > 0.0
    (recall,) = report.recalls
    assert (recall.source, recall.before, recall.after) == ("bm25", 1.0, 1.0)
    assert {item.source for item in store.pool.all()} == {"bm25"}


def test_the_same_run_again_asks_nothing_and_finds_the_same(store: Store, stub: Stub, tmp_path: Path) -> None:
    first = label(store, settings(stub, tmp_path))
    before = len(stub.chats)
    again = label(store, settings(stub, tmp_path))
    assert len(stub.chats) == before
    assert again == replace(first, remembered=before)


@pytest.mark.parametrize("strict", [None, StrictProof((), None, False, "5 hard controls"), NOT_STRICT])
def test_a_judge_not_shown_to_be_strict_only_proposes(
    store: Store, stub: Stub, tmp_path: Path, strict: StrictProof | None
) -> None:
    report = label(store, settings(stub, tmp_path), strict=strict)
    assert golds(store) == {"own"}
    assert (report.held_back, report.new_golds) == (1, 0)
    (held,) = (j for j in store.judgments.effective() if j.reason.startswith(PROPOSED))
    assert (held.grade, held.quote) == (2, OTHER_NIGHT), "the evidence stays, for a person to read"
    before = len(stub.chats)
    assert label(store, settings(stub, tmp_path), strict=SHOWN).new_golds == 2
    assert len(stub.chats) == before, "what was said is remembered"
    assert label(store, settings(stub, tmp_path), strict=strict).golds == 1, "proof can be lost again"


def test_log_queries_are_labelled_by_the_page_they_name_and_by_what_a_strict_judge_finds(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    named_query = log_query(text=ASKED.replace("Fact", "Page"), page="doc-second")
    store.questions.add([named_query, log_query("elsewhere", ASKED.replace("Fact", "Log"))])
    report = label(store, settings(stub, tmp_path), complete=False, strict=None)
    assert report.questions == 2 and report.log_pairs == report.pairs
    assert report.golds == report.golds_before == 0, "only drafts are completed"
    named, searched = grades(store, "log-night"), grades(store, "log-elsewhere")
    assert named["second"] == 3 and named["own"] == 2
    assert 3 not in searched.values() and 2 in searched.values()
    label(store, settings(stub, tmp_path), complete=False)
    assert grades(store, "log-night")["own"] == 3
    assert 3 in grades(store, "log-elsewhere").values()


def test_a_question_worded_like_a_log_query_is_judged_once(store: Store, stub: Stub, tmp_path: Path) -> None:
    store.questions.add([log_query()])
    report = label(store, settings(stub, tmp_path))
    assert report.questions == 1
    assert len(passages(stub)) == len(set(passages(stub)))


def test_a_budget_that_ends_leaves_the_least_promising_of_every_question(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    asked = "Fact: what holds for Exports may be stopped?"
    store.questions.add([draft("stop", asked, of="stop")])
    store.judgments.put([accepted("stop", "stop")])
    report = label(store, settings(stub, tmp_path, max_calls=3))
    assert "--max-calls 3" in report.stopped
    assert report.judged + report.left == report.pairs
    assert report.left > 0
    assert golds(store) == {"own", "second", "twin"}, "the best of each question came first"
    assert len(grades(store, "q-stop")) > 1
    state = label(store, settings(stub, tmp_path))
    assert (state.left, state.stopped, state.judged) == (0, "", report.pairs)
    assert state.remembered == 3


def test_what_gets_no_verdict_is_counted_and_tried_again(
    store: Store, start_stub: StartStub, tmp_path: Path
) -> None:
    def refusing(number: int, body: Body) -> Reply:
        return refusal() if "by mail" in str(body["messages"]) else generator_script(number, body)

    report = label(store, settings(start_stub(refusing), tmp_path))
    assert report.unjudged == {"refusal": 1}
    assert report.judged == report.pairs - 1
    assert golds(store) == {"own", "second", "twin"}
    assert label(store, settings(start_stub(generator_script), tmp_path)).unjudged == {}


def test_what_a_human_said_is_not_asked(store: Store, stub: Stub, tmp_path: Path) -> None:
    said = Judgment("q-exports", "chunk-twin", "ann", judge_kind="human", grade=1)
    store.judgments.put([said])
    report = label(store, settings(stub, tmp_path))
    assert not {"second", "twin"} & set(passages(stub))
    assert golds(store) == {"own"}
    assert report.shared == 2


def test_too_many_golds_make_a_question_ambiguous_and_keep_it(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    report = label(store, settings(stub, tmp_path), max_gold=2)
    assert report.ambiguous == ("q-exports",)
    found = load_golden(store)
    assert found.ambiguous == ("q-exports",) and len(found.golden) == 1
    assert "ambiguous: 1 questions have more than 2 golds" in found.marks
    assert label(store, settings(stub, tmp_path), max_gold=3).ambiguous == ()
    assert load_golden(store).ambiguous == ()


def write_run(folder: Path, *hits: str, name: str = "ours.csv") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("question_id,chunk_id,score\n" + "\n".join(hits) + "\n", encoding="utf-8")
    return path


def test_a_run_file_proposes_too_and_what_it_has_of_others_is_said(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    run = write_run(tmp_path, "q-exports,chunk-seats,2", "q-exports,gone,3", "other,chunk-own,1", "x")
    heard = Heard()
    label(store, settings(stub, tmp_path), runs=[run], reporter=heard)
    assert "seats" in passages(stub), "bm25 does not find it"
    assert {(p.source, p.chunk_id, p.rank) for p in store.pool.all() if p.source == "ours.csv"} == {
        ("ours.csv", "chunk-seats", 1)
    }
    (said,) = (line for line in heard.lines if "ours.csv" in line)
    assert "1 rows rejected" in said and "line 5" in said
    assert "1 questions that the set does not have, 1 hits on chunks" in said
    assert any("come from bm25 alone" in line for line in heard.lines)
    before = len(stub.chats)
    label(store, settings(stub, tmp_path))
    assert len(stub.chats) == before and grades(store)["seats"] == 1, "what it proposed stays in the pool"


def test_two_runs_of_one_name_are_refused(store: Store, stub: Stub, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / folder, "q-exports,chunk-own,1") for folder in ("one", "two")]
    with pytest.raises(SettingsError, match=r"two runs are named ours\.csv"):
        label(store, settings(stub, tmp_path), runs=runs)


def test_a_pool_never_becomes_less_deep(store: Store, stub: Stub, tmp_path: Path) -> None:
    label(store, settings(stub, tmp_path), depth=4)
    deep = store.pool.all()
    assert len(deep) == 4
    label(store, settings(stub, tmp_path), depth=1)
    assert store.pool.all() == deep


def test_dense_search_proposes_through_an_endpoint_and_its_model_is_remembered(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    label(store, settings(stub, tmp_path, dense=True))
    assert {item.source for item in store.pool.all()} == {"bm25", "dense"}
    assert load_golden(store).models.pooled == ("vectors",)


def test_labels_are_planned_as_they_are_then_asked_for(store: Store, stub: Stub, tmp_path: Path) -> None:
    models = settings(stub, tmp_path)

    def planned() -> tuple[int, int, int]:
        """Certain calls, calls at most, and remembered ones."""
        verifier = planned_verifier(models, None, store)
        asyncio.run(plan_labels(store, verifier, LabelOptions(complete=True)))
        plan = verifier.chat.plan()
        certain = sum(stage.at_most.calls for stage in plan.stages if not stage.estimated)
        return certain, plan.at_most.calls, plan.remembered

    certain, most, remembered = planned()
    assert stub.chats == [] and store.judgments.all() == [accepted()]
    report = label(store, models)
    assert certain == report.pairs and remembered == 0
    assert certain < len(stub.chats) <= most, "the strict judge looks again at what it accepts"
    assert planned() == (0, 0, len(stub.chats)), "a run that is done is remembered whole"


def test_drafts_without_a_verdict_are_planned_as_possible(store: Store, stub: Stub, tmp_path: Path) -> None:
    store.questions.add([draft("stop", "Fact: what holds for Exports may be stopped?", of="stop")])
    verifier = planned_verifier(settings(stub, tmp_path), None, store)
    asyncio.run(plan_labels(store, verifier, LabelOptions(complete=True)))
    plan = verifier.chat.plan()
    assert any(stage.estimated and stage.at_most.calls > 0 for stage in plan.stages)
    report = label(store, settings(stub, tmp_path))
    assert report.questions == 1, "a draft that is not golden is not completed"


def test_verify_asks_no_more_for_labels_than_its_plan_says(stub: Stub, tmp_path: Path) -> None:
    db = tmp_path / "verified.duckdb"
    with open_store(db) as store:
        fill_pooled(store)
    options = VerifyOptions(db, controls=0, complete=4, models=settings(stub, tmp_path))
    plan = asyncio.run(plan_verify(options))
    certain = sum(stage.at_most.calls for stage in plan.stages if not stage.estimated)
    report = asyncio.run(verify(options))
    assert report.labels.pairs > 0
    assert certain < report.calls.made <= plan.at_most.calls
    again = asyncio.run(plan_verify(options))
    assert (again.at_most.calls, again.remembered) == (0, report.calls.made)


def test_each_question_keeps_how_deep_it_was_asked_for(store: Store, stub: Stub, tmp_path: Path) -> None:
    """What a run file does not have was never asked of it, however deep it is read."""
    store.questions.add([log_query()])
    run = write_run(tmp_path, "log-night,chunk-seats,2", "log-night,chunk-own,1")
    label(store, settings(stub, tmp_path), complete=False, runs=[run], depth=20)
    assert {(p.source, p.depth) for p in store.pool.all()} == {("bm25", 20), ("ours.csv", 2)}
    store.questions.add([log_query("stop", "may exports be stopped")])
    label(store, settings(stub, tmp_path), complete=False)
    depths = {(p.question_id, p.depth) for p in store.pool.all() if p.source == "bm25"}
    assert depths == {("log-night", 20), ("log-stop", 10)}
