"""How many hidden golds label completion finds again, at what precision and for how many calls.

    python bench/completion.py --verifier oracle --depths 5 10 20
    python bench/completion.py --verifier embedded --depths 10 --thresholds 0.8 0.9 1.0
    python bench/completion.py --verifier endpoint --endpoint URL --model NAME --depths 5 --questions 10

The 232 chunks and 100 questions of anthropic_docs_rag. Of each question with two golds or more, one drawn at
random is known, as if a person had said so, and the others are hidden. What `goldgen verify --complete` runs
then judges the first DEPTH results of bm25 and dense. The labels of the data count as the truth; they were
made by a model and are not complete, so a new gold beyond them is not surely wrong.

- oracle: an endpoint that says what the labels say. What it does not find was not in the pool.
- embedded: goldgen's embedded judge, with each of the thresholds as its strict one.
- endpoint: a chat model through goldgen's strict judge. --max-calls ends a run; the most promising go first.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from judging_data import DATA, relevant_passages, require_data, rows
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
from goldgen.app.judges import Verifier, open_answer_scorer, open_verifier
from goldgen.app.labelling import LabelOptions, LabelReport, complete_labels
from goldgen.app.loading import load_corpus
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Silent
from goldgen.corpus import ChunkOptions
from goldgen.prompts import delimited
from goldgen.store import Store, open_store
from goldgen.text.quotes import find_quote, is_substantial
from goldgen.text.sentences import sentences
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify import Calibration, assemble
from goldgen.verify.proof import StrictProof
from tests.stub.generator import as_asked, stage
from tests.stub.server import Body, Reply, Stub

FOLDER = DATA / "anthropic_docs_rag"
SHOWN_STRICT = StrictProof((), None, is_shown=True, reason="")
"""As if controls had shown it: the bench measures the precision itself."""
HEADER = (
    "| verifier | depth | questions | hidden golds | in the pool | found again | new golds | precision "
    "| pairs judged | calls | unjudged | not asked |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the gold that is known, and all that the data call gold."""

    question: Question
    golds: frozenset[str]

    @property
    def hidden(self) -> frozenset[str]:
        return self.golds - {self.question.chunk_id}


def load_asked(chunks: Sequence[Chunk], count: int, seed: int) -> list[Asked]:
    """Up to ``count`` questions with two golds or more, in random order."""
    documents = {chunk.id: chunk.document_id for chunk in chunks}
    relevant = relevant_passages(FOLDER)
    rng = random.Random(seed)
    asked: list[Asked] = []
    for row in rows(FOLDER / "queries.jsonl"):
        golds = sorted(set(relevant[row["_id"]]) & documents.keys())
        known = rng.choice(golds)
        if len(golds) > 1:
            answer = row["metadata"]["answer"]
            question = Question(
                row["_id"], row["text"], "manual", "fact", known, documents[known], answer=answer
            )
            asked.append(Asked(question, frozenset(golds)))
    return rng.sample(asked, min(count, len(asked)))


def filled(store: Store, count: int, seed: int) -> list[Asked]:
    """Puts corpus, questions and what is known of them into an empty store."""
    chunks, _ = load_corpus(store, FOLDER / "corpus.jsonl", "docs", ChunkOptions(), Silent())
    asked = load_asked(chunks, count, seed)
    store.questions.add([item.question for item in asked])
    store.judgments.put([_known(item.question) for item in asked])
    return asked


def _known(question: Question) -> Judgment:
    assert question.chunk_id
    return Judgment(
        question.id, question.chunk_id, "the data", "human", GOLD, document_id=question.document_id
    )


class Oracle:
    """Answers the requests of goldgen's judges by the labels."""

    def __init__(self, asked: Sequence[Asked], chunks: Sequence[Chunk]) -> None:
        self._asked = {_mark("question", item.question.text): item for item in asked}
        self._chunks: Mapping[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            self._chunks[_mark("passage", chunk.full_text)].append(chunk)

    def __call__(self, number: int, body: Body) -> Reply:
        said = str(body["messages"][-1]["content"])
        asked = self._asked[_first_mark("question", said)]
        twins = self._chunks[_first_mark("passage", said)]
        quote = _quotable(twins[0]) if any(chunk.id in asked.golds for chunk in twins) else ""
        return as_asked(body, _second_look(quote) if stage(body) == "SecondLook" else _verdict(asked, quote))


def _verdict(asked: Asked, quote: str) -> Mapping[str, Any]:
    parts = [{"part": asked.question.text, "quote": quote, "answered": bool(quote)}]
    answer = asked.question.answer if quote else ""
    return {"parts": parts, "answer": answer, "standalone": True, "grade": GOLD if quote else 1}


def _second_look(quote: str) -> Mapping[str, Any]:
    return {"missing": [] if quote else ["all"], "quote": quote, "complete": bool(quote)}


def _quotable(chunk: Chunk) -> str:
    """A sentence of the chunk that the judges' code accepts as evidence."""
    texts = (chunk.text[start:end] for start, end in sentences(chunk.text))
    return next(text for text in texts if is_substantial(text, "") and find_quote(chunk.text, text))


def _mark(kind: str, text: str) -> str:
    return _first_mark(kind, delimited(kind, text))


def _first_mark(kind: str, said: str) -> str:
    found = re.search(rf"^<({kind}-\w+)>$", said, re.M)
    assert found
    return found[1]


async def measured(given: argparse.Namespace, depth: int) -> None:
    """Print the rows of one depth, from a store of its own."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "set.duckdb") as store:
        asked = filled(store, given.questions, given.seed)
        if given.verifier == "embedded":
            scorer = open_answer_scorer(ModelSettings(offline=True))
            verifier = Verifier("embedded", 1, scorer=scorer)
            calibration = Calibration(min(given.thresholds), min(given.thresholds), 0, 1.0)
            report = await completed(store, verifier, calibration, depth)
            for threshold in given.thresholds:
                print(row(f"embedded, {threshold:g}", depth, asked, store, report, 0, threshold), flush=True)
            return
        is_oracle = given.verifier == "oracle"
        with Stub(Oracle(asked, store.corpus.chunks())) if is_oracle else nullcontext() as stub:
            settings = ModelSettings(
                verifier_model="oracle" if is_oracle else given.model,
                verifier_base_url=stub.url if stub else given.endpoint,
                verifier_api_key=SecretStr(os.environ.get("OPENAI_API_KEY", "none")),
                timeout=600,
                concurrency=2,
                max_calls=None if is_oracle else given.max_calls,
            )
            async with open_verifier(settings, None, store, Silent()) as verifier:
                report = await completed(store, verifier, None, depth)
                assert verifier.chat
                calls = verifier.chat.counts.made
                print(row(verifier.name, depth, asked, store, report, calls), flush=True)


async def completed(
    store: Store, verifier: Verifier, calibration: Calibration | None, depth: int
) -> LabelReport:
    options, settings = LabelOptions(depth, complete=True), ModelSettings(offline=True)
    return await complete_labels(store, verifier, calibration, settings, options, SHOWN_STRICT, Silent())


def row(
    name: str,
    depth: int,
    asked: Sequence[Asked],
    store: Store,
    report: LabelReport,
    calls: int,
    threshold: float = -inf,
) -> str:
    """A row of the table; what scored below ``threshold`` counts as rejected."""
    verdicts = [
        replace(verdict, grade=0) if verdict.score is not None and verdict.score < threshold else verdict
        for verdict in store.judgments.effective()
    ]
    assembled = assemble(store.questions.all(), verdicts, store.corpus.chunks())
    golden = {item.question.id: set(item.gold) for item in assembled}
    pooled = {(item.question_id, item.chunk_id) for item in store.pool.all()}
    hidden = {(item.question.id, chunk) for item in asked for chunk in item.hidden}
    new = {(i.question.id, c) for i in asked for c in golden[i.question.id] - {i.question.chunk_id}}
    right = len(new & hidden)
    cells = (
        name,
        depth,
        len(asked),
        len(hidden),
        f"{len(pooled & hidden)} ({len(pooled & hidden) / len(hidden):.0%})",
        f"{right} ({right / len(hidden):.0%})",
        len(new),
        f"{right / len(new):.0%}" if new else "–",
        report.judged,
        calls,
        json.dumps(dict(report.unjudged)) if report.unjudged else 0,
        report.left,
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--verifier", choices=("oracle", "embedded", "endpoint"), default="oracle")
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--thresholds", type=float, nargs="+", default=[0.9], help="of the embedded judge")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--endpoint", default="http://127.0.0.1:8115/v1")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    parser.add_argument("--max-calls", type=int, help="of each row")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    require_data()
    print(HEADER, flush=True)
    for depth in given.depths:
        asyncio.run(measured(given, depth))


if __name__ == "__main__":
    main()
