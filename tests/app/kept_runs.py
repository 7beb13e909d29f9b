"""A real set of 40 questions over 20 documents, with runs that find the gold at chosen ranks."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from goldgen.app.golden import load_golden
from goldgen.evaluation import Measure, score_run
from goldgen.store import QuestionResult, StoredRun, open_store
from goldgen.types import Chunk, Document, Hit, Judgment, Question, Ranking

DOCUMENTS = 20
QUESTIONS = 2 * DOCUMENTS
MEASURES = (Measure("P", 5), Measure("RR", 10), Measure("nDCG", 10))


def fill_set(path: Path) -> None:
    """Two chunks a document and a question for each chunk, which answers it."""
    with open_store(path) as store:
        for number in range(DOCUMENTS):
            texts = [f"Part {part} of page {number} says {number}-{part}. " for part in "ab"]
            first, second = len(texts[0]), len("".join(texts))
            document = Document(f"d{number}", f"page-{number}.md", "".join(texts))
            store.corpus.replace_document(
                document,
                [
                    Chunk(f"c{number}a", document.id, texts[0], 0, first),
                    Chunk(f"c{number}b", document.id, texts[1], first, second, position=1),
                ],
            )
        names = [f"{number}{part}" for number in range(DOCUMENTS) for part in "ab"]
        store.questions.add(
            [
                Question(f"q{name}", f"What says {name}?", "manual", "fact", f"c{name}", f"d{name[:-1]}")
                for name in names
            ]
        )
        store.judgments.put([gold(name) for name in names])


def gold(name: str, judge: str = "judge-model") -> Judgment:
    return Judgment(f"q{name}", f"c{name}", judge, grade=3)


def keep_run(
    path: Path,
    key: str,
    ranks: Sequence[int],
    *,
    label: str = "bm25",
    minutes: int = 0,
    models: Sequence[str] = (),
    search: Mapping[str, object] | None = None,
) -> str:
    """Keep a run that finds the gold of question n at ``ranks[n % len(ranks)]``, after other chunks, and
    return its id."""
    run_id = key.ljust(20, "0")
    with open_store(path) as store:
        golden = load_golden(store)
        rankings: dict[str, Ranking] = {
            item.question.id: _ranking(item.gold[0], ranks[place % len(ranks)], golden.chunks)
            for place, item in enumerate(golden.golden)
        }
        scores = score_run(golden.judged, rankings, MEASURES)
        store.runs.add(
            StoredRun(
                id=run_id,
                created_at=datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(minutes=minutes),
                retriever=label,
                measures=tuple(map(str, MEASURES)),
                means=tuple(map(scores.mean, MEASURES)),
                questions=tuple(
                    QuestionResult(question_id, tuple(values), rankings[question_id])
                    for question_id, values in zip(scores.question_ids, scores.values.tolist(), strict=True)
                ),
                configuration=json.dumps(
                    {"retriever": label, "models": list(models), "search": dict(search or {})}
                ),
                set_fingerprint=golden.fingerprint,
                corpus_fingerprint=golden.corpus_fingerprint,
            )
        )
    return run_id


def _ranking(gold_id: str, rank: int, chunks: Sequence[Chunk]) -> Ranking:
    others = [chunk.id for chunk in chunks if chunk.id != gold_id]
    found = [*others[: rank - 1], gold_id]
    return tuple(Hit(chunk_id, 100.0 - place) for place, chunk_id in enumerate(found))
