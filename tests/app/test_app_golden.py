import json
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import draft, fill, human, verdict, word_verifier

from goldgen.app.golden import GoldenSet, SetModels, load_golden
from goldgen.app.judges import (
    Verifier,
    calibration_problem,
    load_calibration,
    save_calibration,
    will_be_calibrated,
)
from goldgen.app.models import ModelSettings
from goldgen.app.proofs import save_proof
from goldgen.errors import ModelError
from goldgen.models.endpoints import EMBEDDED_GENERATOR
from goldgen.store import Store, open_store
from goldgen.types import JudgedQuestion, NearMiss, Proof
from goldgen.verify import AnswerModel, Calibration, VerifierProof

JUDGE = Verifier("claude-judge", 1)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill(opened)
        yield opened


def states(store: Store) -> dict[str, str]:
    return {item.question.id: item.state for item in load_golden(store).questions}


def test_a_set_without_verdicts_is_all_unjudged_and_says_so(store: Store) -> None:
    found = load_golden(store)
    assert set(states(store).values()) == {"unjudged"}
    assert found.golden == ()
    assert found.marks == ("not verified: run goldgen verify",)
    assert found.judging_models == frozenset()


def test_a_human_stands_before_the_verifier_whoever_spoke_last(store: Store) -> None:
    store.judgments.put([human("seats", "chunk-seats", 3), human("exports", "chunk-exports", 1)])
    store.judgments.put([verdict("seats", "chunk-seats", 0), verdict("exports", "chunk-exports", 3)])
    assert states(store) == {"q-seats": "golden", "q-exports": "rejected"}


def test_a_lost_verdict_is_unjudged_and_not_the_older_ones(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3)])
    assert states(store)["q-seats"] == "golden"
    store.judgments.put([verdict("seats", "chunk-seats", None, judge="another-judge")])
    assert states(store)["q-seats"] == "unjudged"


@pytest.mark.parametrize(
    ("of_near_miss", "of_question", "kept"),
    [(0, 3, 1), (2, 3, 1), (3, 3, 0), (None, 3, 0), (0, 0, 0), (0, None, 0)],
)
def test_a_near_miss_is_kept_if_refused_for_its_golden_question(
    store: Store, of_near_miss: int | None, of_question: int | None, kept: int
) -> None:
    store.judgments.put(
        [
            verdict("seats", "near", of_near_miss),
            verdict("exports", "near", 0),
            verdict("seats", "chunk-seats", of_question),
        ]
    )
    assert len(load_golden(store).near_misses) == kept


def test_a_near_miss_that_nobody_judged_is_not_kept(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "near", 0)])
    assert load_golden(store).near_misses == ()


def test_the_fingerprint_follows_labels_and_chunks(store: Store) -> None:
    fingerprints = [load_golden(store).fingerprint]
    for grade in (3, 2):
        store.judgments.put([verdict("seats", "chunk-seats", grade)])
        fingerprints.append(load_golden(store).fingerprint)
    store.judgments.put([replace(verdict("seats", "chunk-seats", 2), reason="said otherwise")])
    assert load_golden(store).fingerprint == fingerprints[-1]
    store.corpus.remove_documents(["doc-exports"])
    fingerprints.append(load_golden(store).fingerprint)
    assert len(set(fingerprints)) == 4


def labelled(store: Store) -> GoldenSet:
    """Two golden questions; evidence sets of the first, and two near misses of the second."""
    golds = [verdict("exports", "chunk-exports", 3), verdict("seats", "chunk-seats", 3)]
    store.judgments.put([*golds, verdict("exports", "chunk-seats", 1), verdict("seats", "near", 0)])
    golden = load_golden(store)
    (near,) = golden.near_misses
    twins = (near, replace(near, id="other", text="Team has 5 seats."))
    sets = (("a", "b"), ("c", "d"))
    return of_first(replace(golden, near_misses=twins), lambda judged: replace(judged, sets=sets))


def of_first(golden: GoldenSet, change: Callable[[JudgedQuestion], JudgedQuestion]) -> GoldenSet:
    first, *others = golden.questions
    return replace(golden, questions=(replace(first, judged=change(first.judged)), *others))


def of_near_miss(golden: GoldenSet, change: Callable[[NearMiss], NearMiss]) -> GoldenSet:
    first, *others = golden.near_misses
    return replace(golden, near_misses=(change(first), *others))


def asked_otherwise(golden: GoldenSet) -> GoldenSet:
    first, *others = golden.questions
    question = replace(first.question, text="When are exports run?")
    return replace(golden, questions=(replace(first, question=question), *others))


CHANGES: dict[str, Callable[[GoldenSet], GoldenSet]] = {
    "grade": lambda g: of_first(g, lambda j: replace(j, grades={**j.grades, "chunk-seats": 2.0})),
    "one label more": lambda g: of_first(g, lambda j: replace(j, grades={**j.grades, "new": 0.0})),
    "cluster": lambda g: of_first(g, lambda j: replace(j, cluster="another")),
    "no evidence set": lambda g: of_first(g, lambda j: replace(j, sets=())),
    "other evidence sets": lambda g: of_first(g, lambda j: replace(j, sets=(("a", "c"), ("b", "d")))),
    "question's text": asked_otherwise,
    "question": lambda g: replace(g, questions=g.questions[1:]),
    "near misses": lambda g: replace(g, near_misses=()),
    "near miss's text": lambda g: of_near_miss(g, lambda n: replace(n, text="Pro has 6 seats.")),
    "near miss's context": lambda g: of_near_miss(g, lambda n: replace(n, context="Plans")),
    "near miss's question": lambda g: of_near_miss(g, lambda n: replace(n, question_id="q-exports")),
    "threshold": lambda g: replace(g, threshold=1.0),
    "chunk's text": lambda g: replace(g, chunks=(replace(g.chunks[0], text="Anew."), *g.chunks[1:])),
    "chunk's context": lambda g: replace(g, chunks=(replace(g.chunks[0], context="Top"), *g.chunks[1:])),
    "chunk": lambda g: replace(g, chunks=g.chunks[1:]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_fingerprint_changes_with_all_that_measures_rest_on(store: Store, change: str) -> None:
    golden = labelled(store)
    changed = CHANGES[change](golden)
    assert changed.fingerprint != golden.fingerprint
    same_corpus = changed.corpus_fingerprint == golden.corpus_fingerprint
    assert same_corpus is not change.startswith("chunk")


def test_the_fingerprint_is_the_same_in_any_order_and_whatever_else_changes(store: Store) -> None:
    golden = labelled(store)

    def turned(judged: JudgedQuestion) -> JudgedQuestion:
        grades = dict(list(judged.grades.items())[::-1])
        return replace(judged, grades=grades, sets=tuple(found[::-1] for found in judged.sets[::-1]))

    reordered = of_first(golden, turned)
    reordered = replace(
        reordered,
        questions=reordered.questions[::-1],
        near_misses=reordered.near_misses[::-1],
        chunks=reordered.chunks[::-1],
        marks=("said otherwise",),
        max_gold=3,
    )
    assert reordered.fingerprint == golden.fingerprint
    assert reordered.corpus_fingerprint == golden.corpus_fingerprint


@pytest.mark.parametrize(
    ("judge", "mark"),
    [("GPT-Writer", "same model"), ("openai/gpt-writer", "same model"), ("gpt-other", "same family")],
)
def test_a_verifier_akin_to_the_generator_is_marked(store: Store, judge: str, mark: str) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3, judge)])
    assert any(line.startswith(mark) and judge in line for line in load_golden(store).marks)


@pytest.mark.parametrize(("found", "marked"), [("proven", False), ("unproven", True), ("failed", True)])
def test_a_verifier_that_is_not_proven_is_marked(store: Store, found: Proof, marked: bool) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3)])
    save_proof(store, JUDGE, VerifierProof(found, "39 hard controls", (), 0.9, None, None))
    marks = load_golden(store).marks
    assert (marks == ()) is not marked
    assert marked == any(f"claude-judge {found}: 39 hard controls" in line for line in marks)


def test_a_verifier_without_a_finished_verification_is_marked(store: Store) -> None:
    """Another verifier's proof says nothing about it, nor does its own from before the last run began."""
    store.judgments.put([verdict("seats", "chunk-seats", 3)])
    proven = VerifierProof("proven", "", (), 0.9, None, None)
    save_proof(store, Verifier("another", 1), proven)
    assert any("claude-judge unproven" in line for line in load_golden(store).marks)
    save_proof(store, JUDGE, proven)
    assert load_golden(store).marks == ()
    save_proof(store, JUDGE, None)
    assert any("claude-judge unproven" in line for line in load_golden(store).marks)


def test_a_set_by_the_embedded_generator_is_demo_grade(store: Store) -> None:
    store.questions.add([replace(draft("seats", "How many seats?"), model=EMBEDDED_GENERATOR)])
    assert any(line.startswith("demo grade") for line in load_golden(store).marks)


def test_models_that_judged_or_pooled_are_named_and_humans_are_not(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3), human("exports", "chunk-exports", 3)])
    assert load_golden(store).judging_models == {"claude-judge"}
    store.meta.set("pool_models", '["sentence-transformers/all-MiniLM-L6-v2"]')
    assert load_golden(store).judging_models == {"claude-judge", "all-minilm-l6-v2"}


def test_generators_judges_and_pools_are_told_apart_and_people_are_none_of_them(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3), human("exports", "chunk-exports", 3)])
    store.meta.set("pool_models", '["all-MiniLM-L6-v2"]')
    models = load_golden(store).models
    assert models == SetModels(("gpt-writer",), ("claude-judge",), ("all-MiniLM-L6-v2",))


def test_models_of_merged_questions_and_of_near_misses_are_named(store: Store) -> None:
    alike = replace(draft("seats", "HOW MANY SEATS HAS BASIC?"), id="q-zz", model="claude-writer")
    store.questions.add([alike])
    twin = replace(store.questions.near_misses()[0], id="other", model="claude-twins")
    store.questions.add_near_misses([twin])
    found = load_golden(store)
    assert any(item.merged for item in found.questions)
    assert found.models.generated == ("claude-twins", "claude-writer", "gpt-writer")


def test_a_set_labelled_by_people_alone_shares_no_model_with_a_retriever(store: Store) -> None:
    store.judgments.put([human("exports", "chunk-exports", 3), human("seats", "chunk-seats", 3)])
    found = load_golden(store)
    assert len(found.golden) == 2 and found.judging_models == frozenset()


def test_the_embedded_judge_accepts_nothing_without_a_calibration(store: Store) -> None:
    verifier = word_verifier()
    for strict in (False, True):
        with pytest.raises(ModelError, match="not calibrated"):
            verifier.judge(None, strict=strict)


def test_a_calibration_is_kept_for_its_verifier_only(store: Store) -> None:
    assert load_calibration(store, "word-scorer") is None
    kept = Calibration(0.7, 0.8, 40, 0.5)
    save_calibration(store, "word-scorer", kept)
    assert load_calibration(store, "word-scorer") == kept
    assert load_calibration(store, "another") is None


def test_a_calibration_of_other_weights_counts_no_more(store: Store) -> None:
    save_calibration(store, "word-scorer", Calibration(0.7, 0.8, 40, 0.5))
    values = json.loads(store.meta.get("calibration") or "")
    for weights in ({}, {"weights": "of another release"}):
        older = {key: value for key, value in values.items() if key != "weights"} | weights
        store.meta.set("calibration", json.dumps(older))
        assert load_calibration(store, "word-scorer") is None
        assert calibration_problem(store, "word-scorer") == "not calibrated for this version"
        assert calibration_problem(store, "another") == "not calibrated yet"


def test_a_dry_run_knows_whose_calibration_it_is(store: Store) -> None:
    alone, both = ModelSettings(), ModelSettings(judge_with_llm=True)
    assert not will_be_calibrated(store, alone)
    save_calibration(store, "all-MiniLM-L6-v2", Calibration(0.7, 0.8, 40, 0.5))
    assert will_be_calibrated(store, alone) and not will_be_calibrated(store, both)
    digest = f"{AnswerModel.packaged().digest} + likelihood"
    save_calibration(store, "all-MiniLM-L6-v2 + Qwen", Calibration(0.7, 0.8, 40, 0.5), digest)
    assert will_be_calibrated(store, both) and not will_be_calibrated(store, alone)
    save_calibration(store, "all-MiniLM-L6-v2", Calibration(0.7, 0.8, 40, 0.5), "of another release")
    assert not will_be_calibrated(store, alone)
