"""Whole runs of verify on real files, with verifiers of known character."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from stub.generator import careless_script, generator_script, stage
from stub.server import StartStub
from verified_sets import (
    fact,
    fill_services,
    fill_split,
    forgetful_script,
    options,
    refusing_script,
    said,
    together_script,
    wavering_script,
)

from goldgen.app.golden import load_golden
from goldgen.app.models import ModelSettings
from goldgen.app.proofs import verdicts
from goldgen.app.verify import VerifyOptions, plan_verify, verify
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import open_store
from goldgen.types import GOLD, Question


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Forty drafts of ten documents."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill_services(store, 10)
    return path


def test_a_verifier_that_always_says_yes_has_failed(db: Path, start_stub: StartStub) -> None:
    report = asyncio.run(verify(options(db, start_stub(careless_script))))
    proof = report.proof
    assert (proof.verdict, report.accepted) == ("failed", 40)
    assert proof.reason == (
        "it accepted 40 of 40 texts that do not answer: a judge that always says yes is no judge"
    )
    assert proof.strict is not None and not proof.strict.is_shown
    with open_store(db, read_only=True) as store:
        assert verdicts(store) == {"ver": f"failed: {proof.reason}"}
        assert len([j for j in store.judgments.all() if j.grade == GOLD]) == 40, (
            "the set is saved all the same"
        )


def test_a_verifier_that_always_says_no_has_failed(db: Path, start_stub: StartStub) -> None:
    proof = asyncio.run(verify(options(db, start_stub(refusing_script)))).proof
    assert proof.verdict == "failed"
    assert proof.reason == "it accepted none of 40 drafts: a judge that always says no is no judge"


def test_a_failed_verifier_completes_no_labels(db: Path, start_stub: StartStub) -> None:
    asked = replace(options(db, start_stub(careless_script)), complete=5)
    assert asyncio.run(verify(asked)).labels.questions == 0


def test_twenty_controls_all_right_prove_nothing(db: Path, start_stub: StartStub) -> None:
    report = asyncio.run(verify(options(db, start_stub(generator_script), controls=10)))
    assert [(k.judged, k.rejected) for k in report.proof.kinds if k.kind != "easy"] == [(10, 10), (10, 10)]
    assert report.proof.verdict == "unproven"
    assert report.proof.reason == "20 hard controls; at least 40 are needed"


def test_a_good_verifier_is_proven_and_may_complete_labels(db: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    report = asyncio.run(verify(replace(options(db, stub, controls=40), complete=2)))
    assert (report.proof.verdict, report.accepted) == ("proven", 40)
    assert report.proof.assumptions[0] == "sensitivity assumed 1"
    strict = report.proof.strict
    assert strict is not None and strict.is_shown and strict.specificity is not None
    assert strict.specificity.estimate == 1.0
    assert report.labels.questions == 40 and report.labels.strict == strict.specificity
    with open_store(db, read_only=True) as store:
        (stored,) = json.loads(store.meta.get("proofs") or "").values()
        assert stored["strict"]["is_shown"] and stored["asked"]["votes"] == "1"
        assert stored["asked"]["endpoint"] == stub.url and len(stored["asked"]) == 4
        assert stored["floor"] == 0.9
        assert [kind["kind"] for kind in stored["kinds"]] == ["answer_deleted", "same_document", "easy"]
        assert stored["assumptions"] == list(report.proof.assumptions)


def test_the_second_look_is_taken_only_where_the_first_said_gold(db: Path, start_stub: StartStub) -> None:
    stub = start_stub(forgetful_script)
    proof = asyncio.run(verify(options(db, stub))).proof
    assert [kind.rejected for kind in proof.kinds] == [0, 0, 0]
    assert proof.strict is not None
    assert [kind.rejected for kind in proof.strict.kinds] == [20, 20, 20]
    assert [stage(chat.body) for chat in stub.chats].count("SecondLook") == 60


def test_what_people_reject_is_a_neighbour_and_what_a_verifier_says_is_none(
    db: Path, start_stub: StartStub
) -> None:
    asked = options(db, start_stub(generator_script))
    with open_store(db) as store:
        questions = store.questions.all()
        first, second, third, fourth = questions[:4]
        store.judgments.put([said(first, f"c9-{part}", 1) for part in range(3)])
        store.judgments.put([said(second, "c9-3", 2), said(third, "c9-3", GOLD)])
        # A drawn pair, a question's own chunk, and a pair that a verifier brought before a person.
        store.judgments.put([said(fourth, "c9-3", 0, sampled=True), said(fourth, fourth.chunk_id or "", 0)])
        judged = replace(said(fourth, "c9-2", GOLD), judge="other", judge_kind="verifier")
        store.judgments.put([judged, said(fourth, "c9-2", 1)])
    report = asyncio.run(verify(asked))
    (kind,) = (kind for kind in report.proof.kinds if kind.kind == "neighbour")
    assert (kind.judged, kind.rejected) == (3, 3)
    with open_store(db, read_only=True) as store:
        found = [control for control in store.controls.all() if control.kind == "neighbour"]
    assert sorted(control.question_id for control in found) == [first.id, first.id, second.id]
    assert all(fact(9, 3) in control.text for control in found if control.question_id == second.id)


def test_the_likest_neighbours_come_first(db: Path, start_stub: StartStub) -> None:
    with open_store(db) as store:
        question = next(q for q in store.questions.all() if q.id == "q0-0")
        likest = [chunk.id for chunk in store.corpus.chunks() if chunk.id in ("c0-1", "c0-2")]
        store.judgments.put([said(question, target, 1) for target in ("c7-1", "c8-2", "c9-3", *likest)])
    asyncio.run(verify(options(db, start_stub(generator_script))))
    with open_store(db, read_only=True) as store:
        found = {c.text for c in store.controls.all() if c.kind == "neighbour"}
    assert len(found) == 2
    assert all(fact(0, part) in "".join(found) for part in (1, 2)), "they share the service's number"


def test_a_verifier_that_is_taken_in_by_neighbours_fails(db: Path, start_stub: StartStub) -> None:
    """Each of these texts states what the verifier goes by; a person knows better."""
    with open_store(db) as store:
        questions = store.questions.all()
        document = next(d for d in store.corpus.documents() if d.id == "d9")
        chunks = [c for c in store.corpus.chunks() if c.document_id == "d9"]
        twins = [
            replace(
                chunks[0], id=f"stale-{n}", text=f"{fact(0, n)} That was so in an older release.", position=n
            )
            for n in range(4)
        ]
        store.corpus.replace_document(document, [*chunks, *twins])
        own = [q for q in questions if q.document_id == "d0"]
        store.judgments.put([said(q, f"stale-{n}", 2) for n, q in enumerate(own)])
    proof = asyncio.run(verify(options(db, start_stub(generator_script)))).proof
    assert proof.verdict == "failed"
    assert "it accepted 4 of 4 neighbour controls" in proof.reason


def test_questions_by_hand_are_judged_too_and_keep_their_human_gold(db: Path, start_stub: StartStub) -> None:
    with open_store(db) as store:
        by_hand = Question("mine", "Who pays?", "manual", "manual", "c0-0", "d0")
        store.questions.add([by_hand])
        store.judgments.put([said(by_hand, "c0-0", GOLD)])
    report = asyncio.run(verify(options(db, start_stub(generator_script))))
    assert (report.drafts, report.accepted) == (41, 40)
    assert report.questions == 41, "what a person said stands"


def test_an_evidence_set_is_accepted_if_no_part_of_it_suffices(db: Path, start_stub: StartStub) -> None:
    """The first asks for a sentence that one chunk has, the second for one that only both have together."""
    with open_store(db) as store:
        fill_split(store)
        first = next(q for q in store.questions.all() if q.id == "q0-0")
        store.questions.add(
            [replace(first, id="one", text=f"{first.text[:-1]} data?", evidence_chunks=("c0-0", "c0-1"))]
        )
    stub = start_stub(together_script)
    report = asyncio.run(verify(options(db, stub, controls=5)))
    assert report.rejected == {"a part of its evidence set suffices": 1}
    assert (report.drafts, report.accepted) == (42, 41)
    with open_store(db, read_only=True) as store:
        golden = {item.question.id: item for item in load_golden(store).questions}
    assert golden["both"].judged.sets == (("s0", "s1"),)
    assert golden["one"].judged.sets == ()


def test_votes_are_asked_counted_and_their_disputes_reported(db: Path, start_stub: StartStub) -> None:
    stub = start_stub(wavering_script)
    asked = replace(options(db, stub, controls=5), votes=3)
    plan = asyncio.run(plan_verify(asked))
    report = asyncio.run(verify(replace(asked, floor=0.5)))
    pairs = 40 + 5 + 5 + 20
    assert plan.stages[0].at_most.calls == 3 * pairs == len(stub.chats)
    assert (report.votes, report.accepted, report.disputed) == (3, 0, 40)
    with open_store(db, read_only=True) as store:
        assert {j.votes for j in store.judgments.all()} == {(GOLD, 0, 0)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"votes": 2}, "2 votes can end in a tie"),
        ({"votes": 3}, "same verdict however often"),
        ({"complete": 5}, "label completion needs a stricter judge"),
    ],
)
def test_what_the_embedded_judge_cannot_do_is_said_before_it_is_loaded(
    db: Path, changes: dict[str, int], message: str
) -> None:
    asked = VerifyOptions(db, models=ModelSettings(offline=True))
    asked = replace(asked, votes=changes.get("votes", 1), complete=changes.get("complete"))
    for run in (verify, plan_verify):
        with pytest.raises(SettingsError, match=message):
            asyncio.run(run(asked))


def test_a_chat_model_has_no_threshold_to_choose(db: Path, start_stub: StartStub) -> None:
    asked = replace(options(db, start_stub(generator_script)), target_precision=0.9)
    with pytest.raises(SettingsError, match="verdicts without scores"):
        asyncio.run(verify(asked))


@pytest.mark.model
def test_a_wanted_precision_sets_the_threshold(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill_services(store, 5)
    asked = VerifyOptions(db, models=ModelSettings(offline=True))
    usual = asyncio.run(verify(asked))
    assert usual.calibration is not None and usual.calibration.controls >= 40
    assert 1 < len(usual.thresholds) <= 6
    with open_store(db) as store:
        before = store.judgments.all()
    reached = max(row.precision_at_least for row in usual.thresholds) - 0.05
    careful = asyncio.run(verify(replace(asked, target_precision=reached)))
    assert careful.calibration is not None
    assert careful.calibration.target_precision == reached
    (chosen,) = (r for r in careful.thresholds if r.threshold == careful.calibration.threshold)
    assert chosen.precision_at_least >= reached
    with open_store(db) as store:
        assert len(store.judgments.all()) == len(before)


@pytest.mark.model
def test_a_precision_out_of_reach_changes_nothing(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill_services(store, 2, 2)
    with pytest.raises(EmptyResultError, match="cannot be aimed at"):
        asyncio.run(verify(VerifyOptions(db, models=ModelSettings(offline=True), target_precision=0.9)))
    with open_store(db, read_only=True) as store:
        assert store.judgments.all() == []
