"""Kept runs listed and compared; every number is checked against one worked out by hand."""

from math import log2
from pathlib import Path
from shutil import copy

import pytest
from kept_runs import QUESTIONS, fill_set, keep_run

from goldgen.app.runs import compare_runs, runs
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Measure
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "set.duckdb"
    fill_set(path)
    return path


@pytest.fixture
def db(filled: Path, tmp_path: Path) -> Path:
    """A copy, for building it takes longer."""
    return Path(copy(filled, tmp_path))


def test_runs_come_latest_first_with_what_they_were_measured_on(db: Path) -> None:
    keep_run(db, "aaaa1111", [1], minutes=1)
    keep_run(db, "bbbb2222", [2], label="dense", minutes=2)
    later, earlier = runs(db).runs
    assert (later.short_id, later.retriever, later.questions) == ("bbbb2222", "dense", QUESTIONS)
    assert (earlier.means["RR@10"], later.means["RR@10"]) == (1.0, 0.5)
    assert later.is_present_set and later.is_present_corpus
    with open_store(db) as store:
        store.judgments.put([Judgment("q0a", "c1a", "judge-model", grade=1)])
    assert [(run.is_present_set, run.is_present_corpus) for run in runs(db).runs] == [(False, True)] * 2
    add_page(db)
    assert not any(run.is_present_corpus for run in runs(db).runs)


def test_ids_are_shown_as_long_as_they_need_to_be_told_apart(db: Path) -> None:
    keep_run(db, "aaaaaaaaaa1", [1])
    keep_run(db, "aaaaaaaaaa2", [1])
    assert [run.short_id for run in runs(db).runs] == ["aaaaaaaaaa2", "aaaaaaaaaa1"]


def test_a_difference_is_told_with_interval_effect_and_the_questions_behind_it(db: Path) -> None:
    keep_run(db, "aaaa", [2], search={"language": "plain", "weights": [1, 1]})
    keep_run(db, "bbbb", [1, 1, 2, 1], label="hybrid", search={"language": "en", "weights": [1, 1]})
    found = compare_runs(db, "aaaa", "bbbb")
    second = 1 / log2(3)
    assert found.mean_before == pytest.approx(second)
    assert found.mean_after == pytest.approx((3 + second) / 4)
    assert found.difference.mean == pytest.approx(found.mean_after - found.mean_before)
    assert 0 < found.difference.low < found.difference.mean < found.difference.high
    assert found.difference.clusters == 20
    assert (found.gained, found.lost, found.questions) == (30, 0, QUESTIONS)
    assert len(found.gains) == 5 and found.losses == ()
    gain = found.gains[0]
    assert (gain.before, gain.after) == (pytest.approx(second), 1.0)
    assert gain.text == f"What says {gain.question_id[1:]}?"
    assert [(c.setting, c.before, c.after) for c in found.settings] == [
        ("retriever", "bm25", "hybrid"),
        ("search.language", "plain", "en"),
    ]
    (sentence,) = found.sentences
    assert sentence.startswith("hybrid (bbbb0000) beats bm25 (aaaa0000) (+0.277 nDCG@10, 95% interval 0.")
    assert ", p = 0.0001, effect " in sentence and found.notes == ()


def test_turned_round_gains_are_losses(db: Path) -> None:
    keep_run(db, "aaaa", [1, 3])
    keep_run(db, "bbbb", [2, 2])
    there, back = compare_runs(db, "aaaa", "bbbb"), compare_runs(db, "bbbb", "aaaa")
    assert back.difference.mean == pytest.approx(-there.difference.mean)
    assert [c.question_id for c in there.gains] == [c.question_id for c in back.losses]
    assert [c.question_id for c in there.losses] == [c.question_id for c in back.gains]
    assert (there.gained, there.lost) == (back.lost, back.gained) == (20, 20)
    assert all(change.after < change.before for change in there.losses)
    assert all(
        found.sentences[0].startswith("bm25 (aaaa0000) beats bm25 (bbbb0000) (+") for found in (there, back)
    )


def test_what_cannot_be_told_apart_says_how_many_questions_would(db: Path) -> None:
    keep_run(db, "aaaa", [1, 2])
    keep_run(db, "bbbb", [2, 1, 1, 2])
    found = compare_runs(db, "aaaa", "bbbb", delta=0.05)
    needed = found.difference.needed
    assert needed is not None and needed.questions > QUESTIONS
    told = f"can't be told apart with 40 questions; about {needed.questions:,} are needed to see 0.05 ("
    assert told in found.sentences[0]


def test_a_run_that_shares_a_model_with_judging_never_beats_another(db: Path) -> None:
    keep_run(db, "aaaa", [4])
    keep_run(db, "bbbb", [1], label="dense", models=["Judge-Model"])
    first, second = compare_runs(db, "aaaa", "bbbb").sentences
    assert first.startswith("dense (bbbb0000)† scores above bm25 (aaaa0000) (+0.569 nDCG@10")
    assert first.endswith("with the reservation below.")
    assert "no proof" in second


def test_any_measure_down_to_the_kept_depth_is_scored_anew(db: Path) -> None:
    keep_run(db, "aaaa", [12])
    keep_run(db, "bbbb", [30], label="dense")
    found = compare_runs(db, "bm25", "dense", measure=Measure("R", 20))
    assert (found.mean_before, found.mean_after) == (1.0, 0.0)
    with pytest.raises(SettingsError, match=r"R@51 looks at 51 results, and runs keep 50"):
        compare_runs(db, "bm25", "dense", measure=Measure("R", 51))


def test_a_label_names_its_latest_run(db: Path) -> None:
    keep_run(db, "aaaa", [3], minutes=0)
    keep_run(db, "bbbb", [1], minutes=5)
    keep_run(db, "cccc", [2], label="dense")
    assert compare_runs(db, "dense", "bm25").after.short_id == "bbbb0000"


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("a", "bbbb", "'a' begins the ids of 2 runs: bm25 (aaab0000), bm25 (aaaa0000); write more of the id"),
        ("zzzz", "bbbb", "keeps no run 'zzzz'; the latest are dense (bbbb0000), bm25 (aaab0000), bm25 ("),
        ("", "bbbb", "keeps no run ''"),
        ("dense", "bbbb", "dense and bbbb are the same run, dense (bbbb0000)"),
    ],
)
def test_runs_that_are_not_clear_are_one_line(db: Path, before: str, after: str, says: str) -> None:
    keep_run(db, "aaaa", [1])
    keep_run(db, "aaab", [1], minutes=1)
    keep_run(db, "bbbb", [1], label="dense", minutes=2)
    with pytest.raises(SettingsError) as error:
        compare_runs(db, before, after)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_a_set_without_runs_says_so(db: Path) -> None:
    assert runs(db).runs == ()
    with pytest.raises(EmptyResultError, match=r"keeps no run yet; run goldgen eval"):
        compare_runs(db, "bm25", "dense")


def test_different_labels_are_compared_only_on_the_present_ones(db: Path) -> None:
    keep_run(db, "aaaa", [1])
    withdraw(db, "0a")
    keep_run(db, "bbbb", [2], label="dense")
    with pytest.raises(
        SettingsError, match=r"different sets \(other labels over the same corpus\); .*--common"
    ):
        compare_runs(db, "bm25", "dense")
    found = compare_runs(db, "bm25", "dense", common=True)
    assert found.questions == QUESTIONS - 1
    assert found.notes == (
        "both scored anew on the present labels, over the 39 questions that both have; questions left out: "
        "1 of bm25 (aaaa0000), 0 of dense (bbbb0000)",
    )


def test_another_corpus_is_said_and_chunks_that_are_gone_are_counted(db: Path) -> None:
    keep_run(db, "aaaa", [2])
    with open_store(db) as store:
        document = Document("d0", "page-0.md", "Written anew.")
        store.corpus.replace_document(document, [Chunk("c-new", "d0", document.text, 0, 13)])
    keep_run(db, "bbbb", [1], label="dense")
    with pytest.raises(SettingsError, match=r"\(the corpus differs, and the set with it\)"):
        compare_runs(db, "bm25", "dense")
    found = compare_runs(db, "bm25", "dense", common=True)
    assert (found.mean_after, found.questions) == (1.0, QUESTIONS - 2)
    assert found.notes[1:] == (
        "38 of 76 hits of bm25 (aaaa0000) name chunks that the set has no more; they are not relevant",
    )


def test_two_runs_on_one_earlier_set_are_compared_as_they_were_measured(db: Path) -> None:
    keep_run(db, "aaaa", [1])
    keep_run(db, "bbbb", [2], label="dense")
    withdraw(db, "0a")
    found = compare_runs(db, "bm25", "dense", measure=Measure("RR", 10))
    assert (found.mean_before, found.mean_after, found.questions) == (1.0, 0.5, QUESTIONS)
    assert found.difference.clusters == 20
    assert found.notes == ("both by the labels of their own time, which the set has no more",)
    with pytest.raises(SettingsError, match=r"in P@5, RR@10, nDCG@10; choose one .* R@5 .* --common"):
        compare_runs(db, "bm25", "dense", measure=Measure("R", 5))


def withdraw(db: Path, name: str) -> None:
    """A person says that the chunk does not answer."""
    with open_store(db) as store:
        store.judgments.put([Judgment(f"q{name}", f"c{name}", "ann", judge_kind="human", grade=0)])


def add_page(db: Path) -> None:
    with open_store(db) as store:
        document = Document("new", "new.md", "A new page.")
        store.corpus.replace_document(document, [Chunk("c-new", "new", document.text, 0, 11)])
