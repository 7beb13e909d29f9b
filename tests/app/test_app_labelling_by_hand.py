import asyncio
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from pooled_sets import ASKED, fill_corpus, fill_pooled, label, log_query, settings
from stub.server import Stub

from goldgen.app.golden import load_golden
from goldgen.app.verify import VerifyOptions, plan_verify, verify
from goldgen.store import Store, open_store
from goldgen.types import Question


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill_pooled(opened)
        yield opened


def test_a_question_by_hand_without_a_place_is_labelled_like_a_log_query(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    by_hand = Question("mine", ASKED.replace("Fact", "Mine"), "manual", "manual")
    placed = replace(by_hand, id="placed", text="Who pays?", chunk_id="chunk-seats", document_id="doc-seats")
    store.questions.add([by_hand, placed, log_query(text=ASKED.replace("Fact", "MINE"))])
    report = label(store, settings(stub, tmp_path), complete=False)
    assert report.questions == 1, "worded alike, they are one"
    items = {item.question.id: item for item in load_golden(store).questions}
    assert len(items["log-night"].gold) == 3 and items["log-night"].merged == ("mine",)
    store.questions.add([replace(by_hand, id="other", text=ASKED.replace("Fact", "Other"))])
    assert label(store, settings(stub, tmp_path), complete=False, depth=1).questions == 2
    items = {item.question.id: item for item in load_golden(store).questions}
    assert items["other"].state == "golden"
    assert items["other"].pool_depth == 10, "it has no other labels"
    assert items["placed"].state == "unjudged", "its own chunk is a draft's, which verify judges"


def test_verify_labels_a_question_by_hand_without_a_place_and_counts_it_as_no_draft(
    stub: Stub, tmp_path: Path
) -> None:
    db = tmp_path / "by_hand.duckdb"
    with open_store(db) as store:
        fill_pooled(store)
        written = store.questions.all()
        store.questions.add([Question("mine", ASKED.replace("Fact", "Mine"), "manual", "manual")])
    asked = VerifyOptions(db, controls=0, complete=0, models=settings(stub, tmp_path))
    plan = asyncio.run(plan_verify(asked))
    report = asyncio.run(verify(asked))
    assert (report.drafts, report.labels.questions, report.labels.held_back) == (len(written), 1, 2)
    assert report.calls.made <= plan.at_most.calls
    alone = tmp_path / "alone.duckdb"
    with open_store(alone) as store:
        fill_corpus(store)
        store.questions.add([Question("mine", ASKED.replace("Fact", "Mine"), "manual", "manual")])
    report = asyncio.run(verify(replace(asked, db=alone)))
    assert (report.drafts, report.labels.questions, report.labels.held_back) == (0, 1, 2)
