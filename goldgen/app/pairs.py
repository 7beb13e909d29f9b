"""The pairs that a run of verify judges: drafts, near misses and controls, in one blind order."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from goldgen.app.concurrency import as_finished, batched
from goldgen.app.reporting import Reporter
from goldgen.store import Store
from goldgen.types import Chunk, Control, Judgment, NearMiss, Question
from goldgen.verify import Judge, Passage

Verdicts = Mapping[tuple[str, str | None], Judgment]
"""By question and target."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair to judge; controls lie among the real pairs, and nothing shows which is which."""

    question: Question
    passage: Passage
    is_control: bool = False


def shuffled_pairs(
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    near_misses: Sequence[NearMiss],
    controls: Sequence[Control],
    seed: int,
) -> list[Pair]:
    """All pairs in one shuffled order. Only a draft is judged together with its generator's evidence."""
    by_id = {chunk.id: chunk for chunk in chunks}
    bare = {question.id: replace(question, answer="", quote="") for question in questions}
    of_chunk: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        of_chunk[question.chunk_id or ""].append(bare[question.id])
    pairs = [Pair(q, Passage.of_chunk(by_id[q.chunk_id])) for q in questions if q.chunk_id in by_id]
    for near_miss in near_misses:
        passage = Passage.of_overlay(near_miss)
        pairs.extend(Pair(question, passage) for question in of_chunk[near_miss.chunk_id])
    pairs.extend(Pair(bare[c.question_id], Passage.of_overlay(c), is_control=True) for c in controls)
    random.Random(seed).shuffle(pairs)
    return pairs


async def judge_all(
    judge: Judge,
    pairs: Sequence[Pair],
    concurrency: int,
    store: Store,
    reporter: Reporter,
    note: Callable[[], str] | None = None,
) -> Verdicts:
    """Verdicts of all pairs; those of real ones are kept as they come, also if the run is ended."""
    verdicts: dict[tuple[str, str | None], Judgment] = {}

    async def work(pair: Pair) -> tuple[Pair, Judgment]:
        return pair, await judge.judge(pair.question, pair.passage)

    with batched(store.judgments.put) as keep, reporter.phase("judging pairs", len(pairs), note) as done:
        async for pair, verdict in as_finished(work, pairs, 2 * concurrency):
            verdicts[verdict.question_id, verdict.target_id] = verdict
            if not pair.is_control:
                keep(verdict)
            done(1)
    return verdicts
