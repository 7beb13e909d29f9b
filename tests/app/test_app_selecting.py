"""Balanced parts of a set, how hard questions are, and what no question was asked about."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_sets import fill, verdict

from goldgen.app.coverage import coverage_of
from goldgen.app.difficulty import difficulties
from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.models import ModelSettings
from goldgen.app.selecting import SelectOptions, balanced, select
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import GoldRank, Store, open_store
from goldgen.types import Chunk, Document, Question

TRAITS = st.dictionaries(
    st.text(min_size=1),
    st.fixed_dictionaries({"style": st.sampled_from("abc"), "origin": st.sampled_from(["log", "synthetic"])}),
    max_size=25,
)
TEXT = "{} take {} minutes each night, and nobody has to be there while they run, for a mail tells the end."


def many(store: Store) -> None:
    """Six documents of two sections; the first four have a golden question each, one of them a log query."""
    for n in range(6):
        texts = [TEXT.format(f"{kind} of team {n}", 10 * n + 3) for kind in ("Exports", "Backups")]
        whole = "\n\n".join(texts)
        chunks = [
            Chunk(
                f"c{n}-{k}", f"d{n}", text, whole.index(text), whole.index(text) + len(text), f"Page > {k}", k
            )
            for k, text in enumerate(texts)
        ]
        store.corpus.replace_document(Document(f"d{n}", f"d{n}.md", whole), chunks)
    styles = ("fact", "fact", "goal")
    questions = [
        Question(f"q-{n}", f"How long do exports of team {n} take?", "synthetic", style, f"c{n}-0", f"d{n}")
        for n, style in enumerate(styles)
    ]
    store.questions.add([*questions, Question("q-3", "export of team 3 how long", "log", "log")])
    store.judgments.put([verdict(str(n), f"c{n}-0", 3) for n in range(4)])
    ranks = [
        GoldRank(f"q-{n}", name, rank, 50) for n in range(4) for name, rank in (("bm25", 1), ("dense", 1))
    ]
    hard = [replace(ranks[0], rank=7), replace(ranks[2], rank=None)]
    store.selections.put_ranks([*ranks[1:2], *ranks[3:], *hard])


@pytest.fixture
def db(tmp_path: Path) -> Path:
    with open_store(tmp_path / "set.duckdb") as store:
        many(store)
    return tmp_path / "set.duckdb"


@given(TRAITS, st.integers(1, 30), st.integers(1, 30), st.integers(0, 5))
def test_a_larger_selection_begins_with_the_smaller(
    traits: dict[str, dict[str, str]], a: int, b: int, seed: int
) -> None:
    small, large = balanced(traits, min(a, b), seed), balanced(traits, max(a, b), seed)
    assert large[: len(small)] == small
    assert len(set(large)) == len(large) == min(max(a, b), len(traits))


def test_rare_kinds_come_first() -> None:
    traits = {f"f{n}": {"style": "fact"} for n in range(50)} | {f"g{n}": {"style": "goal"} for n in range(5)}
    counts = Counter(key[0] for key in balanced(traits, 10, 0))
    assert counts == {"f": 5, "g": 5}


def test_difficulty_is_by_the_worse_of_two_retrievers(db: Path) -> None:
    with open_store(db) as store:
        assert difficulties(store) == {"q-0": "middle", "q-1": "hard", "q-2": "easy", "q-3": "easy"}


def test_a_selection_is_balanced_kept_and_measured_on(db: Path) -> None:
    found = select(SelectOptions(db, n=3, name="small", models=ModelSettings(offline=True)))
    assert (found.selected, found.golden) == (3, 4)
    assert found.by["origin"] == {"synthetic": 2, "log": 1}
    assert set(found.by["style"]) == {"fact", "goal", "log"}
    assert found.thin["origin"] == ("synthetic", "log")
    assert found.verdict.startswith("4 golden questions; 200 to 500")
    bm25 = EvalOptions(db, ("bm25",), models=ModelSettings(offline=True))
    assert evaluate(bm25).questions == 4
    assert evaluate(replace(bm25, selection="small")).questions == 3
    with pytest.raises(SettingsError, match=r"no selection 'other' \(there are: small\)"):
        evaluate(replace(bm25, selection="other"))


def test_eval_keeps_the_ranks_it_saw(db: Path) -> None:
    with open_store(db) as store:
        store.questions.add([Question("q-4", "backups of team 4 how long", "log", "log")])
        store.judgments.put([verdict("4", "c4-1", 3)])
    evaluate(EvalOptions(db, ("bm25",), models=ModelSettings(offline=True)))
    with open_store(db) as store:
        assert difficulties(store)["q-4"] in ("easy", "middle")
        assert {found.retriever for found in store.selections.ranks() if found.question_id == "q-4"} == {
            "bm25"
        }


def test_nothing_to_select_from_is_an_error(tmp_path: Path) -> None:
    with open_store(tmp_path / "set.duckdb") as store:
        fill(store)
    with pytest.raises(EmptyResultError, match="goldgen verify"):
        select(SelectOptions(tmp_path / "set.duckdb"))


def test_coverage_names_what_has_no_question_the_largest_first(db: Path) -> None:
    found = coverage_of(db)
    assert (found.documents, found.documents_covered) == (6, 4)
    assert (found.sections, found.sections_covered) == (12, 4)
    assert [section.document for section in found.uncovered_documents] == ["d4.md", "d5.md"]
    assert [section.headings for section in found.uncovered_sections] == ["Page > 1"] * 4
    assert found.uncovered_documents[0].chunks == 2


def test_the_weight_of_a_log_query_counts_for_the_question_it_is_merged_with(db: Path) -> None:
    with open_store(db) as store:
        same = Question("q-log", "How long do exports of team 0 take?", "log", "log")
        store.questions.add([same])
        store.logs.set_weights({"q-log": 30.0, "q-3": 10.0})
    report = evaluate(EvalOptions(db, ("bm25",), models=ModelSettings(offline=True)))
    assert report.traffic is not None
    assert (report.traffic.questions, report.traffic.share) == (2, 1.0)
