"""BM25 on public collections, end to end: retrieved, ordered and scored as published tools do."""

import json
from pathlib import Path
from typing import Any

import pytest

from goldgen.evaluation import Measure, score_run
from goldgen.retrieve import BM25Retriever
from goldgen.types import Chunk, JudgedQuestion

BEIR = Path(__file__).parents[2].parent / "shared" / "data" / "beir"
pytestmark = pytest.mark.skipif(not BEIR.is_dir(), reason="needs the shared data folder beside the checkout")


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("collection", "expected"), [("xquad_en", 0.961), ("vaswani_npl", 0.356)])
def test_ndcg_of_bm25_is_the_known_one(collection: str, expected: float) -> None:
    folder = BEIR / collection
    chunks = [
        Chunk(row["_id"], row["_id"], row["text"], 0, len(row["text"]))
        for row in rows(folder / "corpus.jsonl")
    ]
    texts = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question_id, chunk_id, grade = line.split("\t")
        grades.setdefault(question_id, {})[chunk_id] = float(grade)
    retriever = BM25Retriever(chunks)
    measure = Measure("nDCG", 10)
    run = {question_id: retriever.search(texts[question_id], 10) for question_id in grades}
    questions = [JudgedQuestion(question_id, question_id, judged) for question_id, judged in grades.items()]
    assert score_run(questions, run, [measure], threshold=1).mean(measure) == pytest.approx(
        expected, abs=0.02
    )
