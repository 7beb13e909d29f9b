"""Sets made elsewhere: kept as they came, and measured by their own labels."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stored_sets import fill

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.importing import (
    UNKNOWN_DOCUMENT,
    UNKNOWN_QUERY,
    ImportOptions,
    ImportReport,
    default_gold_from,
    import_collection,
)
from goldgen.app.logs import LogOptions, add_logs
from goldgen.app.synth import SynthOptions, plan_synth, synthesize
from goldgen.app.verify import VerifyOptions, verify
from goldgen.errors import EmptyResultError, GoldgenError, SettingsError, TableError
from goldgen.evaluation import Measure, score_run
from goldgen.retrieve import BM25Retriever
from goldgen.store import open_store

BEIR = Path(__file__).parents[2].parent / "shared" / "data" / "beir"
DOCUMENTS = [
    {"_id": "d1", "title": "Exports", "text": "Exports run at night."},
    {"_id": "d2", "title": "Exports", "text": "Exports run at night."},
    {"_id": "d3", "title": "", "text": "Basic has 5 seats."},
]
QUERIES = [
    {"_id": "1", "text": "When do exports run?"},
    {"_id": "2", "text": "When do exports run?"},
    {"_id": "3", "text": "How many seats?", "metadata": {"document_id": "pricing"}},
    {"_id": "4", "text": "How many users?", "metadata": {"document_id": "pricing"}},
]
QRELS = [("1", "d1", 3), ("1", "d3", -1), ("2", "d2", 1.5), ("3", "d3", 2)]


def write(
    folder: Path,
    qrels: Sequence[tuple[str, str, float]] = QRELS,
    documents: Sequence[Any] = DOCUMENTS,
    queries: Sequence[Any] = QUERIES,
) -> Path:
    """A BEIR folder."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", documents), ("queries", queries)):
        text = "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    table = "".join(f"{query}\t{document}\t{grade}\n" for query, document, grade in qrels)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + table, encoding="utf-8")
    return folder


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "set.duckdb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "helpdesk")


def imported(db: Path, folder: Path, gold_from: float | None = None) -> ImportReport:
    return import_collection(ImportOptions(db, folder, gold_from=gold_from))


def golden_set(db: Path) -> GoldenSet:
    with open_store(db, read_only=True) as store:
        return load_golden(store)


def states(db: Path) -> dict[str, str]:
    return {item.question.id: item.state for item in golden_set(db).questions}


def test_documents_are_chunks_under_their_own_ids(db: Path, folder: Path) -> None:
    imported(db, folder)
    with open_store(db, read_only=True) as store:
        chunks, documents = store.corpus.chunks(), {d.id: d for d in store.corpus.documents()}
    assert [(c.id, c.context, c.text) for c in chunks] == [
        (row["_id"], row["title"], row["text"]) for row in DOCUMENTS
    ]
    for chunk in chunks:
        document = documents[chunk.document_id]
        assert document.path == chunk.id
        assert document.text[chunk.start : chunk.end] == chunk.text


def test_labels_are_those_that_came_and_no_others(db: Path, folder: Path) -> None:
    report = imported(db, folder)
    found = golden_set(db)
    assert {item.question.id: dict(item.judged.grades) for item in found.questions} == {
        "1": {"d1": 3, "d3": -1},
        "2": {"d2": 1.5},
        "3": {"d3": 2},
        "4": {},
    }, "neither the twin of d1 nor the question of the same words has its grade"
    assert found.threshold == report.gold_from == 3
    assert states(db) == {"1": "golden", "2": "unanswered", "3": "unanswered", "4": "unjudged"}
    assert [item.gold for item in found.questions] == [("d1",), (), (), ()]
    assert (report.golden, report.without_gold, report.unjudged) == (1, 2, 1)
    assert report.grades == {"-1": 1, "1.5": 1, "2": 1, "3": 1}
    assert found.marks == ("imported: labels of helpdesk, not verified by goldgen",)


def test_a_question_belongs_to_the_document_that_it_names_or_that_alone_answers_it(
    db: Path, folder: Path
) -> None:
    imported(db, folder)
    golden = golden_set(db)
    clusters = {judged.question_id: judged.cluster for judged in golden.judged}
    for item in golden.golden:
        if item.question.id in {"1", "2"}:
            stands_alone = clusters[item.question.id] == item.question.id
            assert stands_alone == (len(item.gold) != 1)
    assert clusters["3"] == clusters["4"] not in {"3", "4"}


@pytest.mark.parametrize(
    ("grades", "gold"),
    [
        ([1], 1),
        ([0, 1], 1),
        ([0.5, 1], 1),
        ([0, 2, 1], 2),
        ([0.5, 2.5], 2),
        ([3, 0], 3),
        ([4, 1], 3),
        ([80], 3),
    ],
)
def test_gold_is_the_highest_grade_from_1_to_3(grades: list[float], gold: int) -> None:
    assert default_gold_from(grades) == gold


def test_gold_may_begin_at_another_grade(db: Path, folder: Path) -> None:
    assert imported(db, folder, 1.5).golden == 3
    assert golden_set(db).threshold == 1.5
    assert [item.gold for item in golden_set(db).questions] == [("d1",), ("d2",), ("d3",), ()]
    at_1_5 = golden_set(db).fingerprint
    imported(db, folder, 2)
    assert golden_set(db).fingerprint != at_1_5, "the same grades count otherwise"


@pytest.mark.parametrize(
    ("qrels", "gold_from", "error", "says"),
    [
        ([("1", "d1", 0.4), ("1", "d2", 0.2)], None, EmptyResultError, "from 0.2 to 0.4; say by --gold-from"),
        ([("1", "d1", -1)], None, EmptyResultError, "go from -1 to -1"),
        (QRELS, 4, EmptyResultError, "go from -1 to 3"),
        (QRELS, 0, SettingsError, "gold cannot begin at grade 0"),
        (QRELS, float("nan"), SettingsError, "gold cannot begin at grade nan"),
        ([], None, EmptyResultError, "it has no rows"),
        ([("9", "d1", 1)], None, EmptyResultError, f"its 1 rows were rejected: line 2: {UNKNOWN_QUERY}"),
    ],
)  # fmt: skip
def test_without_gold_there_is_an_error_and_no_file(
    db: Path,
    folder: Path,
    qrels: Sequence[tuple[str, str, float]],
    gold_from: float | None,
    error: type[GoldgenError],
    says: str,
) -> None:
    write(folder, qrels)
    with pytest.raises(error) as raised:
        imported(db, folder, gold_from)
    assert says in str(raised.value) and "\n" not in str(raised.value)
    assert not db.exists()


def test_what_cannot_be_used_is_told_with_its_line(db: Path, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "odd",
        [*QRELS, ("1", "d9", 3), ("9", "d1", 3), ("1", "d1", 2)],
        [*DOCUMENTS, {"_id": "d1", "text": "Again."}, {"_id": "d5", "text": ""}],
        ["{broken\n", *QUERIES, {"_id": "5"}],
    )
    report = imported(db, folder)
    assert (report.documents.kept, report.questions.kept, report.labels.kept) == (3, 4, 4)
    assert report.documents.rejected_lines == ("4: its id stands further up", "5: it has no text")
    assert [line.split(":")[0] for line in report.questions.rejected_lines] == ["1", "6"]
    assert report.labels.rejected_lines == (
        f"6: {UNKNOWN_DOCUMENT}",
        f"7: {UNKNOWN_QUERY}",
        "8: a grade of this query and document stands further up",
    )
    assert report.labels.rejected[UNKNOWN_DOCUMENT] == 1
    assert (
        golden_set(db).marks[1]
        == "incomplete: 2 of 6 labels name queries or documents that odd does not have"
    )


def test_trecs_qrels_with_texts_in_jsonl(db: Path, folder: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "robust.qrels"
    qrels.write_text("1 0 d1 2\n1 0 d3 0\n3 0 d3 1\n", encoding="utf-8")
    corpus, queries = folder / "corpus.jsonl", folder / "queries.jsonl"
    report = import_collection(ImportOptions(db, corpus=corpus, queries=queries, qrels=qrels))
    assert (report.name, report.labels.file, report.gold_from) == ("robust.qrels", "robust.qrels", 2)
    assert states(db) == {"1": "golden", "2": "unjudged", "3": "unanswered", "4": "unjudged"}
    with pytest.raises(SettingsError, match="--corpus, --queries and --qrels, all three"):
        import_collection(ImportOptions(db, queries=queries, qrels=qrels))
    with pytest.raises(SettingsError, match="--split chooses among the qrels of a BEIR folder"):
        import_collection(ImportOptions(db, folder, qrels=qrels, split="test"))
    with pytest.raises(TableError, match=r"has no dev\.tsv, only test"):
        import_collection(ImportOptions(db, folder, split="dev"))


def test_the_same_collection_is_replaced(db: Path, folder: Path) -> None:
    assert not imported(db, folder).replaced
    first = golden_set(db)
    assert imported(db, folder).replaced
    assert golden_set(db) == first
    write(folder, QRELS[:1], DOCUMENTS[:1], QUERIES[:1])
    imported(db, folder)
    found = golden_set(db)
    assert [chunk.id for chunk in found.chunks] == ["d1"]
    assert [item.question.id for item in found.questions] == ["1"]
    moved = folder.parent / "moved" / folder.name
    moved.parent.mkdir()
    folder.rename(moved)
    assert imported(db, moved).replaced, "it was moved, and is the same"


def test_a_file_with_another_set_is_refused_and_kept(db: Path, folder: Path, tmp_path: Path) -> None:
    imported(db, folder)
    other = write(tmp_path / "else" / folder.name, QRELS[:1])
    (folder / "qrels" / "dev.tsv").write_text((folder / "qrels" / "test.tsv").read_text())
    before = golden_set(db)
    for options in (ImportOptions(db, other), ImportOptions(db, folder, split="dev")):
        with pytest.raises(
            SettingsError, match=r"holds the collection helpdesk with the labels of .*give --db"
        ):
            import_collection(options)
    assert golden_set(db) == before
    own = tmp_path / "own.duckdb"
    with open_store(own) as store:
        fill(store)
    before = golden_set(own)
    with pytest.raises(SettingsError, match="holds a set already; give --db another file for helpdesk"):
        imported(own, folder)
    assert golden_set(own) == before


def test_nothing_is_added_to_an_imported_set(db: Path, folder: Path) -> None:
    imported(db, folder)
    before = golden_set(db)
    (folder / "log.csv").write_text("query\nwhen do exports run\n", encoding="utf-8")
    for job in (
        lambda: synthesize(SynthOptions(db, folder)),
        lambda: plan_synth(SynthOptions(db, folder)),
        lambda: verify(VerifyOptions(db)),
        lambda: add_logs(LogOptions(db, folder / "log.csv")),
    ):
        with pytest.raises(SettingsError) as raised:
            asyncio.run(job())
        assert str(raised.value) == (
            f"{db} holds the imported collection helpdesk, whose questions and labels stay as they came; "
            "give --db another file for a set of your own"
        )
    assert golden_set(db) == before


def test_sets_of_the_same_ids_and_other_texts_are_told_apart(tmp_path: Path, folder: Path) -> None:
    found: list[GoldenSet] = []
    german = [{**row, "text": f"Auf Deutsch: {row['text']}"} for row in QUERIES]
    for number, (documents, queries) in enumerate(
        (
            (DOCUMENTS, QUERIES),
            (DOCUMENTS, german),
            ([*DOCUMENTS[:2], {"_id": "d3", "text": "Else."}], QUERIES),
        )
    ):
        db = tmp_path / f"{number}.duckdb"
        imported(db, write(tmp_path / str(number), documents=documents, queries=queries))
        found.append(golden_set(db))
    assert len({golden.fingerprint for golden in found}) == 3
    assert len({golden.corpus_fingerprint for golden in found}) == 2


@pytest.mark.skipif(not BEIR.is_dir(), reason="needs the shared data folder beside the checkout")
@pytest.mark.parametrize(("collection", "expected"), [("xquad_en", 0.961), ("vaswani_npl", 0.356)])
def test_a_public_collection_has_its_counts_and_bm25s_known_ndcg(
    db: Path, collection: str, expected: float
) -> None:
    known = json.loads((BEIR / collection / "META.json").read_text(encoding="utf-8"))
    report = imported(db, BEIR / collection)
    assert (report.documents.kept, report.questions.kept) == (known["docs"], known["queries"])
    assert report.grades == known["grades"]
    assert not report.documents.rejected and not report.questions.rejected and not report.labels.rejected
    found = golden_set(db)
    retriever = BM25Retriever(found.chunks)
    run = {item.question.id: retriever.search(item.question.text, 10) for item in found.golden}
    measure = Measure("nDCG", 10)
    scores = score_run(found.judged, run, [measure], threshold=found.threshold)
    assert scores.mean(measure) == pytest.approx(expected, abs=0.02)
