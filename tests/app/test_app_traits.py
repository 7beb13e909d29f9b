from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import FACTS, draft, fill, human, verdict

from goldgen.app.golden import load_golden
from goldgen.app.traits import difficulty, traits
from goldgen.store import Store, open_store
from goldgen.types import Chunk, Document, Question
from goldgen.verify.judging import evidence_set_id


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        fill(opened)
        yield opened


def found(store: Store) -> dict[str, dict[str, str]]:
    return traits(load_golden(store), {document.id: document.path for document in store.corpus.documents()})


def asked(store: Store, trait: str, questions: Sequence[str], *, of: str = "seats") -> list[str]:
    """One trait of each question, whose gold is one chunk."""
    ids = [f"q-{place}" for place in range(len(questions))]
    drafts = [replace(draft(of, text), id=i) for i, text in zip(ids, questions, strict=True)]
    store.questions.add(drafts)
    store.judgments.put([human(str(place), f"chunk-{of}", 3) for place in range(len(questions))])
    return [found(store)[question_id][trait] for question_id in ids]


def test_the_traits_of_a_question_with_one_gold(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("exports", "chunk-exports", 1)])
    assert found(store) == {
        "q-seats": {
            "origin": "synthetic",
            "style": "fact",
            "document": "seats.md",
            "language": "en",
            "evidence": "one chunk",
            "overlap": "low",
        }
    }


def test_gold_in_a_second_document_is_one_of_several(store: Store) -> None:
    store.judgments.put([verdict("seats", "chunk-seats", 3), verdict("seats", "chunk-exports", 2)])
    assert found(store)["q-seats"]["document"] == "seats.md"
    store.judgments.put([human("seats", "chunk-exports", 3)])
    assert found(store)["q-seats"]["document"] == "several documents"
    assert found(store)["q-seats"]["evidence"] == "one of several chunks"


def test_a_log_query_is_of_the_document_that_answers_it_not_of_the_page_that_the_log_names(
    store: Store,
) -> None:
    store.questions.add([Question("q-log", "more seats than 5", "log", "log", document_id="doc-exports")])
    store.judgments.put([human("log", "chunk-seats", 3)])
    assert found(store)["q-log"] == {
        "origin": "log",
        "style": "log",
        "document": "seats.md",
        "language": "en",
        "evidence": "one chunk",
        "overlap": "middle",
    }


def test_chunks_that_only_together_answer_are_a_set(store: Store) -> None:
    both = ("chunk-exports", "chunk-seats")
    together = replace(draft("exports", "Who mails, and what do seats cost?"), evidence_chunks=both)
    store.questions.add([replace(together, id="q-both")])
    store.judgments.put(
        [verdict("both", evidence_set_id(both), 3), *(verdict("both", chunk, 2) for chunk in both)]
    )
    assert found(store)["q-both"]["evidence"] == "a set of chunks"
    assert found(store)["q-both"]["document"] == "several documents"
    text = "\n".join(FACTS.values())
    store.corpus.replace_document(
        Document("doc-whole", "whole.md", text), [Chunk("chunk-whole", "doc-whole", text, 0, len(text))]
    )
    store.judgments.put([human("both", "chunk-whole", 3)])
    assert found(store)["q-both"]["evidence"] == "one of several chunks"


def test_the_language_is_that_of_the_question_or_of_its_gold(store: Store) -> None:
    languages = {
        "Wie viele Plätze hat der Tarif?": "de",
        "Combien de places sont dans le tarif ?": "fr",
        "How do I say 席 in the settings?": "en",
        "kubectl apply の使い方": "ja",
        "基本方案有多少个座位": "zh",
        "기본 요금제 좌석 수": "ko",
        "แผนพื้นฐานมีกี่ที่นั่ง": "th",
        "كم مقعدا في الخطة الأساسية؟": "ar",
        # Too short to tell, so that of its gold.
        "Basic seats": "en",
    }
    assert asked(store, "language", list(languages)) == list(languages.values())


def test_overlap_is_low_below_a_half_and_high_from_three_quarters(store: Store) -> None:
    levels = {
        "Basic mail server": "low",
        "Basic mail": "middle",
        "Basic plan mail": "middle",
        "Basic plan seats mail": "high",
        "Basic plan": "high",
    }
    assert asked(store, "overlap", list(levels)) == list(levels.values())


def test_words_weigh_by_their_rarity(store: Store) -> None:
    """Three of five words are in the gold, but the one that no chunk has is the rarest."""
    assert asked(store, "overlap", ["Basic plan seats mail server"]) == ["low"]


def test_the_gold_that_shares_most_words_counts(store: Store) -> None:
    assert asked(store, "overlap", ["Basic mail owner night"]) == ["low"]
    store.judgments.put([human("0", "chunk-exports", 3)])
    assert found(store)["q-0"]["overlap"] == "high"


def test_words_of_the_heading_path_count(store: Store) -> None:
    text = "It has 5 seats."
    chunk = Chunk("chunk-headed", "doc-headed", text, 0, len(text), context="Basic plan")
    store.corpus.replace_document(Document("doc-headed", "headed.md", text), [chunk])
    assert asked(store, "overlap", ["Basic plan"], of="headed") == ["high"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"bm25": 0, "dense": 0}, "none of the retrievers has it"),
        ({"bm25": 0, "dense": 1}, "some"),
        ({"bm25": 1, "dense": 1}, "all"),
        ({"bm25": 1}, "all"),
        ({}, "none of the retrievers has it"),
    ],
)
def test_difficulty_says_how_many_retrievers_have_it(values: dict[str, float], expected: str) -> None:
    assert difficulty(values) == expected
