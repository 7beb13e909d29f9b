"""CASES 25: bad golds are planted among good ones, and the lenient verifier says yes to all of them.

So whatever is caught is caught by code. What only a judge can tell is planted too and must be seen to pass:
the controls of the run, which such a verifier fails, are there for it.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from obeying import accepted, judged, saying

from goldgen.types import Question
from goldgen.verify import Passage

PLANS = ("Basic", "Team", "Pro", "Gold")
PARTS = ("exports", "alerts", "backups", "reports", "tickets", "images")


class Fact:
    """A page about one part in one plan, with a good question about it."""

    def __init__(self, part: str, plan: str, days: int) -> None:
        self.part, self.plan, self.days = part, plan, days
        self.kept = f"In the {plan} plan, {part} are kept for {days} days after the project ends."
        self.who = f"Only owners may delete {part} in the {plan} plan before that."
        self.shown = f"The console lists all {part} by their age."
        self.text = f"{self.kept} {self.who}\n\n{self.shown}"
        self.answer = f"{days} days"

    @property
    def question(self) -> Question:
        asked = f"How long are {self.part} kept in the {self.plan} plan?"
        key = f"{self.part}-{self.plan}"
        return Question(f"q-{key}", asked, "synthetic", "fact", key, "d", self.answer, self.kept)

    @property
    def passage(self) -> Passage:
        return Passage(f"{self.part}-{self.plan}", self.text, f"{self.part} > {self.plan}", "d")


FACTS = [
    Fact(part, plan, 20 + 7 * row + 31 * column)
    for row, part in enumerate(PARTS)
    for column, plan in enumerate(PLANS)
]
OTHERS = [*FACTS[5:], *FACTS[:5]]
"""For each fact one of another part and another plan."""


Planted = tuple[Question, Passage, str, str]
"""With the verifier's quote and answer."""


def good(fact: Fact, _: Fact) -> Planted:
    return fact.question, fact.passage, fact.kept, fact.answer


def wrong_chunk(fact: Fact, other: Fact) -> Planted:
    """Believed for the generator's quote, which stands elsewhere."""
    return fact.question, other.passage, fact.kept, fact.answer


def wrong_chunk_quoted(fact: Fact, other: Fact) -> Planted:
    """Believed for what the wrong chunk says."""
    return fact.question, other.passage, other.kept, other.answer


def answer_deleted(fact: Fact, _: Fact) -> Planted:
    left = f"{fact.who}\n\n{fact.shown}"
    return fact.question, replace(fact.passage, text=left), fact.kept, fact.answer


def answer_deleted_quoted(fact: Fact, _: Fact) -> Planted:
    """Believed for a sentence that is left, with an answer read from it."""
    left = f"{fact.who}\n\n{fact.shown}"
    return fact.question, replace(fact.passage, text=left), fact.who, "until owners delete them"


def invented_quote(fact: Fact, _: Fact) -> Planted:
    return (
        fact.question,
        fact.passage,
        f"All {fact.part} stay for {fact.answer}, whatever happens.",
        fact.answer,
    )


def invented_tail(fact: Fact, _: Fact) -> Planted:
    quote = fact.kept.replace("after the project ends.", "and at no further cost.")
    return fact.question, fact.passage, quote, fact.answer


def empty_quote(fact: Fact, _: Fact) -> Planted:
    return fact.question, fact.passage, "", fact.answer


def elided_across_paragraphs(fact: Fact, _: Fact) -> Planted:
    quote = f"In the {fact.plan} plan, {fact.part} are kept … by their age."
    return fact.question, fact.passage, quote, fact.answer


def not_standalone(fact: Fact, _: Fact) -> Planted:
    asked = f"According to the section above, how long are {fact.part} kept?"
    return replace(fact.question, text=asked), fact.passage, fact.kept, fact.answer


def contradicting_answer(fact: Fact, _: Fact) -> Planted:
    """The generator misread the number."""
    drafted = replace(fact.question, answer=f"{fact.days + 1} days")
    return drafted, fact.passage, fact.kept, fact.answer


def other_plans_number(fact: Fact, _: Fact) -> Planted:
    """The generator has another plan's number, and the chunk holds both plans."""
    place = FACTS.index(fact)
    twin = FACTS[place - 1 if place % len(PLANS) else place + 1]
    both = replace(fact.passage, text=f"{twin.kept} {fact.kept}")
    return replace(fact.question, answer=twin.answer), both, fact.kept, fact.answer


def other_plans_answer(fact: Fact, _: Fact) -> Planted:
    """Generator and verifier both read the other plan's sentence."""
    place = FACTS.index(fact)
    twin = FACTS[place - 1 if place % len(PLANS) else place + 1]
    both = replace(fact.passage, text=f"{twin.kept} {twin.who}")
    return replace(fact.question, answer=twin.answer, quote=twin.kept), both, twin.kept, twin.answer


CAUGHT: tuple[Callable[[Fact, Fact], Planted], ...] = (
    wrong_chunk,
    wrong_chunk_quoted,
    answer_deleted,
    answer_deleted_quoted,
    invented_quote,
    invented_tail,
    empty_quote,
    elided_across_paragraphs,
    not_standalone,
    contradicting_answer,
    other_plans_number,
)
MISSED = (other_plans_answer,)
"""Evidence that stands there and agrees with the generator, under a condition that nobody asked for."""


@pytest.fixture(scope="module")
def grades() -> dict[str, Counter[int | None]]:
    """How often each kind got which grade."""
    kinds = (good, *CAUGHT, *MISSED)
    planted = [(kind.__name__, kind(*facts)) for kind in kinds for facts in zip(FACTS, OTHERS, strict=True)]
    verdicts = judged([(saying(accepted(*said)), (asked, at)) for _, (asked, at, *said) in planted])
    found: dict[str, Counter[int | None]] = {kind.__name__: Counter() for kind in kinds}
    for (kind, _), verdict in zip(planted, verdicts, strict=True):
        found[kind][verdict.grade] += 1
    return found


def test_the_catch_rate_is_reported_and_only_what_a_judge_alone_can_tell_is_missed(
    grades: dict[str, Counter[int | None]], record_property: Callable[[str, object], None]
) -> None:
    caught = {kind: 1 - counts[3] / counts.total() for kind, counts in grades.items() if kind != "good"}
    lines = ["| planted | caught by code alone |", "|---|---|"]
    lines += [f"| {kind.replace('_', ' ')} | {share:.0%} of {len(FACTS)} |" for kind, share in caught.items()]
    sys.stdout.write("\n".join(["", *lines, ""]))
    for kind, share in caught.items():
        record_property(f"caught {kind}", share)
    assert caught == {plant.__name__: 1 for plant in CAUGHT} | {plant.__name__: 0 for plant in MISSED}


def test_no_good_gold_is_lost_to_the_same_checks(grades: dict[str, Counter[int | None]]) -> None:
    assert grades["good"] == {3: len(FACTS)}


def test_a_bad_gold_is_rejected_and_not_left_unjudged(grades: dict[str, Counter[int | None]]) -> None:
    assert not any(counts[None] for counts in grades.values())
