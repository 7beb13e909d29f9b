"""Does a set that goldgen made from the documents alone rank retrievers as people's questions do?

    python bench/agreement.py make xquad_en covidqa_deepset --base-url URL --model NAME
    python bench/agreement.py table

- make: for each collection (a folder in BEIR form; those of shared/data/beir go by name), questions are made
  for a sample of its passages as ``goldgen synth`` and ``goldgen verify`` make them by default, and for the
  same passages once more with one ingredient left out, and by a plain prompt. Each set then ranks the
  retrievers of agreement_variants.py over the whole corpus, and so do the collection's own questions. With a
  strong model at hand give it by --base-url and --model, and another to verify by --verifier-base-url and
  --verifier-model (which also completes labels); without these the embedded verifier judges.
- table: the figures of all collections under --out, in Markdown.

What is made is kept under --out, every model call included, so that a run that was stopped goes on where it
was. The plain prompt and its reader are those of questions.py. covidqa's papers are cut at 900 characters.
"""

import argparse
import asyncio
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agreement_figures import (
    NDCG,
    RECALL,
    Scored,
    agreement,
    ceiling,
    count_pairs,
    significant_pairs,
)
from agreement_variants import DEGRADED, Variants
from questions import ask_plainly, drafted, plain_questions, read_plain
from rerank import Collection, load

from goldgen.app.golden import load_golden
from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, synthesize
from goldgen.app.verify import VerifyOptions, verify
from goldgen.errors import EmptyResultError
from goldgen.evaluation import score_run
from goldgen.store import open_store
from goldgen.types import GOLD, JudgedQuestion

PEOPLE = "people"
_CALLS = ("synth", "rewrite", "verify", "complete", "second_look")


@dataclass(frozen=True, slots=True)
class Cost:
    calls: int
    tokens: int
    seconds: float
    """Of the model, summed over calls."""


@dataclass(frozen=True, slots=True)
class Made:
    """One set of questions: question id to text and to gold."""

    texts: Mapping[str, str]
    judged: Sequence[JudgedQuestion]
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One collection, and where its files go."""

    collection: Collection
    folder: Path
    models: ModelSettings
    per_chunk: int
    sample: int
    seed: int

    def db(self, name: str) -> Path:
        return self.folder / f"{name}.duckdb"

    async def draft(self, name: str, **changes: Any) -> None:
        """Questions for the sample; what is there is not asked for again."""
        options = SynthOptions(
            db=self.db(name),
            path=self.folder / "passages.jsonl",
            name="passages",
            per_chunk=self.per_chunk,
            near_misses=0,
            sample=self.sample,
            seed=self.seed,
            models=self.models,
            **changes,
        )
        try:
            report = await synthesize(options)
            print(f"  {name}: {report.questions} of {report.questions_asked} questions", flush=True)
        except EmptyResultError as error:
            print(f"  {name}: {error}")

    async def verified(self, name: str) -> Made:
        """The golden questions of a set."""
        try:
            report = await verify(VerifyOptions(self.db(name), seed=self.seed, models=self.models))
            print(
                f"  {name}: {report.accepted} of {report.drafts} accepted, {report.proof.verdict}", flush=True
            )
        except EmptyResultError as error:
            print(f"  {name}: {error}")
        with open_store(self.db(name), read_only=True) as store:
            golden = load_golden(store).golden
        texts = {item.question.id: item.question.text for item in golden}
        return Made(texts, [item.judged for item in golden], self.cost(name))

    def unverified(self, name: str) -> Made:
        """All drafts that code kept, each with its chunk for gold."""
        with open_store(self.db(name), read_only=True) as store:
            found = [q for q in store.questions.all("synthetic") if q.chunk_id]
        judged = [JudgedQuestion(q.id, q.document_id or "", {q.chunk_id or "": float(GOLD)}) for q in found]
        cost = self.cost(name)
        return Made({q.id: q.text for q in found}, judged, cost)

    def plain(self) -> Made:
        """Questions by "write 3 questions", about the chunks that goldgen asked about."""
        out = self.folder / "plain.jsonl"
        ask_plainly(self.db("goldgen"), self.models.base_url, self.models.model, out)
        rows = read_plain(out)
        found = list(plain_questions(self.db("goldgen"), out))
        tokens = sum(row.prompt_tokens + row.completion_tokens for row in rows)
        judged = [JudgedQuestion(q.item, q.chunk.document_id, {q.chunk.id: float(GOLD)}) for q in found]
        cost = Cost(len(rows), tokens, sum(row.seconds for row in rows))
        return Made({q.item: q.text for q in found}, judged, cost)

    def cost(self, name: str) -> Cost:
        with open_store(self.db(name), read_only=True) as store:
            totals = store.calls.totals()
        tokens = sum(total.usage.prompt_tokens + total.usage.completion_tokens for total in totals)
        return Cost(sum(t.calls for t in totals), tokens, sum(t.seconds for t in totals))


async def made_sets(job: Job, with_styles: bool) -> dict[str, Made]:
    """Each way to make a set, by name. The order matters: calls of the first serve the others."""
    write_passages(job)
    await job.draft("goldgen")
    unworded = job.db("without rewording")
    if not unworded.exists():
        shutil.copy(job.db("goldgen"), unworded)
    await job.draft("without rewording", max_overlap=1.0)
    made = {
        "goldgen": await job.verified("goldgen"),
        "without verification": job.unverified("goldgen"),
        "without rewording": await job.verified("without rewording"),
        "without both": job.unverified("without rewording"),
    }
    if with_styles:
        await job.draft("without styles", styles={"fact": 1})
        made["without styles"] = await job.verified("without styles")
    return made | {"plain prompt": job.plain()}


def write_passages(job: Job) -> None:
    file = job.folder / "passages.jsonl"
    job.folder.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        for chunk in job.collection.chunks:
            row = {
                "id": chunk.id,
                "text": chunk.text,
                "document_id": chunk.document_id,
                "title": chunk.context,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def measure(job: Job, sets: Mapping[str, Made]) -> dict[str, Any]:
    """All figures of one collection, as JSON has them."""
    texts = [text for made in sets.values() for text in made.texts.values()]
    variants = Variants(job.collection.chunks, texts, job.folder / "rankings")
    scored: dict[str, Scored] = {}
    for name, made in sets.items():
        if made.judged:
            runs = {
                each: score_run(made.judged, variants.rankings(each, made.texts), (NDCG, RECALL))
                for each in variants.names
            }
            scored[name] = Scored.of(runs)
            print(f"  {name}: {scored[name].questions} questions measured", flush=True)
    people = scored[PEOPLE]
    headline = [name for name in people.names if name not in DEGRADED]
    found = {n: agreement(people, s, DEGRADED) for n, s in scored.items() if n != PEOPLE}
    return {
        "people": people.questions,
        "chunks": len(job.collection.chunks),
        "asked": len(drafted(job.db("goldgen"))),
        "retrievers": len(headline),
        "pairs": count_pairs(headline),
        "told": significant_pairs(people.only(headline)),
        "ceiling": ceiling(people, DEGRADED),
        "means": {n: dict(zip(s.names, s.means().tolist(), strict=True)) for n, s in scored.items()},
        "sets": {
            name: asdict(each) | {"cost": asdict(cost) if (cost := sets[name].cost) else None}
            for name, each in found.items()
        },
    }


def print_table(out: Path) -> None:
    for file in sorted(out.glob("*/figures.json")):
        found = json.loads(file.read_text())
        print(
            f"\n**{file.parent.name}**: {found['people']} questions of people, {found['chunks']:,} chunks of "
            f"which {found['asked']} were asked about, {found['retrievers']} retrievers; people's set tells "
            f"{found['told']} of {found['pairs']} pairs apart; one half of it against the other: tau "
            f"{found['ceiling']:.2f}\n"
        )
        print("| set | questions | tau-b | reachable | tau-AP | tau-b of R@10 | told pairs alike | gap | "
              "tokens, s a question |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
        for name, row in found["sets"].items():
            print(_row(name, row))


def _row(name: str, row: Mapping[str, Any]) -> str:
    pairs, cost, count = row["pairs"], row["cost"], row["questions"]
    reachable = "" if row["reachable"] != row["reachable"] else f"{row['reachable']:.2f}"
    spent = f"{cost['tokens'] / count:,.0f}, {cost['seconds'] / count:.0f}" if cost else ""
    cells = (
        name,
        count,
        _interval(row["tau"]),
        reachable,
        _interval(row["tau_ap"]),
        _interval(row["tau_recall"]),
        f"{pairs['alike']} of {pairs['significant']}, {pairs['reversed_significant']} told against",
        f"{row['gap']:+.3f} (spread {row['gap_spread']:.2f})",
        spent,
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _interval(found: Mapping[str, float]) -> str:
    return f"{found['value']:.2f} ({found['low']:.2f} to {found['high']:.2f})"


async def make(given: argparse.Namespace) -> None:
    models = ModelSettings(
        model=given.model,
        base_url=given.base_url,
        verifier_model=given.verifier_model,
        verifier_base_url=given.verifier_base_url,
        timeout=given.timeout,
    )
    for name in given.collections:
        print(name, flush=True)
        collection = load(name, given.people, given.seed)
        folder = given.out / Path(name).name
        job = Job(collection, folder, models, given.per_chunk, given.sample, given.seed)
        made = await made_sets(job, given.with_styles)
        sets = {PEOPLE: Made(collection.texts, collection.judged), **made}
        (folder / "figures.json").write_text(json.dumps(measure(job, sets), indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("collections", nargs="+")
    making.add_argument("--out", type=Path, default=Path("outputs/agreement"))
    making.add_argument("--base-url", required=True)
    making.add_argument("--model", required=True)
    making.add_argument("--verifier-base-url", default="")
    making.add_argument("--verifier-model", default="")
    making.add_argument("--sample", type=int, default=100, help="passages to ask about")
    making.add_argument("--per-chunk", type=int, default=3)
    making.add_argument("--people", type=int, default=400, help="of people's questions, at most")
    making.add_argument("--with-styles", action="store_true", help="and a set of facts only, asked for anew")
    making.add_argument("--timeout", type=float, default=120)
    making.add_argument("--seed", type=int, default=0)
    table = commands.add_parser("table")
    table.add_argument("--out", type=Path, default=Path("outputs/agreement"))
    given = parser.parse_args()
    if given.command == "make":
        asyncio.run(make(given))
    else:
        print_table(given.out)


if __name__ == "__main__":
    main()
