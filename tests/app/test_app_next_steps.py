"""What to do next, from the figures of a report; each is checked where it stands in a sentence."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from gated_reports import proof, report, verifier

from goldgen.app.next_steps import next_steps
from goldgen.evaluation import (
    PairedDifference,
    QuestionsNeeded,
    Report,
    RetrieverResult,
    Similarity,
    Slice,
)
from goldgen.evaluation.similarity import ScoreClass

NDCG = "nDCG@10"
WEAK = Slice("dense", "style", "why", 12, 9, 0.412, 0.3, 0.5, 0.838)


def finished() -> Report:
    """60 questions of 30 documents on which nothing is left to do; dense is the best, hybrid the second."""
    values = {"bm25": 0.5, "dense": 0.8, "hybrid": 0.7}
    of_set = replace(
        proof(verifier("judge", "proven"), judged_by=["judge"]),
        trusted=(1, 50),
        trusted_interval=(0.01, 0.1),
    )
    measured = {label: {NDCG: [mean] * 60, "R@10": [mean] * 60} for label, mean in values.items()}
    made = report(measured, of_set=of_set)
    return replace(made, by_origin={"synthetic": 50, "log": 10})


def with_results(made: Report, *changed: RetrieverResult) -> Report:
    new = {result.label: result for result in changed}
    return replace(made, retrievers=tuple(new.get(result.label, result) for result in made.retrievers))


def judged(made: Report, **shares: float) -> Report:
    known = {result.label: result for result in made.retrievers}
    return with_results(made, *(replace(known[label], judged=share) for label, share in shares.items()))


def apart(better: str, worse: str, needed: int | None, *, p: float = 0.4) -> PairedDifference:
    size = QuestionsNeeded(needed, 30, 1.0, 0.03) if needed else None
    return PairedDifference(better, worse, 0.1, 0.02, 0.2, p, few_clusters=False, needed=size)


def ranked(made: Report, ranks: Sequence[int | None], label: str = "dense") -> Report:
    """The first gold of the first questions at these ranks, in one retriever."""
    changed = [
        replace(outcome, first_gold={**outcome.first_gold, label: rank})
        for outcome, rank in zip(made.outcomes, ranks, strict=False)
    ]
    return replace(made, outcomes=(*changed, *made.outcomes[len(changed) :]))


def told(made: Report, label: str, auc: float | None, *, near_misses: int = 10) -> Report:
    """One retriever's scores part gold from so many near misses so far."""
    gold, near = (ScoreClass(count, (count,), 0.5) for count in (60, near_misses))
    found = Similarity((0.0, 1.0), gold, near, gold, auc, 0.99, None, None, ())
    of_label = next(result for result in made.retrievers if result.label == label)
    return with_results(made, replace(of_label, similarity=found))


def everything() -> Report:
    """A set and a retriever that leave all to do."""
    made = judged(ranked(told(finished(), "dense", 0.6), [1, 11, None]), bm25=0.5)
    failed = proof(verifier("judge", "failed", "it says yes"), judged_by=["judge"])
    return replace(
        made,
        proof=failed,
        by_origin={"synthetic": 60},
        clusters=12,
        slices=(WEAK,),
        differences=(apart("dense", "hybrid", 400),),
    )


def test_nothing_is_advised_where_nothing_is_left_to_do() -> None:
    assert next_steps(finished()) == ()


def test_a_failed_verifier_comes_first_with_its_reason() -> None:
    verifiers = (verifier("old", "proven"), verifier("judge", "failed", "it says yes"))
    made = replace(everything(), proof=replace(everything().proof, verifiers=verifiers))
    assert next_steps(made)[0] == "Judge the set by another verifier: judge failed (it says yes)."


def test_the_retriever_with_most_unjudged_hits_is_named_with_their_share() -> None:
    (step,) = next_steps(judged(finished(), bm25=0.79, dense=0.62, hybrid=0.8))
    assert step.startswith("Judge what was found: 38% of dense's first ten have no verdict (goldgen verify")
    assert next_steps(judged(finished(), bm25=0.8)) == ()
    by_people = replace(finished(), proof=replace(finished().proof, judged_by=()))
    assert next_steps(judged(by_people, dense=0.62)) == ()
    (bm25, *_) = judged(finished(), bm25=0.1).retrievers
    finds_nothing = replace(bm25, means={NDCG: 0.0, "R@10": 0.0})
    assert next_steps(with_results(finished(), finds_nothing)) == ()


@pytest.mark.parametrize(
    ("differences", "pair"),
    [
        ((apart("dense", "bm25", 900), apart("dense", "hybrid", 1400)), ("1,400", "dense and hybrid")),
        ((apart("dense", "hybrid", 1400, p=0.01), apart("dense", "bm25", 61)), ("61", "dense and bm25")),
        ((apart("dense", "hybrid", 60), apart("dense", "bm25", None)), None),
    ],
)
def test_questions_are_asked_for_by_the_best_pair_that_is_open(
    differences: tuple[PairedDifference, ...], pair: tuple[str, str] | None
) -> None:
    steps = next_steps(replace(finished(), differences=differences))
    if pair is None:
        assert steps == ()
        return
    needed, names = pair
    assert steps == (
        f"Add questions: {needed} in all would show 0.03 nDCG@10 between {names} (goldgen synth --sample).",
    )


def test_documents_a_sample_and_real_queries_are_asked_for_where_they_lack() -> None:
    made = finished()
    assert next_steps(replace(made, clusters=20)) == ()
    assert next_steps(replace(made, clusters=19)) == (
        "Sample more documents: the questions come from 19, and 20 is little.",
    )
    assert next_steps(replace(made, proof=replace(made.proof, trusted=None))) == (
        "Read a random sample, for only people know the set's error rate (goldgen review --sample 50).",
    )
    assert next_steps(replace(made, by_origin={"synthetic": 60})) == (
        "Add real queries, the hardest part of a set (goldgen logs add FILE).",
    )
    by_people = replace(made.proof, judged_by=(), trusted=None)
    assert next_steps(replace(made, proof=by_people, by_origin={"manual": 60})) == ()


def test_gold_beyond_ten_and_gold_never_found_are_counted_for_the_best_retriever() -> None:
    made = ranked(finished(), [1, 2, 10, 11, 50, None, None, None])
    assert next_steps(ranked(made, [30] * 60, "bm25")) == (
        "Rerank deeper or return more: for 2 questions dense has its first gold only beyond rank 10.",
        "Look at what dense never finds: 3 questions without gold among its first results "
        "(goldgen why q5 looks at one).",
    )
    assert next_steps(ranked(finished(), [11, None])) == (
        "Rerank deeper or return more: for 1 question dense has its first gold only beyond rank 10.",
        "Look at what dense never finds: 1 question without gold among its first results "
        "(goldgen why q1 looks at one).",
    )


def test_questions_without_a_hit_are_counted_for_each_retriever() -> None:
    bm25, dense, _ = finished().retrievers
    made = with_results(finished(), replace(bm25, missing=1), replace(dense, missing=7))
    assert next_steps(made) == (
        "See why bm25 finds nothing for 1 question of 60: they count 0.",
        "See why dense finds nothing for 7 questions of 60: they count 0.",
    )


def test_the_weakest_kind_of_the_best_retriever_is_named_with_its_figures() -> None:
    of_another = replace(WEAK, retriever="bm25", mean=0.1)
    assert next_steps(replace(finished(), slices=(of_another, WEAK, replace(WEAK, value="how")))) == (
        "Look at the weakest kind for dense: style why, 0.412 nDCG@10 over 12 questions against 0.838 "
        "elsewhere.",
    )
    assert next_steps(replace(finished(), slices=(replace(WEAK, mean=0.75, high=0.8),))) == ()


def test_a_score_that_hardly_parts_gold_from_near_misses_is_no_threshold() -> None:
    assert next_steps(told(finished(), "dense", 0.654)) == (
        "Do not cut dense's results by a score: a gold chunk scores above a near miss only 65% of the time.",
    )
    for label, auc in (("dense", 0.8), ("dense", None), ("bm25", 0.5)):
        assert next_steps(told(finished(), label, auc)) == ()
    assert next_steps(told(finished(), "dense", 0.5, near_misses=9)) == ()


def test_the_set_comes_before_the_retrievers_and_six_steps_are_enough() -> None:
    assert [step.split()[0] for step in next_steps(everything())] == [
        "Judge", "Judge", "Add", "Sample", "Read", "Add",
    ]  # fmt: skip


def test_an_imported_set_is_left_as_it_came() -> None:
    made = everything()
    imported = replace(made, proof=replace(made.proof, is_imported=True))
    assert [step.split()[0] for step in next_steps(imported)] == ["Rerank", "Look", "Look", "Do"]


def test_a_slice_is_weak_if_all_its_interval_lies_below_enough_other_questions() -> None:
    strong = [
        replace(WEAK, trait="difficulty", value="some"),
        replace(WEAK, questions=56),
        replace(WEAK, high=0.838),
        replace(WEAK, rest=None),
    ]
    just = replace(WEAK, value="how", questions=55, high=0.837)
    assert replace(finished(), slices=(strong[0], WEAK, *strong[1:], just)).weak_slices == (WEAK, just)
