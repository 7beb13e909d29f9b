"""Agreement beyond chance, checked by hand-worked tables and against scikit-learn."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.types import Judgment
from goldgen.types.judging import JudgeKind
from goldgen.verify.agreement import (
    PROPOSED,
    UNBLINDED,
    AgainstPeople,
    Agreement,
    JudgeName,
    against_people,
    agreements,
    in_dispute,
    is_overruled,
)
from goldgen.verify.evidence import CONTRADICTION

GRADE = st.integers(0, 3)


def said(
    judge: str, grades: Sequence[int | None], kind: JudgeKind = "human", *, sampled: bool = False
) -> list[Judgment]:
    """A verdict a question, on one chunk each."""
    return [
        Judgment(f"q{place:03}", "c", judge, kind, grade=grade, sampled=sampled)
        for place, grade in enumerate(grades)
    ]


def one(judgments: Sequence[Judgment]) -> Agreement:
    (found,) = agreements(judgments)
    return found


def of_table(table: Sequence[Sequence[int]]) -> Agreement:
    """Ann's grade is the row, Bob's the column."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return one(said("ann", [i for i, _ in cells]) + said("bob", [j for _, j in cells]))


def test_kappa_on_gold_of_a_hand_worked_table() -> None:
    # 35 of 50 agree, 25 would by chance: (0.7 - 0.5) / (1 - 0.5).
    found = of_table([[15, 0, 0, 10], [0, 0, 0, 0], [0, 0, 0, 0], [5, 0, 0, 20]])
    assert found.kappa is not None and found.kappa.estimate == pytest.approx(0.4)
    assert found.kappa.interval is not None
    low, high = found.kappa.interval
    # The standard error by the large-sample formula (Fleiss, Cohen and Everitt 1969) is 0.127.
    assert low == pytest.approx(0.4 - 1.96 * 0.127, abs=0.05)
    assert high == pytest.approx(0.4 + 1.96 * 0.127, abs=0.05)
    assert found.same_on_gold.estimate == 0.7
    assert found.confusion == ((15, 0, 0, 10), (0, 0, 0, 0), (0, 0, 0, 0), (5, 0, 0, 20))


def test_weighted_kappa_of_a_hand_worked_table() -> None:
    # Marginals 2 of each grade for both, so by chance each of 16 cells has 0.5 of the 8 pairs.
    # Observed: 4 equal, 4 one grade apart. Linear: chance 0.5 * 20 = 10, so 1 - 4/10.
    # Quadratic: chance 0.5 * 40 = 20, so 1 - 4/20.
    found = of_table([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    assert found.linear is not None and found.linear.estimate == pytest.approx(0.6)
    assert found.quadratic is not None and found.quadratic.estimate == pytest.approx(0.8)
    assert found.linear.interval is None, "eight questions are too few to resample"
    assert found.same_grade.estimate == 0.5


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(GRADE, GRADE), min_size=2, max_size=30))
def test_kappa_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with the extra 'dense'")
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = one(said("ann", first) + said("bob", second))
    for kappa, weights in ((found.linear, "linear"), (found.quadratic, "quadratic")):
        if len({*first, *second}) == 1:
            assert kappa is None
        else:
            theirs = metrics.cohen_kappa_score(first, second, weights=weights, labels=range(4))
            assert kappa is not None and kappa.estimate == pytest.approx(theirs)
    golds = [a == 3 for a in first], [b == 3 for b in second]
    if len({*golds[0], *golds[1]}) == 1:
        assert found.kappa is None
    else:
        assert found.kappa is not None
        assert found.kappa.estimate == pytest.approx(metrics.cohen_kappa_score(*golds))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(GRADE, GRADE), min_size=10, max_size=40))
def test_an_interval_has_a_width_and_is_never_nan(pairs: list[tuple[int, int]]) -> None:
    found = one(said("ann", [a for a, _ in pairs]) + said("bob", [b for _, b in pairs]))
    for kappa in (found.kappa, found.linear, found.quadratic):
        if kappa is not None and kappa.interval is not None:
            low, high = kappa.interval
            assert -1 <= low < high <= 1
        if kappa is not None:
            assert -1 <= kappa.estimate <= 1


def test_one_class_has_no_kappa_and_what_does_not_vary_no_interval() -> None:
    assert of_table([[0] * 4, [0] * 4, [0] * 4, [0, 0, 0, 12]]).kappa is None
    perfect = of_table([[6, 0, 0, 0], [0] * 4, [0] * 4, [0, 0, 0, 6]]).kappa
    assert perfect is not None and (perfect.estimate, perfect.interval) == (1.0, None)
    # Bob calls all gold, so kappa is 0 whatever is drawn.
    constant = of_table([[0, 0, 0, 1], [0] * 4, [0] * 4, [0, 0, 0, 11]]).kappa
    assert constant is not None and (constant.estimate, constant.interval) == (0.0, None)


def test_pairs_of_one_question_widen_the_interval() -> None:
    # The same 40 verdicts, once a question each and once four of a question that agree or differ together.
    table = [(3, 3)] * 16 + [(0, 0)] * 12 + [(3, 0)] * 12

    def verdicts(judge: str, side: int, a_question: int) -> list[Judgment]:
        return [
            Judgment(f"q{n // a_question}", f"c{n}", judge, "human", grade=pair[side])
            for n, pair in enumerate(table)
        ]

    widths: list[float] = []
    for a_question in (1, 4):
        found = one(verdicts("ann", 0, a_question) + verdicts("bob", 1, a_question)).kappa
        assert found is not None and found.interval is not None
        widths.append(found.interval[1] - found.interval[0])
    assert widths[1] > 1.5 * widths[0]


def test_only_common_graded_pairs_count_and_people_come_first() -> None:
    judgments = [
        *said("gpt", [3, 3, 0], "verifier"),
        *said("mini", [3, 0, 0], "verifier"),
        *said("ann", [3, None, 0]),
        *said("bob", [0]),
    ]
    found = agreements(judgments)
    assert [(a.first.name, a.second.name, a.pairs) for a in found] == [
        ("ann", "gpt", 2),
        ("ann", "mini", 2),
        ("bob", "gpt", 1),
        ("bob", "mini", 1),
        ("ann", "bob", 1),
        ("gpt", "mini", 3),
    ]
    assert agreements(said("ann", [3])) == ()


def test_a_person_and_a_model_of_one_name_are_two_judges() -> None:
    found = one(said("sol", [3]) + said("sol", [0], "verifier"))
    assert {found.first, found.second} == {JudgeName("human", "sol"), JudgeName("verifier", "sol")}


def test_a_judge_without_grades_between_is_named() -> None:
    found = one(said("ann", [0, 1, 2, 3]) + said("mini", [0, 0, 3, 3], "verifier"))
    assert found.coarse == (JudgeName("verifier", "mini"),)


def test_a_verifier_against_people() -> None:
    human = [3] * 10 + [0] * 10
    machine = [3] * 8 + [1] * 2 + [0] * 9 + [3]
    (found,) = against_people(said("gpt", machine, "verifier") + said("ann", human))
    assert (found.right_accepted, found.wrong_rejected) == (8, 2)
    assert (found.right_rejected, found.wrong_accepted) == (9, 1)
    assert found.sensitivity is not None and found.sensitivity.estimate == 0.8
    assert found.specificity is not None and found.specificity.estimate == 0.9
    assert found.specificity.low == pytest.approx(0.596, abs=0.001)


@pytest.mark.parametrize("grade", [0, 3])
def test_pairs_picked_by_one_verdict_tell_nothing_of_the_verifier(grade: int) -> None:
    (found,) = against_people(said("gpt", [grade] * 4, "verifier") + said("ann", [3, 3, 0, 0]))
    assert (found.sensitivity, found.specificity) == (None, None)


def test_a_sample_of_the_accepted_is_left_out_of_sensitivity() -> None:
    verifier = said("gpt", [3, 3, 0], "verifier")
    assert against_people(verifier + said("ann", [3, 3, 0], sampled=True)) == ()
    both = verifier + said("ann", [3, 0], sampled=True) + said("bob", [0, 3, 0])
    assert against_people(both) == (AgainstPeople("gpt", 0, 0, 1, 0, None, None),)


def test_a_proposal_is_the_verifiers_gold() -> None:
    machine = said("gpt", [2, 2, 2, 0, 3, 0], "verifier")
    machine[:3] = [replace(judgment, reason=f"{PROPOSED}: not measured") for judgment in machine[:3]]
    people = said("ann", [3, 3, 0, 0, 3, 3])
    (found,) = against_people(machine + people)
    assert (found.right_accepted, found.wrong_accepted) == (3, 1)
    assert (found.right_rejected, found.wrong_rejected) == (1, 1)
    assert one(people + machine).confusion == ((1, 0, 0, 1), (0,) * 4, (0,) * 4, (1, 0, 0, 3))


def test_a_verdict_given_again_after_the_reveal_is_in_no_figure_of_people() -> None:
    machine, people = said("gpt", [3, 0, 0], "verifier"), said("ann", [3, 0, 3])
    blind = agreements(machine + people), against_people(machine + people)
    known = [*people[:2], replace(people[2], reason=f"{UNBLINDED}: sure")]
    assert (agreements(machine + known), against_people(machine + known)) != blind
    assert (agreements(machine + known), against_people(machine + known)) == (
        agreements(machine + people[:2]),
        against_people(machine + people[:2]),
    )


MACHINE, DOUBTS = Judgment("q", "c", "gpt", grade=3), Judgment("q", "c", "gpt", grade=3, votes=(3, 2, 3))
CONTRADICTS = Judgment("q", "c", "gpt", grade=2, reason=CONTRADICTION)
WAITS = Judgment("q", "c", "gpt", grade=2, reason=f"{PROPOSED}: not measured")


def person(grade: int, name: str = "ann") -> Judgment:
    return Judgment("q", "c", name, "human", grade=grade)


@pytest.mark.parametrize(
    ("verdicts", "disputed", "overruled"),
    [
        ([MACHINE], False, False),
        ([DOUBTS], True, False),
        ([CONTRADICTS], True, False),
        ([DOUBTS, person(0)], False, True),
        ([DOUBTS, person(3)], False, False),
        ([CONTRADICTS, person(3)], False, True),
        ([MACHINE, person(1)], False, True),
        ([WAITS, person(3)], False, False),
        ([WAITS, person(2)], False, True),
        ([MACHINE, person(3), person(2, "bob")], True, False),
        ([person(1), person(2, "bob")], False, False),
        ([person(0), replace(MACHINE, grade=None)], False, False),
        ([MACHINE, person(0), Judgment("q", "c", "mini", grade=0)], False, False),
    ],
)
def test_one_person_settles_what_a_verifier_left_open(
    verdicts: list[Judgment], disputed: bool, overruled: bool
) -> None:
    assert (in_dispute(verdicts), is_overruled(verdicts)) == (disputed, overruled)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), GRADE)))
def test_tables_hold_every_common_pair_once(verdicts: list[tuple[str, int, int]]) -> None:
    last = {(judge, question): grade for judge, question, grade in verdicts}
    judgments = [Judgment(f"q{q}", "c", judge, "human", grade=g) for (judge, q), g in last.items()]
    for found in agreements(judgments):
        for i, j in product(range(4), repeat=2):
            common = sum(
                last[found.first.name, q] == i and last.get((found.second.name, q)) == j
                for judge, q in last
                if judge == found.first.name
            )
            assert found.confusion[i][j] == common
