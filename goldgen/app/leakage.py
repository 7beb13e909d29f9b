"""How much the questions of a set take over from the texts that answer them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from goldgen.app.golden import GoldenSet
from goldgen.text.leakage import Leakage, LeakageMeans, LeakageMeter
from goldgen.types import Chunk, Question

_COUNTED = 20_000
"""Chunks in which it is counted how rare words are: of a larger corpus every second, every third …"""
_MIDDLE_OVERLAP = 0.5
_HIGH_OVERLAP = 0.75


@dataclass(frozen=True, slots=True)
class WithGold:
    """A question and the chunks that are gold for it, one or more."""

    question: Question
    golds: Sequence[Chunk]


def with_gold(golden: GoldenSet) -> list[WithGold]:
    """The questions of the set that have gold."""
    by_id = {chunk.id: chunk for chunk in golden.chunks}
    found = (
        WithGold(
            item.question, [by_id[i] for i, grade in item.judged.grades.items() if grade >= golden.threshold]
        )
        for item in golden.questions
    )
    return [item for item in found if item.golds]


def sampled(chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Those in which words are counted."""
    return chunks[:: len(chunks) // _COUNTED + 1]


def corpus_meter(chunks: Sequence[Chunk]) -> LeakageMeter:
    """By the rarity of words in the chunks."""
    return LeakageMeter(chunk.full_text for chunk in sampled(chunks))


def overlap(item: WithGold, meter: LeakageMeter) -> float:
    """The share of the question's words, by their rarity, that the gold has which shares most of them."""
    return max(meter.overlap(item.question.text, chunk.text, chunk.context) for chunk in item.golds)


def overlap_level(share: float) -> str:
    """ "low" below 0.5, "high" from 0.75, else "middle"."""
    if share < _MIDDLE_OVERLAP:
        return "low"
    return "high" if share >= _HIGH_OVERLAP else "middle"


def leakage(golden: GoldenSet) -> dict[str, LeakageMeans]:
    """Origin to the means over its questions with gold; of several golds, the largest of each measure."""
    items = with_gold(golden)
    meter = corpus_meter(golden.chunks if items else ())
    by_origin: defaultdict[str, list[WithGold]] = defaultdict(list)
    for item in items:
        by_origin[item.question.origin].append(item)
    return {
        origin: LeakageMeans.of(
            [_largest(item, meter) for item in found], [bool(item.question.answer) for item in found]
        )
        for origin, found in sorted(by_origin.items())
    }


def _largest(item: WithGold, meter: LeakageMeter) -> Leakage:
    question = item.question
    found = [meter.measure(question.text, question.answer, c.text, c.context) for c in item.golds]
    return replace(
        found[0],
        overlap=max(one.overlap for one in found),
        heading=max(one.heading for one in found),
        copied=max(one.copied for one in found),
    )
