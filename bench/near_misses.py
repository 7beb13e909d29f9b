"""Written near misses from questions with known answers: how many survive, and whom they confuse.

    python bench/near_misses.py make --base-url http://127.0.0.1:8115/v1 --model NAME --sheet sheet.jsonl
    python bench/near_misses.py graded sheet.key.csv a.csv b.csv

- make: for each collection a set of some of its passages, with the questions, answers and quotes that people
  gave. Near misses are written as goldgen synth writes them, verified by the embedded judge and put before
  bm25, dense, hybrid and rerank. A model chooses among the changes of a condition; without one it is the
  first that code proposes. The sheet mixes near misses that eval would use with passages as they are, and a
  file of its own tells which is what. A grader writes a CSV: item, answers (does the text answer the
  question?), reads (does it read as if somebody wrote it so?), reason. Sheets hold text of the collections
  and stay out of the repository; grades and reasons do not.
- graded: the shares that do not answer, with Wilson intervals, and how far two graders agree (Cohen 1960).

Needs the folder shared/data beside the checkout.
"""

import argparse
import asyncio
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from judging_data import require_data
from near_miss_data import known_answers
from near_miss_sheets import Graded, print_grades, write_sheet

from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.golden import load_golden
from goldgen.app.models import ModelSettings, open_generator
from goldgen.app.reporting import Silent
from goldgen.app.verify import VerifyOptions, verify
from goldgen.prompts import PromptLibrary
from goldgen.store import Store, open_store
from goldgen.synth import ConditionFinder, NearMissWriter
from goldgen.types import (
    GOLD,
    Chat,
    ChatReply,
    ChatRequest,
    Chunk,
    NearMiss,
    Question,
    Reply,
    Usage,
)

RETRIEVERS = ("bm25", "dense", "hybrid", "rerank")
_ORIGINALS = 0.3
"""Passages as they are on a sheet, for each near miss; without any, "no" would always be right."""


@dataclass(frozen=True, slots=True)
class FirstChange:
    """Implements ``Chat``: takes the first change that code proposes."""

    model: str = "first change"

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        return True

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        return ChatReply(request.stage, Usage(), value=request.schema.model_validate({"change": 1}))


@dataclass(frozen=True, slots=True)
class Made:
    """The near misses of one collection, and what to show a grader."""

    name: str
    chunks: Mapping[str, Chunk]
    questions: Mapping[str, Question]
    near_misses: Sequence[NearMiss]
    used: frozenset[str]
    """Ids of those that eval uses: judged not to answer a question that is golden."""
    golden: frozenset[str]
    """Ids of the questions that the verifier found answered."""

    def graded(self) -> list[Graded]:
        found = [
            Graded(self.name, item.edit, self.questions[item.question_id].text, item.full_text)
            for item in self.near_misses
            if item.id in self.used
        ]
        asked = {item.question_id for item in self.near_misses}
        rest = [q for q in self.questions.values() if q.id in self.golden - asked]
        return [
            *found,
            *(Graded(self.name, "original", q.text, self.chunks[q.chunk_id or ""].full_text) for q in rest),
        ]


async def write(store: Store, asked: Sequence[Question], chat: Chat, per_chunk: int) -> list[NearMiss]:
    """Near misses of each passage; prints how many and why not more."""
    chunks = {chunk.id: chunk for chunk in store.corpus.chunks()}
    of_chunk: dict[str, list[Question]] = defaultdict(list)
    for question in asked:
        of_chunk[question.chunk_id or ""].append(question)
    prompt = PromptLibrary.packaged().load("near_miss")
    writer = NearMissWriter(chat, prompt, ConditionFinder(list(chunks.values())), per_chunk)
    made: list[NearMiss] = []
    refused: Counter[str] = Counter()
    for chunk_id, found in of_chunk.items():
        outcome = await writer.write(chunks[chunk_id], found)
        made.extend(outcome.near_misses)
        refused.update(rejection.reason for rejection in outcome.rejections)
    print(f"{len(made)} near misses of {len(of_chunk)} passages with {len(asked)} questions; ", end="")
    print("turned down on the way: " + ", ".join(f"{n} {why}" for why, n in refused.most_common()))
    return made


async def measure(name: str, given: argparse.Namespace, folder: Path) -> Made:
    """Print the figures of one collection."""
    db = folder / f"near-misses-{name}.duckdb"
    db.unlink(missing_ok=True)
    settings = ModelSettings(model=given.model, base_url=given.base_url, offline=not given.base_url)
    documents, questions = known_answers(name)
    drawn = Random(given.seed)
    passages = sorted({question.chunk_id or "" for question in questions})
    asked_about = set(drawn.sample(passages, min(given.passages, len(passages))))
    asked = [question for question in questions if question.chunk_id in asked_about]
    print(f"\n{name}")
    async with AsyncExitStack() as opened:
        store = opened.enter_context(open_store(db))
        store.corpus.replace_documents(documents)
        store.questions.add(asked)
        chat: Chat = FirstChange()
        if given.base_url:
            generator = open_generator(settings, store.calls, store.meta, Silent())
            chat = await opened.enter_async_context(generator)
        made = await write(store, asked, chat, given.per_passage)
        store.questions.add_near_misses(made)
    report = await verify(VerifyOptions(db, models=ModelSettings(offline=True)))
    with open_store(db, read_only=True) as store:
        golden = load_golden(store)
        grades = {judgment.pair: judgment.grade for judgment in store.judgments.effective()}
    used = frozenset(item.id for item in golden.near_misses)
    print(f"{report.accepted} of {report.drafts} questions accepted; verifier {report.proof.verdict}\n")
    print_survivors(made, used, grades)
    print_confusion(db)
    return Made(
        name,
        {chunk.id: chunk for chunk in golden.chunks},
        {question.id: question for question in asked},
        made,
        used,
        frozenset(item.question.id for item in golden.golden),
    )


def print_survivors(
    made: Sequence[NearMiss], used: frozenset[str], grades: Mapping[tuple[str, str], float | None]
) -> None:
    print("| edit | made | judged not to answer | its question is golden, too |\n|---|---|---|---|")
    for edit in [*sorted({item.edit for item in made}), "all"]:
        found = [item for item in made if edit in (item.edit, "all")]
        verdicts = [grades.get((item.question_id, item.id)) for item in found]
        refused = sum(grade is not None and grade < GOLD for grade in verdicts)
        print(f"| {edit} | {len(found)} | {refused} | {sum(item.id in used for item in found)} |")


def print_confusion(db: Path) -> None:
    report = evaluate(EvalOptions(db, retrievers=RETRIEVERS, models=ModelSettings(offline=True)))
    print("\n| retriever | edit | above every gold | 95% interval | median margin |\n|---|---|---|---|---|")
    for result in report.retrievers:
        for attack in result.attacks:
            margin = "" if attack.margin is None else f"{attack.margin:.2f}"
            told = attack.low is not None and attack.high is not None
            interval = f"{attack.low:.0%} to {attack.high:.0%}" if told else ""
            print(
                f"| {result.label} | {attack.kind} | {attack.confused} of {attack.count} ({attack.rate:.0%}) "
                f"| {interval} | {margin} |"
            )
    print("\n| retriever | questions | measure | without | with all near misses of the question |")
    print("|---|---|---|---|---|")
    for result in report.retrievers:
        if (attacked := result.under_attack) is not None:
            for name, before in attacked.before.items():
                after = attacked.after[name]
                print(f"| {result.label} | {attacked.questions} | {name} | {before:.3f} | {after:.3f} |")


async def make(given: argparse.Namespace, folder: Path) -> None:
    made = [await measure(name, given, folder) for name in given.sets]
    graded = [item for one in made for item in one.graded()]
    if given.sheet:
        write_sheet(graded, given.sample, round(_ORIGINALS * given.sample), given.seed, given.sheet)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("--sets", nargs="+", default=["xquad_en", "chunking_evaluation"])
    making.add_argument("--passages", type=int, default=120, help="of each collection, at most")
    making.add_argument("--per-passage", type=int, default=1)
    making.add_argument("--sample", type=int, default=50)
    making.add_argument("--seed", type=int, default=0)
    making.add_argument("--base-url", default="")
    making.add_argument("--model", default="")
    making.add_argument("--sheet", type=Path)
    making.add_argument("--keep", type=Path, help="folder for the sets; without it they are deleted")
    graded = commands.add_parser("graded")
    graded.add_argument("key", type=Path)
    graded.add_argument("first", type=Path)
    graded.add_argument("second", type=Path)
    given = parser.parse_args()
    if given.command == "graded":
        print_grades(given.key, given.first, given.second)
        return
    require_data()
    with tempfile.TemporaryDirectory(prefix="goldgen-bench-") as folder:
        asyncio.run(make(given, given.keep or Path(folder)))


if __name__ == "__main__":
    main()
