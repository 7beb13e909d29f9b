"""Retrievers side by side, and what that means in sentences that claim no more than was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.evaluation import Measure, Pair, QuestionsNeeded, RunScores, compare_all
from goldgen.retrieve import Replies

PRIMARY = Measure("nDCG", 10)
"""The one measure in which retrievers are told apart."""
_SIGNIFICANT = 0.05
DAGGER = "†"


@dataclass(frozen=True, slots=True)
class OwnLeftOut:
    """A retriever of the pool by labels without those that it alone contributed."""

    mean: float | None
    """Of the primary measure; None if no question keeps a gold chunk."""
    difference: float | None
    """To its mean by all labels, over the same questions."""
    golds: int
    """Gold chunks left out."""
    questions: int
    """Questions that lose all their gold so, and are in neither mean."""
    overtaken_by: tuple[str, ...] = ()
    """Retrievers that lead it by these labels, and not by all."""


@dataclass(frozen=True, slots=True)
class RetrieverResult:
    """One row of the comparison."""

    name: str
    label: str
    shares_model: bool
    """With judging or pooling; such a retriever is never said to win."""
    means: Mapping[str, float]
    """Measure, such as nDCG@10, to its mean over the questions with gold."""
    interval: tuple[float, float]
    """95% interval of the primary measure's mean (bootstrap over clusters)."""
    by_origin: Mapping[str, float]
    """Mean of the primary measure over the questions of each origin."""
    judged: float
    """Judged@10: share of the first ten that have a verdict."""
    confusion: float | None
    """Share of the near misses that outrank every gold chunk; None if the set has none."""
    milliseconds: float
    """Median time of one query."""
    tied_share: float
    duplicates: int
    without_own: OwnLeftOut | None = None
    """None for a retriever that is no source of the pool."""
    replies: Replies | None = None
    """What a retriever of the user's own answered; None for a built-in one."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much ``better`` leads ``worse`` in the primary measure, with its 95% interval."""

    better: str
    worse: str
    mean: float
    low: float
    high: float
    p: float
    """Fisher randomisation over clusters, after Holm's correction over all pairs."""
    few_clusters: bool
    effect: float | None = None
    """The mean by the standard deviation of the differences (d_z); None if that is 0."""
    needed: QuestionsNeeded | None = None
    """How many questions would show a stated difference; None if the spread does not tell."""


def paired(scores: Mapping[str, RunScores], delta: float) -> tuple[PairedDifference, ...]:
    """Every pair of the named runs, the better first."""
    return tuple(_turned(pair) for pair in compare_all(scores, PRIMARY, delta=delta))


def _turned(pair: Pair) -> PairedDifference:
    found = pair.difference
    ahead = found.mean >= 0
    low, high = (found.low, found.high) if ahead else (-found.high, -found.low)
    effect = None if found.effect is None else abs(found.effect)
    return PairedDifference(
        *((pair.b, pair.a) if ahead else (pair.a, pair.b)),
        abs(found.mean),
        low,
        high,
        pair.p_holm,
        found.few_clusters,
        effect,
        found.needed,
    )


def verdict_sentences(
    results: Sequence[RetrieverResult],
    differences: Sequence[PairedDifference],
    judging_models: Sequence[str],
    questions: int,
) -> tuple[str, ...]:
    """The leader against each other retriever in nDCG@10, and why a lead may not be a win."""
    if len(results) < 2:
        return ("One retriever was measured; name a second one with --retriever to compare.",)
    ranked = sorted(results, key=lambda result: -result.means[str(PRIMARY)])
    best = ranked[0]
    sentences = [f"{_marked(best)} has the highest {PRIMARY}, {best.means[str(PRIMARY)]:.3f}."]
    for other in ranked[1:]:
        pair = next(d for d in differences if {d.better, d.worse} == {best.label, other.label})
        sentences.append(_pair_sentence(best, other, pair, questions))
    if any(pair.few_clusters for pair in differences):
        sentences.append(
            "The questions come from fewer than 20 documents, which makes the intervals rough: "
            "sample more documents."
        )
    if any(result.shares_model for result in results):
        sentences.append(
            f"{DAGGER} shares a model with judging or pooling ({', '.join(judging_models)}), which favours "
            "it: a lead of such a retriever is no proof that it is better."
        )
    return (*sentences, *_own_sentences(results))


def _own_sentences(results: Sequence[RetrieverResult]) -> list[str]:
    """Whether the order of retrievers rests on labels that the retrievers themselves proposed.

    That it does not is said only if every retriever of the pool keeps questions to be measured by.
    """
    measured = [(result, result.without_own) for result in results if result.without_own is not None]
    overtaken = [
        f"{_marked(result)} falls behind {', '.join(own.overtaken_by)}"
        for result, own in measured
        if own.overtaken_by
    ]
    if overtaken:
        return [
            "The order rests on the pool: measured without the golds that only it proposed, "
            f"{'; '.join(overtaken)}."
        ]
    if not any(own.golds for _, own in measured) or any(own.mean is None for _, own in measured):
        return []
    names = ", ".join(_marked(result) for result, _ in measured)
    lost = [f"{own.questions} questions for {_marked(result)}" for result, own in measured if own.questions]
    others = [_marked(result) for result in results if result.without_own is None]
    return [
        "The order stays the same when a retriever is measured without the golds that only it proposed; "
        f"so measured: {names}"
        + (f"; left out, as they lose all their gold so: {', '.join(lost)}" if lost else "")
        + (f"; never measured so: {', '.join(others)}" if others else "")
        + "."
    ]


def _pair_sentence(
    best: RetrieverResult, other: RetrieverResult, pair: PairedDifference, questions: int
) -> str:
    figures = f"{pair.mean:+.3f} {PRIMARY}, 95% interval {pair.low:.3f} to {pair.high:.3f}, p = {pair.p:.3g}"
    if pair.p >= _SIGNIFICANT or pair.low <= 0:
        return (
            f"{_marked(best)} and {_marked(other)} can't be told apart with {questions} questions"
            f"{_needed(pair, questions)} ({figures})."
        )
    if best.shares_model:
        return f"{_marked(best)} scores above {_marked(other)} ({figures}), with the reservation below."
    return f"{best.label} beats {_marked(other)} ({figures})."


def _needed(pair: PairedDifference, questions: int) -> str:
    if pair.needed is None:
        return ""
    if pair.needed.questions <= questions:
        return f", which would show {pair.needed.delta:g}"
    return f"; about {pair.needed.questions:,} are needed to see {pair.needed.delta:g}"


def _marked(result: RetrieverResult) -> str:
    return f"{result.label}{DAGGER}" if result.shares_model else result.label
