"""A set of written, logged and hand-made questions with runs that rank their gold as chosen."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from goldgen.app.golden import load_golden
from goldgen.evaluation import Measure, score_run
from goldgen.store import GoldRank, QuestionResult, StoredRun, open_store
from goldgen.types import Chunk, Document, Hit, Judgment, Origin, Question

DOCUMENTS = 30
MEASURES = (Measure("nDCG", 10),)
Ranks = Mapping[Origin, Sequence[int]]
"""Origin to the ranks of the gold, which its questions take in turns."""


def fill_audited(path: Path, *, log: int = DOCUMENTS, manual: int = 0, written: int = DOCUMENTS) -> None:
    """A chunk a document; each written question is a tidy sentence, each logged one a few words."""
    with open_store(path) as store:
        for n in range(DOCUMENTS):
            text = f"Exports of team {n} run every {n + 3} minutes and are kept for {n + 9} days."
            store.corpus.replace_document(
                Document(f"d{n}", f"page-{n}.md", text), [Chunk(f"c{n}", f"d{n}", text, 0, len(text))]
            )
        questions = [
            Question(
                f"s{n}",
                f"How long are the exports of team {n} kept?",
                "synthetic",
                "how",
                f"c{n}",
                f"d{n}",
                model="gpt-writer",
            )
            for n in range(written)
        ]
        questions += [Question(f"l{n}", f"export retention team {n}", "log", "log") for n in range(log)]
        questions += [
            Question(f"m{n}", f"Who stops exports of team {n}?", "manual", "manual", f"c{n}", f"d{n}")
            for n in range(manual)
        ]
        store.questions.add(questions)
        store.judgments.put(
            [
                Judgment(q.id, f"c{q.id[1:]}", "judge-model", grade=3, document_id=f"d{q.id[1:]}")
                for q in questions
            ]
        )
        ranks = [GoldRank(q.id, "bm25", int(q.id[1:]) % 12 + 1, 50) for q in questions]
        store.selections.put_ranks([*ranks, *(GoldRank(q.id, "dense", None, 50) for q in questions)])


def keep(path: Path, label: str, ranks: Ranks, *, models: Sequence[str] = ()) -> None:
    """Keep a run of that label."""
    with open_store(path) as store:
        golden = load_golden(store)
        found = {
            item.question.id: _ranking(item.gold[0], ranks[item.question.origin], place)
            for place, item in enumerate(golden.golden)
        }
        scores = score_run(golden.judged, found, MEASURES)
        store.runs.add(
            StoredRun(
                id=label.ljust(20, "0"),
                created_at=datetime(2026, 11, 30, 12, tzinfo=UTC),
                retriever=label,
                measures=tuple(map(str, MEASURES)),
                means=tuple(map(scores.mean, MEASURES)),
                questions=tuple(
                    QuestionResult(key, tuple(values), found[key])
                    for key, values in zip(scores.question_ids, scores.values.tolist(), strict=True)
                ),
                configuration=json.dumps({"retriever": label, "models": list(models), "search": {}}),
                set_fingerprint=golden.fingerprint,
                corpus_fingerprint=golden.corpus_fingerprint,
            )
        )


def _ranking(gold: str, ranks: Sequence[int], place: int) -> tuple[Hit, ...]:
    rank = ranks[place % len(ranks)]
    others = [f"c{n}" for n in range(DOCUMENTS) if f"c{n}" != gold]
    return tuple(Hit(chunk, 100.0 - n) for n, chunk in enumerate([*others[: rank - 1], gold]))
