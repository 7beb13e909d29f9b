import asyncio
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stored_sets import FACTS, human, verdict, write_log
from stub.server import Stub

from goldgen.app.adding import AddOptions, add_questions
from goldgen.app.contributions import without_own
from goldgen.app.duplicates import DuplicateOptions, DuplicateReport, duplicates, find_duplicates
from goldgen.app.golden import load_golden
from goldgen.app.logs import LogOptions, add_logs
from goldgen.app.measuring import measure_run_file
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Silent
from goldgen.app.selecting import selected
from goldgen.app.status import status
from goldgen.app.written import Written
from goldgen.errors import ModelError, SettingsError
from goldgen.evaluation import Measure
from goldgen.store import Store, open_store
from goldgen.text.words import words
from goldgen.types import Chunk, Document, Embedder, Origin, Pooled, Question, Vectors


class WordEmbedder:
    """Implements ``Embedder``: texts with words in common are near."""

    name = "word-embedder"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        self.texts.extend(texts)
        rows = np.ones((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[sum(map(ord, word)) % 64] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ASKED: dict[str, tuple[str, Origin, int]] = {
    "exports": ("When do exports run?", "synthetic", 1),
    "night": ("When do the exports run?", "log", 7),
    "typed": ("when will the exports be run", "log", 2),
    "seats": ("How many seats has Basic?", "synthetic", 1),
    "pro": ("How many seats has Pro?", "synthetic", 1),
    "how-many": ("Please tell me how many seats Basic has", "manual", 1),
}
GROUPS = {("q-night", "q-exports"), ("q-how-many", "q-seats")}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        for name, text in FACTS.items():
            key = name.removesuffix(".md")
            chunk = Chunk(f"chunk-{key}", f"doc-{key}", text, 0, len(text))
            store.corpus.replace_document(Document(f"doc-{key}", name, text), [chunk])
        store.questions.add([question(key) for key in ASKED])
    return path


@pytest.fixture
def store(db: Path) -> Generator[Store]:
    with open_store(db) as opened:
        assert find_duplicates(opened, WordEmbedder, Silent()) == 2
        yield opened


def question(key: str) -> Question:
    text, origin, often = ASKED[key]
    own = f"chunk-{key}" if origin == "synthetic" else None
    return Question(f"q-{key}", text, origin, "fact", own, f"doc-{key}" if own else None, asked=often)


def rows(store: Store) -> set[tuple[str, str]]:
    return {(found.kept_id, found.question_id) for found in store.duplicates.all()}


def merged(store: Store) -> dict[str, tuple[str, ...]]:
    return {item.question.id: item.merged for item in load_golden(store).questions if item.merged}


def test_the_preferred_wording_is_kept_whatever_comes_first(db: Path) -> None:
    with open_store(db) as store:
        store.questions.remove([f"q-{key}" for key in ASKED])
        for key in ("exports", "typed", "pro", "seats", "how-many", "night"):
            store.questions.add([question(key)])
            find_duplicates(store, WordEmbedder, Silent())
        assert rows(store) == GROUPS


def test_without_anything_alike_no_model_is_loaded(db: Path) -> None:
    with open_store(db) as store:
        store.questions.remove(["q-night", "q-how-many"])

        def refused() -> Embedder:
            raise AssertionError("loaded")

        assert find_duplicates(store, refused, Silent()) == 0


class Noted(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def test_without_a_model_what_was_found_stays_and_that_is_said(store: Store) -> None:
    def missing() -> Embedder:
        raise ModelError("no weights here")

    noted = Noted()
    assert find_duplicates(store, missing, noted) == 2
    assert noted.lines == ["questions in nearly the same words are not merged: no weights here"]


def test_labels_of_both_are_those_of_the_kept_one(store: Store) -> None:
    store.judgments.put([verdict("exports", "chunk-exports", 3), verdict("night", "chunk-seats", 1)])
    golden = load_golden(store)
    (item,) = golden.golden
    assert (item.question.id, item.merged) == ("q-night", ("q-exports",))
    assert item.judged.grades == {"chunk-exports": 3, "chunk-seats": 1}
    assert item.judged.cluster == "q-night", "a log question stands alone"
    assert golden.kept_for == {"q-exports": "q-night", "q-seats": "q-how-many"}


def test_the_fingerprint_follows_merging(store: Store) -> None:
    store.judgments.put([verdict("exports", "chunk-exports", 3), verdict("night", "chunk-exports", 3)])
    before = load_golden(store).fingerprint
    store.duplicates.part("q-night", "q-exports")
    assert load_golden(store).fingerprint != before


def test_what_one_source_proposed_alone_is_left_out_of_merged_questions_too(store: Store) -> None:
    store.judgments.put([verdict("exports", "chunk-exports", 3), verdict("night", "chunk-seats", 3)])
    store.pool.put([Pooled("q-night", "chunk-seats", "dense", 1, 10)])
    golden = load_golden(store)
    reduced = without_own(golden, "dense")
    assert reduced is not None and reduced.golds == 1
    assert [(q.question_id, dict(q.grades)) for q in reduced.judged if q.grades] == [
        ("q-night", {"chunk-exports": 3})
    ]
    assert len(reduced.judged) == len(golden.judged)


def test_weights_of_the_logs_add_up(store: Store) -> None:
    store.logs.set_weights({"q-night": 7.0, "q-typed": 2.0, "q-exports": 1.0})
    first = load_golden(store).first_ids
    weights: dict[str, float] = {}
    for key, weight in store.logs.weights().items():
        weights[first[key]] = weights.get(first[key], 0.0) + weight
    assert weights == {"q-night": 8.0, "q-typed": 2.0}


def test_a_selection_made_before_merging_keeps_its_questions(store: Store) -> None:
    store.selections.put("small", ["q-exports", "q-pro"])
    found = selected(store, load_golden(store), "small")
    assert {item.question.id for item in found.questions} == {"q-night", "q-pro"}


def test_of_a_run_file_the_ranking_of_the_kept_question_counts(store: Store, tmp_path: Path) -> None:
    store.judgments.put([verdict("night", "chunk-exports", 3)])
    run = tmp_path / "own.trec"
    run.write_text("q-exports Q0 chunk-seats 1 1.0 x\nq-night Q0 chunk-exports 1 1.0 x\n", encoding="utf-8")
    measured = measure_run_file(run, load_golden(store), (Measure("RR", 10),))
    assert measured.scores.mean(Measure("RR", 10)) == 1.0


def test_a_persons_no_parts_what_words_joined(store: Store, db: Path) -> None:
    store.judgments.put([human("night", "chunk-exports", 0), verdict("exports", "chunk-exports", 3)])
    assert merged(store) == {"q-how-many": ("q-seats",)}
    store.close()
    standing = {m.question_id: m.standing for group in listed(db).groups for m in group.members}
    assert standing == {"q-exports": "people differ", "q-seats": "merged"}
    assert listed(db).merged == 1


def listed(db: Path, part: tuple[str, ...] = (), join: tuple[str, ...] = ()) -> DuplicateReport:
    return duplicates(DuplicateOptions(db, part, join))


def test_the_list_has_wording_origin_and_similarity(store: Store, db: Path) -> None:
    store.close()
    by_hand, log = listed(db).groups
    assert (by_hand.text, by_hand.origin) == ("Please tell me how many seats Basic has", "manual")
    (member,) = log.members
    assert (member.text, member.found_by, member.standing) == ("When do exports run?", "words", "merged")
    assert 0.75 <= member.similarity < 1
    found = status(db)
    assert found.near_duplicates == 2 and found.duplicates == (by_hand, log)


def test_parted_questions_stay_apart_until_they_are_joined_again(store: Store, db: Path) -> None:
    store.close()
    found = listed(db, part=("q-night", "q-exp"))
    assert found.merged == 1 and "are two questions from now on" in found.said
    assert {m.standing for group in found.groups for m in group.members} == {"parted", "merged"}
    with open_store(db) as opened:
        assert find_duplicates(opened, WordEmbedder, Silent()) == 1
        assert rows(opened) == GROUPS - {("q-night", "q-exports")}
    listed(db, join=("q-exports", "q-night"))
    with open_store(db) as opened:
        assert find_duplicates(opened, WordEmbedder, Silent()) == 2


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (("q-night",), "name two questions"),
        (("q-night", "q-gone"), "no question of that id"),
        (("q-night", "q-se"), "no question of that id|several"),
        (("q-night", "q-night"), "the same words"),
    ],
)
def test_what_cannot_be_parted_is_said(store: Store, db: Path, named: tuple[str, ...], why: str) -> None:
    store.questions.add([Question("q-second", "Which plan?", "log", "log")])
    store.close()
    with pytest.raises(SettingsError, match=why):
        listed(db, part=named)


def embedded(stub: Stub) -> list[str]:
    """The texts sent to be embedded, in order."""
    return [text for request in stub.requests for text in request.body.get("input", ())]


def test_what_people_write_and_what_logs_bring_is_looked_at_as_it_comes(db: Path, stub: Stub) -> None:
    """By an endpoint, of which only the questions that words leave open are asked, each once."""
    models = ModelSettings(embedding_model="vectors", embedding_base_url=stub.url)
    written = Written("Can roles be renamed?", (), "", "", "")
    assert add_questions(AddOptions(db, "ann", (written,), None, models)).near_duplicates == 1
    sent = embedded(stub)
    assert sorted(sent) == sorted(ASKED[key[2:]][0] for pair in GROUPS for key in pair)

    add_questions(AddOptions(db, "ann", (replace(written, question="How many roles?"),), None, models))
    assert embedded(stub) == sent

    log = write_log(db.parent, "could roles be renamed", header="query")
    options = LogOptions(db, log, models=replace(models, base_url=stub.url, verifier_model="ver"))
    assert asyncio.run(add_logs(options)).near_duplicates == 2
    with open_store(db, read_only=True) as store:
        texts = {question.id: question.text for question in store.questions.all()}
        kept = {texts[found.question_id]: texts[found.kept_id] for found in store.duplicates.all()}
    assert kept["could roles be renamed"] == "Can roles be renamed?"
