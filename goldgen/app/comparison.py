"""Retrievers side by side, and what that means in sentences that claim no more than was measured."""

from collections.abc import Mapping, Sequence

from goldgen.evaluation import (
    DAGGER,
    Difference,
    Measure,
    PairedDifference,
    RetrieverResult,
    RunScores,
    compare_all,
)

PRIMARY = Measure("nDCG", 10)
"""The one measure in which retrievers are told apart."""


def paired(scores: Mapping[str, RunScores], delta: float) -> tuple[PairedDifference, ...]:
    """Every pair of the named runs, the better first."""
    found = compare_all(scores, PRIMARY, delta=delta)
    return tuple(better_first(pair.a, pair.b, pair.difference, pair.p_holm) for pair in found)


def better_first(a: str, b: str, found: Difference, p: float) -> PairedDifference:
    """``found``, b less a, turned so that it is not negative; ``p`` as it is to be shown."""
    ahead = found.mean >= 0
    low, high = (found.low, found.high) if ahead else (-found.high, -found.low)
    effect = None if found.effect is None else abs(found.effect)
    better, worse = (b, a) if ahead else (a, b)
    return PairedDifference(
        better, worse, abs(found.mean), low, high, p, found.few_clusters, effect, found.needed
    )


def difference_sentence(
    better: str, worse: str, found: PairedDifference, measure: str, questions: int, *, is_reserved: bool
) -> str:
    """What may be said of a pair; ``is_reserved``: the better one shares a model with judging or pooling."""
    interval = f"95% interval {_number(found.low)} to {_number(found.high)}"
    figures = f"{found.mean:+.3f} {measure}, {interval}, p = {found.p:.3g}"
    if found.effect is not None:
        figures += f", effect {found.effect:.2f}"
    if not found.is_told_apart:
        return (
            f"{better} and {worse} can't be told apart with {questions} questions"
            f"{_needed(found, questions)} ({figures})."
        )
    if is_reserved:
        return f"{better} scores above {worse} ({figures}), with the reservation below."
    return f"{better} beats {worse} ({figures})."


def _number(value: float) -> str:
    """Never -0.000."""
    return f"{round(value, 3) + 0.0:.3f}"


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
        sentences.append(
            difference_sentence(
                _marked(best),
                _marked(other),
                pair,
                str(PRIMARY),
                questions,
                is_reserved=best.shares_model,
            )
        )
    if len(differences) > 1:
        sentences.append(
            f"p and the questions needed are corrected for {len(differences)} pairs (Holm), the intervals "
            "are not."
        )
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


def _needed(pair: PairedDifference, questions: int) -> str:
    if pair.needed is None:
        return ""
    if pair.needed.questions <= questions:
        return f", which would show {pair.needed.delta:g}"
    return f"; about {pair.needed.questions:,} are needed to see {pair.needed.delta:g}"


def _marked(result: RetrieverResult) -> str:
    return f"{result.label}{DAGGER}" if result.shares_model else result.label
