"""How well a judge tells a text that answers from one that nearly does.

    python bench/train_judge.py
    python bench/judges.py --judge embedded --questions 400
    python bench/judges.py --judge similarity --questions 400
    python bench/judges.py --judge logprob --endpoint http://127.0.0.1:8115/v1 --model qwen --questions 45
    python bench/judges.py --judge verdict --endpoint URL --model NAME --questions 20

Each question comes with three texts (see judging_data.py): gold, the nearest neighbour that is not gold, and
gold without the answer's sentence, where the data tell which that is. Printed for each set and kind: the AUC
of gold against the kind, and the share of the kind that is accepted where the threshold keeps 85% or 90% of
gold, with 95% intervals (bootstrap over questions). On the right the same with the evidence check: a pair
that fails it is rejected at any score.
The key of an endpoint is read from OPENAI_API_KEY.

- embedded: the probability of goldgen's embedded judge, trained on other collections than the one it is
  measured on (by bench/train_judge.py, which has to run before). Its check: the generator's quote lies in the
  best window and states the answer; for a text that does not answer, the quote is the sentence most like the
  question.
- similarity: what the embedded judge was before: late interaction of the best window and 0.2 times its share
  of the question's longer words.
- logprob: log P(yes) - log P(no) of the first token, asked whether the text has the complete answer. It gives
  no quote that could be checked.
- verdict: the grade that the model gave, and the grade after the code of goldgen's ChatJudge has looked.

Vectors, verdicts and a file of all scores with their texts are kept in --work, outside the checkout.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Protocol

import httpx2
import numpy as np
from judging_data import (
    SETS,
    Kind,
    Trio,
    left_out_path,
    likeliest_sentence,
    load_trios,
    require_data,
)
from judging_figures import HEADER, REJECTED, Scored, ScoredTrio, table_rows
from pydantic import SecretStr

from goldgen.errors import ModelError
from goldgen.models.encoders import MINILM, open_embedder, open_late_interaction
from goldgen.models.likelihood import YesLikelihood
from goldgen.prompts import PromptLibrary
from goldgen.store import Store, open_store
from goldgen.text.words import shared_stems
from goldgen.types import Question
from goldgen.verify import AnswerModel, AnswerScorer, ChatJudge, Passage, evidence_problem
from goldgen.verify.embedded_judge import BestWindow


class BenchJudge(Protocol):
    async def score(self, question: Question, passage: Passage, kind: Kind) -> Scored | None:
        """None if there is no verdict."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    scorer: AnswerScorer

    @classmethod
    def opened(cls, name: str, work: Path) -> "Embedded":
        path = left_out_path(work, name)
        if not path.exists():
            raise SystemExit(f"{path} is not there; run bench/train_judge.py first")
        model = AnswerModel.read(path.read_bytes())
        scorer = open_late_interaction(offline=True, token_direction=model.token_direction)
        return cls(AnswerScorer(scorer, model))

    async def score(self, question: Question, passage: Passage, kind: Kind) -> Scored | None:
        best = self.best_window(question, passage)
        if best is None:
            return Scored(-inf, REJECTED)
        if not question.quote:
            return Scored(best.score)
        quote = question.quote if kind == "gold" else likeliest_sentence(question, passage)
        answer = question.answer if kind == "gold" else quote
        drafted = Question(question.id, question.text, "synthetic", "fact", answer=answer, quote=quote)
        is_borne_out = not evidence_problem(drafted, passage, best)
        return Scored(best.score, best.score if is_borne_out else REJECTED)

    def best_window(self, question: Question, passage: Passage) -> BestWindow | None:
        return self.scorer.best_window(question.text, passage)


class Similarity(Embedded):
    """The same with the score that was used before there were weights."""

    def best_window(self, question: Question, passage: Passage) -> BestWindow | None:
        read = self.scorer.read(question.text, passage)
        if read is None:
            return None
        spans, signals = read
        words = [shared_stems(question.text, passage.text[start:end]) for start, end in spans]
        scores = signals.late_interaction + 0.2 * np.array(words)
        best = int(scores.argmax())
        return BestWindow(*spans[best], float(scores[best]))


@dataclass(frozen=True, slots=True)
class LogProb:
    likelihood: YesLikelihood

    async def score(self, question: Question, passage: Passage, kind: Kind) -> Scored | None:
        try:
            odds = await asyncio.to_thread(self.likelihood.log_odds, question.text, passage.full_text)
        except ModelError:
            return None
        return Scored(odds) if odds else None


@dataclass(frozen=True, slots=True)
class Verdict:
    judge: ChatJudge
    store: Store

    async def score(self, question: Question, passage: Passage, kind: Kind) -> Scored | None:
        bare = Question(question.id, question.text, "manual", "fact")
        judgment = await self.judge.judge(bare, passage)
        record = self.store.calls.get(judgment.call_key)
        if judgment.grade is None or record is None:
            return None
        return Scored(float(json.loads(record.reply)["grade"]), float(judgment.grade))


@asynccontextmanager
async def opened(kind: str, name: str, url: str, model: str, work: Path) -> AsyncGenerator[BenchJudge]:
    key = os.environ.get("OPENAI_API_KEY", "none")
    async with AsyncExitStack() as stack:
        if kind == "embedded":
            yield Embedded.opened(name, work)
        elif kind == "similarity":
            yield Similarity(AnswerScorer(open_late_interaction(offline=True)))
        elif kind == "logprob":
            headers = {"Authorization": f"Bearer {key}"}
            client = stack.enter_context(httpx2.Client(base_url=url, headers=headers, timeout=300))
            yield LogProb(YesLikelihood(client, model, PromptLibrary.packaged().load("likelihood")))
        else:
            from goldgen.models.chat import EndpointChat
            from goldgen.models.endpoints import Endpoint

            store = stack.enter_context(open_store(work / "judges.duckdb"))
            endpoint = Endpoint(model, url, SecretStr(key), timeout=600, concurrency=2)
            chat = await stack.enter_async_context(EndpointChat(endpoint, store.calls))
            yield Verdict(ChatJudge(chat, PromptLibrary.packaged().load("verify")), store)


async def scored(
    judge: BenchJudge, trios: Sequence[Trio], width: int, minutes: float, out: Path
) -> tuple[list[ScoredTrio], int]:
    """Those with three verdicts, and how many pairs had none. After ``minutes`` no new question is begun."""
    until, slots = time.monotonic() + 60 * minutes, asyncio.Semaphore(width)
    done: list[ScoredTrio] = []
    unjudged = 0

    async def one(trio: Trio) -> None:
        nonlocal unjudged
        async with slots:
            if time.monotonic() > until:
                return
            found: dict[Kind, Scored | None] = {
                kind: await judge.score(trio.question, p, kind) for kind, p in trio.pairs.items()
            }
        unjudged += sum(score is None for score in found.values())
        complete: ScoredTrio = {kind: score for kind, score in found.items() if score is not None}
        if len(complete) == len(found):
            done.append(complete)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(_shown(trio, complete), ensure_ascii=False) + "\n")

    out.write_text("", encoding="utf-8")
    await asyncio.gather(*map(one, trios))
    return done, unjudged


def _shown(trio: Trio, scores: ScoredTrio) -> Mapping[str, object]:
    asked = trio.question
    texts = {kind: passage.text for kind, passage in trio.pairs.items()}
    plain = {kind: (score.score, score.checked) for kind, score in scores.items()}
    return {"question": asked.text, "answer": asked.answer, "quote": asked.quote, "scores": plain} | texts


async def measure(given: argparse.Namespace) -> None:
    embedder = open_embedder(MINILM, offline=True)
    table = [HEADER]
    free = given.judge in ("embedded", "similarity")
    for name in given.sets:
        trios = load_trios(name, given.questions, given.seed, embedder, given.work / "vectors")
        out = given.work / f"{given.judge}-{name}.jsonl"
        async with opened(given.judge, name, given.endpoint, given.model, given.work) as judge:
            started = time.monotonic()
            done, unjudged = await scored(judge, trios, 1 if free else given.width, given.minutes, out)
            seconds = time.monotonic() - started
        pairs = sum(map(len, done))
        print(f"{name}: {pairs} pairs, {pairs / seconds:.1f} a second; {unjudged} unjudged")
        if done:
            title = given.judge if free else f"{given.judge}, {given.model}"
            table.extend(table_rows(name, title, done))
            print("\n".join(table), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--judge", choices=("embedded", "similarity", "logprob", "verdict"), default="embedded"
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--questions", type=int, default=400, help="of each set")
    parser.add_argument("--endpoint", default="http://127.0.0.1:8115/v1")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    parser.add_argument("--width", type=int, default=2, help="calls at once")
    parser.add_argument("--minutes", type=float, default=inf, help="begin no question of a set after that")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "goldgen-bench")
    given = parser.parse_args()
    require_data()
    asyncio.run(measure(given))


if __name__ == "__main__":
    main()
