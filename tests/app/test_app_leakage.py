"""How much the questions of a set take over from their gold."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import draft, fill, human
from typer.testing import CliRunner

from goldgen.app.golden import load_golden
from goldgen.app.leakage import corpus_meter, leakage
from goldgen.app.set_proof import set_proof
from goldgen.app.status import status
from goldgen.cli.main import app
from goldgen.store import Store, open_store
from goldgen.types import Chunk, Document, Question


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill(opened)
        yield opened


def test_means_are_told_by_origin_over_the_questions_with_gold(store: Store) -> None:
    assert leakage(load_golden(store)) == {}
    said = replace(draft("seats", "Basic plan seats"), id="q-said", answer="The Basic plan has 5 seats")
    told = replace(draft("seats", "In this section, has Basic 5 seats?"), id="q-told", answer="5 seats")
    store.questions.add([said, told, Question("q-log", "more seats cost", "log", "log")])
    judged = {"exports": 0, "said": 3, "told": 3, "log": 3}
    store.judgments.put([human(key, "chunk-seats", grade) for key, grade in judged.items()])
    found = leakage(load_golden(store))
    assert found.keys() == {"log", "synthetic"}
    # "more seats cost" stands there in a row, and nobody gave its answer.
    log = found["log"]
    assert (log.questions, log.heading, log.copied, log.answer_inside, log.points_away) == (1, 0, 1, None, 0)
    assert log.overlap == pytest.approx(1.0)
    synthetic = found["synthetic"]
    assert (synthetic.questions, synthetic.answer_inside, synthetic.points_away) == (2, 0.5, 0.5)
    assert synthetic.overlap < 1


def test_of_several_golds_the_one_that_shares_most_counts_for_each_measure(store: Store) -> None:
    text = "It has five of them."
    chunk = Chunk("chunk-headed", "doc-headed", text, 0, len(text), context="Exports at night")
    store.corpus.replace_document(Document("doc-headed", "headed.md", text), [chunk])
    store.questions.add([replace(draft("exports", "Exports run at night"), id="q-two")])
    store.judgments.put([human("two", "chunk-exports", 3), human("two", "chunk-headed", 3)])
    found = leakage(load_golden(store))["synthetic"]
    assert (found.questions, found.overlap, found.copied) == (1, 1.0, 1.0)
    assert found.heading == pytest.approx(1.0)


def test_the_threshold_of_the_set_says_what_is_gold(store: Store) -> None:
    store.judgments.put([human("seats", "chunk-seats", 1)])
    golden = load_golden(store)
    assert leakage(golden) == {}
    assert leakage(replace(golden, threshold=1)).keys() == {"synthetic"}


def test_words_of_a_large_corpus_are_counted_in_a_part_of_it() -> None:
    texts = ["rare wombat" if place == 1 else "common words" for place in range(20_002)]
    chunks = [Chunk(str(place), "d", text, 0, len(text)) for place, text in enumerate(texts)]
    for meter, counted in ((corpus_meter(chunks), False), (corpus_meter(chunks[:-3]), True)):
        assert meter.rarity("common") < 0.01
        assert (meter.rarity("wombat") < meter.rarity("unseen")) is counted


def test_proof_and_status_tell_it(store: Store, tmp_path: Path) -> None:
    store.judgments.put([human("seats", "chunk-seats", 3)])
    proof = set_proof(store, load_golden(store))
    assert proof.overlap == {"synthetic": proof.leakage["synthetic"].overlap}
    store.close()
    db = tmp_path / "set.duckdb"
    assert status(db).leakage == proof.leakage
    shown = CliRunner().invoke(app, ["status", "--db", str(db)]).stdout
    assert "leakage     synthetic: shares 44% of its words with the gold, 0% with its headings" in shown
