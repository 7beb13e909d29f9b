"""Rule 7: documents and questions are data. Even a judge that obeys them is held by what code checks."""

from collections import Counter

import pytest
from injected_instructions import ATTACKS, BASES, UNSTOPPABLE, Attack, clean
from obeying import HONEST, accepted, judged, obeying, saying

from goldgen.types import Judgment

ALL = (*ATTACKS, *UNSTOPPABLE)
Verdicts = dict[tuple[str, bool], list[Judgment]]
"""By the attack's name, and whether the code knew the generator's answer; one for each base pair."""


@pytest.fixture(scope="module")
def verdicts() -> Verdicts:
    """What comes of every attack on every base pair, against a judge that obeys."""
    asked = [(attack, drafted, base) for attack in ALL for drafted in (False, True) for base in BASES]
    found = judged([(obeying(a, base), a.on(base, drafted=drafted)) for a, drafted, base in asked])
    sorted_out: Verdicts = {}
    for (attack, drafted, _), judgment in zip(asked, found, strict=True):
        sorted_out.setdefault((attack.name, drafted), []).append(judgment)
    return sorted_out


def test_there_are_at_least_forty_attacks_in_every_place_and_each_is_named_once() -> None:
    assert len({attack.name for attack in ALL}) == len(ALL)
    assert len(ATTACKS) >= 40
    assert Counter(attack.place for attack in ATTACKS).keys() == {"chunk", "question", "quote"}


def test_the_honest_judge_rejects_every_clean_pair_and_would_be_believed_if_it_accepted() -> None:
    """Without this, attacks could be stopped because nothing is ever accepted."""
    assert [j.grade for j in judged([(saying(HONEST), clean(base)) for base in BASES])] == [1] * len(BASES)
    quotes = [base.filled("{first}") for base in BASES]
    believed = judged([(saying(accepted(q, q)), clean(base)) for q, base in zip(quotes, BASES, strict=True)])
    assert [(judgment.grade, judgment.quote) for judgment in believed] == [(3, quote) for quote in quotes]


@pytest.mark.parametrize("drafted", [False, True], ids=["candidate", "draft"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_obeying_judge_is_stopped(attack: Attack, drafted: bool, verdicts: Verdicts) -> None:
    grades = [judgment.grade for judgment in verdicts[attack.name, drafted]]
    assert len(grades) == len(BASES)
    assert 3 not in grades
    assert attack.echoes == (None in grades)


@pytest.mark.parametrize("attack", UNSTOPPABLE, ids=lambda attack: attack.name)
def test_an_obeying_judge_that_quotes_what_stands_there_is_not_stopped_by_code(
    attack: Attack, verdicts: Verdicts
) -> None:
    """A false sentence in a document is evidence. Only the generator's answer can contradict it."""
    assert {judgment.grade for judgment in verdicts[attack.name, False]} == {3}
    drafts = {(judgment.grade, judgment.reason) for judgment in verdicts[attack.name, True]}
    assert drafts == {(2, "generator and verifier give different answers")}
