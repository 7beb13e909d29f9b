from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome
from rankings import judged, ranking

from goldgen.evaluation.failures import Failure, Instead, failures, never_found
from goldgen.evaluation.report import QuestionOutcome
from goldgen.types import Hit, JudgedQuestion, Ranking

Ranks = Mapping[str, int | None]
RANKS = st.sampled_from([None, 1, 2, 10, 11, 50])


def outcomes(ranks: Mapping[str, Ranks]) -> list[QuestionOutcome]:
    """``ranks``: question to retriever to the rank of its best gold."""
    return [outcome(question, first_gold=first_gold) for question, first_gold in ranks.items()]


def found(ranks: Mapping[str, Ranks], *, k: int = 10) -> tuple[Failure, ...]:
    """The failures, without hits."""
    runs: dict[str, dict[str, Ranking]] = {
        retriever: {} for first_gold in ranks.values() for retriever in first_gold
    }
    questions = [judged({"g": 3}, question) for question in ranks]
    return failures(outcomes(ranks), runs, questions, k=k)


def test_a_failure_says_who_lost_who_won_and_what_came_instead() -> None:
    question = judged({"gold": 3, "part": 2, "off": 0}, "q")
    runs = {"bm25": {"q": ranking("part", "new", "off", "last")}, "dense": {"q": ranking("gold")}}
    given = outcomes({"q": {"bm25": None, "dense": 1}})
    assert failures(given, runs, [question]) == (
        Failure(
            "q",
            "bm25",
            ("dense",),
            "never retrieved",
            None,
            (
                Instead("part", 1, 0.0, "near miss", 2),
                Instead("new", 2, -1.0, "unjudged", None),
                Instead("off", 3, -2.0, "irrelevant", 0),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("threshold", "kinds"),
    [(3, ["gold", "near miss", "near miss"]), (2, ["gold", "gold", "near miss"]), (1, ["gold"] * 3)],
)
def test_the_threshold_says_what_is_gold(threshold: float, kinds: list[str]) -> None:
    question = judged({"three": 3, "two": 2, "one": 1}, "q")
    runs = {"a": {"q": ranking("three", "two", "one")}, "b": {"q": ()}}
    lost = failures(outcomes({"q": {"a": 2, "b": 1}}), runs, [question], k=1, threshold=threshold)
    assert [hit.kind for hit in lost[0].instead] == kinds


def test_gold_beyond_k_is_told_from_gold_that_was_never_retrieved() -> None:
    beyond, never = found({"q1": {"a": 11, "b": 1}, "q2": {"a": None, "b": 10}})
    assert (beyond.question_id, beyond.cause, beyond.rank) == ("q1", "beyond k", 11)
    assert (never.question_id, never.cause, never.rank) == ("q2", "never retrieved", None)


@pytest.mark.parametrize("ranks", [{"a": 1, "b": 10}, {"a": 1}, {}])
def test_what_all_win_is_no_failure(ranks: Ranks) -> None:
    assert found({"q": ranks}) == ()


def test_what_nobody_wins_comes_last_the_nearest_to_k_first() -> None:
    lost = found({"never": {"a": None}, "late": {"a": 40}, "near": {"a": 11}})
    assert [(failure.question_id, failure.won_by) for failure in lost] == [
        ("near", ()),
        ("late", ()),
        ("never", ()),
    ]
    both = found({"nobody": {"a": None, "b": 12}, "won": {"a": None, "b": 9}})
    assert [failure.question_id for failure in both] == ["won", "nobody", "nobody"]


def test_the_most_telling_comes_first() -> None:
    ranks: dict[str, Ranks] = {
        "lost to rank 3": {"a": None, "b": 3, "c": None},
        "late and lost to rank 1": {"a": 20, "b": 1, "c": 9},
        "lost to rank 1": {"a": None, "b": 1, "c": 1},
        "later and lost to rank 1": {"a": 40, "b": 2, "c": 1},
        "lost to rank 2": {"a": None, "b": 2, "c": 9},
    }
    own = [failure for failure in found(ranks) if failure.lost_by == "a"]
    assert [(failure.question_id, failure.won_by) for failure in own] == [
        ("lost to rank 1", ("b", "c")),
        ("later and lost to rank 1", ("c", "b")),
        ("late and lost to rank 1", ("b", "c")),
        ("lost to rank 2", ("b", "c")),
        ("lost to rank 3", ("b",)),
    ]


def test_of_equals_what_more_retrievers_win_comes_first_then_the_order_given() -> None:
    ranks: dict[str, Ranks] = {
        "one wins": {"a": None, "b": 1, "c": 11},
        "another": {"a": None, "b": 1, "c": 11},
        "both win": {"a": None, "b": 1, "c": 1},
    }
    own = [failure.question_id for failure in found(ranks) if failure.lost_by == "a"]
    assert own == ["both win", "one wins", "another"]


def test_retrievers_take_turns_so_that_the_best_has_its_failures_told_too() -> None:
    weak: dict[str, Ranks] = {f"w{place}": {"strong": 1, "weak": None} for place in range(60)}
    told = found(weak | {"s": {"strong": 12, "weak": 5}})[:5]
    assert [failure.question_id for failure in told] == ["w0", "s", "w1", "w2", "w3"]


def test_hits_are_put_in_order_and_told_once() -> None:
    given: Ranking = (Hit("low", 1.0), Hit("high", 2.0), Hit("low", 0.5))
    runs: dict[str, dict[str, Ranking]] = {"a": {"q": given}, "b": {}}
    lost = failures(outcomes({"q": {"a": None, "b": 1}}), runs, [judged({"g": 3}, "q")])
    assert [(hit.chunk_id, hit.rank) for hit in lost[0].instead] == [("high", 1), ("low", 2)]


def test_an_empty_ranking_has_nothing_instead() -> None:
    assert found({"q": {"a": None, "b": 1}})[0].instead == ()


def test_questions_that_no_retriever_answers_are_named_in_order() -> None:
    ranks: dict[str, Ranks] = {
        "z": {"a": None, "b": None},
        "won": {"a": None, "b": 10},
        "a": {"a": 11, "b": None},
    }
    assert never_found(outcomes(ranks)) == ("z", "a")
    assert never_found(outcomes(ranks), k=11) == ("z",)


@given(
    st.dictionaries(st.text("pqr", min_size=1, max_size=3), st.tuples(RANKS, RANKS, RANKS), max_size=12),
    st.sampled_from([1, 2, 10]),
)
def test_every_loss_is_told_once(rows: dict[str, tuple[int | None, ...]], k: int) -> None:
    ranks: dict[str, Ranks] = {question: dict(zip("abc", row, strict=True)) for question, row in rows.items()}
    won = {
        question: {name for name, rank in of.items() if rank and rank <= k} for question, of in ranks.items()
    }
    lost = {(question, name) for question, names in won.items() for name in {*"abc"} - names}
    everything = found(ranks, k=k)
    assert len(everything) == len(lost)
    assert {(failure.question_id, failure.lost_by) for failure in everything} == lost
    assert all(set(failure.won_by) == won[failure.question_id] for failure in everything)
    assert set(never_found(outcomes(ranks), k=k)) == {
        question for question, names in won.items() if not names
    }


def test_questions_are_found_by_their_ids() -> None:
    questions = [JudgedQuestion("q2", "d", {"x": 1}), JudgedQuestion("q1", "d", {"x": 0})]
    runs: dict[str, dict[str, Ranking]] = {"a": {"q1": ranking("x"), "q2": ranking("x")}, "b": {}}
    lost = failures(outcomes({"q1": {"a": None, "b": 1}, "q2": {"a": None, "b": 2}}), runs, questions)
    assert [failure.instead[0].kind for failure in lost] == ["irrelevant", "near miss"]
