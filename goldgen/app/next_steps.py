"""What to do after an evaluation, from its figures alone: the most useful first."""

from collections.abc import Iterator

from goldgen.evaluation import FEW_CLUSTERS, PairedDifference, Report, RetrieverResult

_MOST = 6
_HALF_JUDGED = 0.8
"""Judged@10 below which unjudged hits may decide the order of retrievers."""
_TELLS = 0.8
"""AUC from which a score parts gold from near misses well enough to be cut by a threshold."""
_ENOUGH = 10
"""Near misses from which that share says something."""
_WEAK = 0.1
"""How far a slice lies below the rest to be worth a look."""


def next_steps(report: Report) -> tuple[str, ...]:
    """Steps for the set first, for what a wrong ruler says is worth nothing; then for the retrievers."""
    return (*_for_the_set(report), *_for_retrieval(report))[:_MOST]


def _for_the_set(report: Report) -> Iterator[str]:
    proof = report.proof
    if proof.is_imported:
        return
    for verifier in proof.verifiers:
        if verifier.verdict == "failed":
            yield f"Judge the set by another verifier: {verifier.name} failed ({verifier.reason})."
    open_hits = [r for r in report.retrievers if r.judged < _HALF_JUDGED and r.means["R@10"] > 0]
    if open_hits and proof.judged_by:
        worst = min(open_hits, key=lambda result: result.judged)
        yield (
            f"Judge what was found: {1 - worst.judged:.0%} of {worst.label}'s first ten have no verdict "
            "(goldgen verify --complete 10 by a chat model; --pool-run for a retriever of your own)."
        )
    for pair in _undecided(report):
        if not pair.is_told_apart and pair.needed and pair.needed.questions > report.questions:
            yield (
                f"Add questions: {pair.needed.questions:,} in all would show {report.delta:g} "
                f"{report.primary} between {pair.better} and {pair.worse} (goldgen synth --sample)."
            )
            break
    if report.clusters < FEW_CLUSTERS:
        yield f"Sample more documents: the questions come from {report.clusters}, and 20 is little."
    if proof.judged_by and not proof.trusted:
        yield "Read a random sample, for only people know the set's error rate (goldgen review --sample 50)."
    if proof.judged_by and "log" not in report.by_origin:
        yield "Add real queries, the hardest part of a set (goldgen logs add FILE)."


def _undecided(report: Report) -> list[PairedDifference]:
    """The pair of the two best, then the others."""
    best = {result.label for result in _by_mean(report)[:2]}
    return sorted(report.differences, key=lambda pair: {pair.better, pair.worse} != best)


def _for_retrieval(report: Report) -> Iterator[str]:
    for result in report.retrievers:
        if result.missing:
            yield (
                f"See why {result.label} finds nothing for {_questions(result.missing)} "
                f"of {report.questions:,}: they count 0."
            )
    best = _by_mean(report)[0]
    ranks = [outcome.first_gold[best.label] for outcome in report.outcomes]
    beyond = sum(rank is not None and rank > 10 for rank in ranks)
    never = sum(rank is None for rank in ranks)
    if beyond:
        yield (
            f"Rerank deeper or return more: for {_questions(beyond)} {best.label} has its first gold only "
            "beyond rank 10."
        )
    if never:
        example = next(o.question_id for o in report.outcomes if o.first_gold[best.label] is None)
        yield (
            f"Look at what {best.label} never finds: {_questions(never)} without gold among its first "
            f"results (goldgen why {example} looks at one)."
        )
    weak = next((s for s in report.weak_slices if s.retriever == best.label), None)
    if weak and weak.rest is not None and weak.rest - weak.mean >= _WEAK:
        yield (
            f"Look at the weakest kind for {best.label}: {weak.trait} {weak.value}, {weak.mean:.3f} "
            f"{report.primary} over {weak.questions} questions against {weak.rest:.3f} elsewhere."
        )
    found = best.similarity
    auc = found.auc_near_miss if found and found.near_miss.count >= _ENOUGH else None
    if auc is not None and auc < _TELLS:
        yield (
            f"Do not cut {best.label}'s results by a score: a gold chunk scores above a near miss only "
            f"{auc:.0%} of the time."
        )


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _by_mean(report: Report) -> list[RetrieverResult]:
    return sorted(report.retrievers, key=lambda result: -result.means[report.primary])
