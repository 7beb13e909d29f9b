"""What label completion gained: recall of the labels, recall of the searches, the share of wrong golds."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goldgen.types import Pooled
from goldgen.verify import GoldenQuestion, Interval
from goldgen.verify.estimates import Proportion, expected_wrong_interval

_RECALL_AT = 10


@dataclass(frozen=True, slots=True)
class SourceRecall:
    """Recall@10 of one source of the pool over the completed questions, by the labels before and after."""

    source: str
    before: float
    after: float


def gold_pairs(questions: Sequence[GoldenQuestion], wanted: Collection[str]) -> frozenset[tuple[str, str]]:
    """Question and gold chunk, of the questions with these ids."""
    return frozenset(
        (item.question.id, chunk_id)
        for item in questions
        if item.question.id in wanted
        for chunk_id in item.gold
    )


def wrong_share(specificity: Interval | None, acceptance: Proportion | None) -> Interval | None:
    """The expected share of wrong ones among the accepted; None if either figure is not known."""
    if specificity is None or acceptance is None:
        return None
    return expected_wrong_interval(specificity, acceptance.share)


def recalls(
    pooled: Sequence[Pooled],
    before: Sequence[GoldenQuestion],
    after: Sequence[GoldenQuestion],
    wanted: Collection[str],
) -> tuple[SourceRecall, ...]:
    """Recall of each source over the questions with gold both before and after; none without such."""
    first: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for item in pooled:
        if item.rank <= _RECALL_AT:
            first[item.source][item.question_id].add(item.chunk_id)
    golds = [
        {
            item.question.id: frozenset(item.gold)
            for item in labels
            if item.gold and item.question.id in wanted
        }
        for labels in (before, after)
    ]
    shared = golds[0].keys() & golds[1].keys()
    if not shared:
        return ()
    return tuple(
        SourceRecall(
            source,
            *(sum(len(found[i] & of[i]) / len(of[i]) for i in shared) / len(shared) for of in golds),
        )
        for source, found in sorted(first.items())
    )
