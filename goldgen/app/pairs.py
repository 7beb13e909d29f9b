"""The pairs that a run of verify judges: drafts, near misses and controls, in one blind order."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from goldgen.app.concurrency import as_finished
from goldgen.app.reporting import Reporter
from goldgen.app.verdicts import kept_verdicts
from goldgen.store import Store
from goldgen.types import GOLD, Chunk, Control, Judgment, NearMiss, Question
from goldgen.verify import Judge, Passage, judged_passages

Verdicts = Mapping[tuple[str, str], Judgment]
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
    """All pairs in one shuffled order. Only a draft is judged together with its generator's evidence.

    A proper part of an evidence set is judged without: doubt about it must not clear the set.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    asked = {question.id: bare(question) for question in questions}
    of_chunk: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        of_chunk[question.chunk_id or ""].append(asked[question.id])
    pairs: list[Pair] = []
    for question in questions:
        for place, passage in enumerate(judged_passages(question, by_id)):
            pairs.append(Pair(asked[question.id] if place else question, passage))
    for near_miss in near_misses:
        passage = Passage.of_overlay(near_miss)
        pairs.extend(Pair(question, passage) for question in of_chunk[near_miss.chunk_id])
    pairs.extend(control_pair(asked[control.question_id], control) for control in controls)
    random.Random(seed).shuffle(pairs)
    return pairs


def bare(question: Question) -> Question:
    """The question without what its generator says of the answer."""
    return replace(question, answer="", quote="")


def control_pair(question: Question, control: Control) -> Pair:
    return Pair(bare(question), Passage.of_overlay(control), is_control=True)


async def judge_all(
    judge: Judge,
    pairs: Sequence[Pair],
    concurrency: int,
    store: Store,
    reporter: Reporter,
    note: Callable[[], str] | None = None,
    title: str = "judging pairs",
) -> Verdicts:
    """Verdicts of all pairs; those of real ones are kept as they come, also if the run is ended."""
    verdicts: dict[tuple[str, str], Judgment] = {}

    async def work(pair: Pair) -> tuple[Pair, Judgment]:
        return pair, await judge.judge(pair.question, pair.passage)

    with kept_verdicts(store) as keep, reporter.phase(title, len(pairs), note) as done:
        async for pair, verdict in as_finished(work, pairs, 2 * concurrency):
            verdicts[verdict.pair] = verdict
            if not pair.is_control:
                keep(verdict)
            done(1)
    return verdicts


def graded(controls: Sequence[Control], verdicts: Verdicts) -> tuple[Control, ...]:
    """The controls with the verdicts on them."""
    found = [(control, verdicts[control.question_id, control.id]) for control in controls]
    return tuple(replace(c, grade=v.grade, score=v.score, reason=v.reason) for c, v in found)


def draft_verdict(question: Question, by_id: Mapping[str, Chunk], verdicts: Verdicts) -> Judgment | None:
    """The verdict on a draft; None if its chunk is no longer in the corpus.

    An evidence set is gold only if the whole is and no proper part suffices; until both are known it is
    unjudged.
    """
    passages = judged_passages(question, by_id)
    if not passages:
        return None
    whole, *parts = (verdicts[question.id, passage.id] for passage in passages)
    if whole.grade != GOLD:
        return whole
    if any(part.grade == GOLD for part in parts):
        return replace(whole, grade=GOLD - 1, reason="a part of its evidence set suffices")
    unjudged = next((part for part in parts if part.grade is None), None)
    return replace(whole, grade=None, reason=unjudged.reason) if unjudged else whole
