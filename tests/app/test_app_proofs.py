import asyncio
import shutil
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pooled_sets import NOT_STRICT, SHOWN, accepted, fill_pooled, grades, label, log_query, settings
from stored_sets import word_verifier
from stub.generator import generator_script
from stub.server import StartStub, Stub

from goldgen.app.golden import load_golden
from goldgen.app.judges import open_verifier
from goldgen.app.models import ModelSettings
from goldgen.app.proofs import left_out, save_proof, strict_proof
from goldgen.app.reporting import Silent
from goldgen.store import Store, open_store
from goldgen.types import GOLD, Control, Judgment, Proof
from goldgen.verify import StrictProof, VerifierProof

PROMPTS = Path(__file__).parents[2] / "prompts"
PROVEN = VerifierProof("proven", "", (), 0.9, None, None)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill_pooled(opened)
        yield opened


def prove(
    store: Store,
    models: ModelSettings,
    strict: StrictProof = SHOWN,
    votes: int = 1,
    prompts: Path | None = None,
) -> None:
    async def run() -> None:
        async with open_verifier(models, prompts, store, Silent(), votes) as verifier:
            save_proof(store, verifier, replace(PROVEN, strict=strict))

    asyncio.run(run())


def golds(store: Store) -> set[str]:
    (item,) = (item for item in load_golden(store).questions if item.question.id == "q-exports")
    return {chunk_id.removeprefix("chunk-") for chunk_id in item.gold}


def test_a_proof_holds_for_a_judge_that_is_asked_as_it_was_measured(
    store: Store, stub: Stub, start_stub: StartStub, tmp_path: Path
) -> None:
    models = settings(stub, tmp_path)
    changed = tmp_path / "prompts"
    shutil.copytree(PROMPTS, changed)
    with (changed / "verify_strict.md").open("a", encoding="utf-8") as opened:
        opened.write("\nBe quick about it.\n")
    elsewhere = settings(start_stub(generator_script), tmp_path)
    others = (
        lambda: prove(store, models, votes=3),
        lambda: prove(store, models, prompts=changed),
        lambda: prove(store, elsewhere),
    )
    for held_back, other in zip((1, 0, 0), others, strict=True):
        other()
        report = label(store, models, strict=None)
        assert (report.held_back, report.new_golds) == (held_back, 0)
    prove(store, models)
    assert label(store, models, strict=None).new_golds == 2
    before = grades(store)
    for other in others:
        other()
        report = label(store, models, strict=None)
        assert (report.held_back, report.withdrawn, grades(store)) == (0, 0, before), (
            "what the judge found while it was strict stands"
        )


def test_golds_that_only_a_search_found_do_not_outlive_the_proof(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    models = settings(stub, tmp_path)
    for strict in (NOT_STRICT, None):
        assert label(store, models).withdrawn == 0
        assert golds(store) == {"own", "second", "twin"}
        lost = label(store, models, strict=strict, complete=False)
        assert (lost.questions, lost.withdrawn) == (0, 1), "of twins one was judged"
        assert golds(store) == {"own"}
        assert label(store, models, strict=strict, complete=False).withdrawn == 0
    before = len(stub.chats)
    assert label(store, models).new_golds == 2
    assert len(stub.chats) == before, "what was said is remembered"


def test_a_proof_that_was_got_with_more_votes_still_bears_what_it_bore(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    models = settings(stub, tmp_path)
    label(store, models)
    prove(store, models, votes=3)
    assert label(store, models, strict=None, complete=False).withdrawn == 0
    assert golds(store) == {"own", "second", "twin"}
    prove(store, models, NOT_STRICT, votes=3)
    assert label(store, models, strict=None, complete=False).withdrawn == 1


def test_what_others_said_and_what_a_log_names_is_not_withdrawn(
    store: Store, stub: Stub, tmp_path: Path
) -> None:
    models = settings(stub, tmp_path)
    named = log_query(page="doc-second")
    store.questions.add([named])
    found = [replace(accepted(target="second"), question_id=q, judge="ver") for q in (named.id, "q-exports")]
    mail, seats = accepted(target="mail"), accepted(target="seats")
    store.judgments.put([*found, mail, seats])
    store.judgments.put([replace(mail, judge="ann", judge_kind="human"), replace(seats, judge="other")])
    report = label(store, models, strict=NOT_STRICT, complete=False)
    assert report.withdrawn == 2, "the verifier's own word on what ann read, too"
    assert grades(store)["second"] == 2
    assert {grades(store)[key] for key in ("own", "mail", "seats")} == {GOLD}
    assert grades(store, named.id)["second"] == GOLD


def test_a_gold_is_withdrawn_though_its_chunk_was_cut_anew(store: Store, stub: Stub, tmp_path: Path) -> None:
    chunk = next(chunk for chunk in store.corpus.chunks() if chunk.id == "chunk-mail")
    old = Judgment("q-exports", "cut", "ver", grade=GOLD, document_id="doc-mail", quote=chunk.text, start=0)
    store.judgments.put([old])
    assert golds(store) == {"own", "mail"}
    assert label(store, settings(stub, tmp_path), strict=NOT_STRICT, complete=False).withdrawn == 1
    assert golds(store) == {"own"}


def scored(number: int, score: float, kind: str = "answer_deleted", document: int | None = None) -> Control:
    of = f"d{number if document is None else document}"
    found = "same_document" if kind == "same_document" else "answer_deleted"
    return Control(f"{kind}{number}", "q", found, of, "text", "", score=score)


EMBEDDED = word_verifier()


@pytest.mark.parametrize(
    ("controls", "verdict", "is_shown", "reason"),
    [
        ([scored(n, 0.5) for n in range(100)], "proven", True, "100 of 100"),
        ([scored(n, 0.5) for n in range(100)], "failed", False, "failed its controls"),
        ([scored(n, n / 100) for n in range(100)], "proven", True, "99 of 100"),
        ([scored(n, n / 50) for n in range(50)], "proven", False, "49 of 50"),
        ([scored(n, 0.5) for n in range(39)], "proven", False, "39 answer_deleted controls"),
        ([scored(n, 0.5, document=1) for n in range(60)], "proven", False, "0 answer_deleted controls"),
        ([], "proven", False, "0 answer_deleted controls"),
    ],
)
def test_a_judge_with_scores_is_strict_by_thresholds_that_other_documents_give(
    store: Store, controls: list[Control], verdict: Proof, is_shown: bool, reason: str
) -> None:
    store.controls.put(controls)
    assert strict_proof(store, EMBEDDED) is None, "no verification by it was finished"
    save_proof(store, EMBEDDED, replace(PROVEN, verdict=verdict))
    found = strict_proof(store, EMBEDDED)
    assert found is not None and found.is_shown == is_shown
    assert reason in found.reason


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), max_size=60))
def test_no_control_has_a_part_in_the_threshold_that_grades_it(rows: list[tuple[int, float]]) -> None:
    """Whatever the scores of its own document are, the others' threshold stays: each is accepted just where
    it reaches their highest score, as with so few no lower one rejects 0.99 of them."""
    controls = [scored(n, score, document=document) for n, (document, score) in enumerate(rows)]
    for control in left_out(controls):
        others = [c.score or 0.0 for c in controls if c.document_id != control.document_id]
        if len(others) < 8:
            assert control.grade is None
        else:
            assert (control.grade == GOLD) == ((control.score or 0.0) > max(others))
