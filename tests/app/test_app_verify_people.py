"""Whole runs of verify: what people's golds say of the verifier, and what a failed look may not hide."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from stub.generator import generator_script
from stub.server import StartStub
from verified_sets import blocked_script, fill_services, options, said

from goldgen.app.adding import VOUCHED
from goldgen.app.verify import verify
from goldgen.store import open_store
from goldgen.types import GOLD


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Forty drafts of ten documents."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill_services(store, 10)
    return path


def vouch(db: Path, number: int, rejected: int) -> None:
    """Questions by hand, with the person's word on their chunk; the verifier rejects the first of them."""
    with open_store(db) as store:
        drafts = store.questions.all("synthetic")[:number]
        texts = ["Who pays?"] * rejected + [draft.text for draft in drafts[rejected:]]
        by_hand = [
            replace(draft, id=f"hand-{draft.id}", text=text, origin="manual", answer="", quote="", model="")
            for draft, text in zip(drafts, texts, strict=True)
        ]
        store.questions.add(by_hand)
        store.judgments.put([replace(said(q, q.chunk_id or "", GOLD), reason=VOUCHED) for q in by_hand])


def test_vouched_golds_give_the_sensitivity_and_a_drawn_sample_the_trusted_figure(
    db: Path, start_stub: StartStub
) -> None:
    vouch(db, 20, 0)
    with open_store(db) as store:
        drafts = store.questions.all("synthetic")
        store.judgments.put([said(q, q.chunk_id or "", GOLD, sampled=True) for q in drafts[1:]])
        store.judgments.put([said(drafts[0], drafts[0].chunk_id or "", 1, sampled=True)])
    report = asyncio.run(verify(options(db, start_stub(generator_script))))
    assert report.proof.sensitivity is not None and report.trusted is not None
    assert (report.proof.sensitivity.count, report.proof.sensitivity.total) == (20, 20)
    assert report.proof.assumptions[0] == "sensitivity 1.00 from 20 vouched human golds"
    assert report.trusted.wrong == 1 and report.trusted.pairs >= 40


def test_a_vouched_gold_that_the_verifier_rejects_lowers_the_sensitivity(
    db: Path, start_stub: StartStub
) -> None:
    vouch(db, 40, 1)
    proof = asyncio.run(verify(options(db, start_stub(generator_script)))).proof
    assert proof.sensitivity is None and proof.assumptions[0].startswith(
        "sensitivity assumed 1 (0.97 of 40"
    ), "below the acceptance of 79 of 80"


def test_golds_of_review_measure_no_sensitivity(db: Path, start_stub: StartStub) -> None:
    """People mostly look at what a verifier was in doubt of."""
    with open_store(db) as store:
        drafts = store.questions.all()
        store.judgments.put([said(q, q.chunk_id or "", GOLD) for q in drafts[:20]])
        by_hand = [replace(q, id=f"hand-{q.id}", origin="manual") for q in drafts[:20]]
        store.questions.add(by_hand)
        store.judgments.put([said(q, q.chunk_id or "", GOLD) for q in by_hand])
    proof = asyncio.run(verify(options(db, start_stub(generator_script)))).proof
    assert proof.sensitivity is None and proof.assumptions[0] == "sensitivity assumed 1"


def test_second_looks_that_all_fail_open_no_gate(db: Path, start_stub: StartStub) -> None:
    """What the first judge accepted stays accepted, and a failed verifier is not strict either."""
    asked = replace(options(db, start_stub(blocked_script), controls=60), complete=5)
    report = asyncio.run(verify(asked))
    strict = report.proof.strict
    assert report.proof.verdict == "failed" and strict is not None
    assert not strict.is_shown
    first = {kind.kind: kind.rejected for kind in report.proof.kinds}
    assert {kind.kind: kind.rejected for kind in strict.kinds} == first
    assert all(kind.judged == kind.rejected + (kind.judged - first[kind.kind]) for kind in strict.kinds)
    unproven = asyncio.run(verify(replace(asked, floor=0.5, complete=0))).proof
    assert unproven.verdict == "proven" and unproven.strict is not None
    assert not unproven.strict.is_shown and "0.99 is needed" in unproven.strict.reason
