"""Whether code finds in a passage what a judge says that it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from goldgen.text.quotes import find_quote, is_substantial, numbers, says_something, states
from goldgen.text.sentences import heading_above
from goldgen.types import AnsweredPart
from goldgen.verify.judging import Passage

CONTRADICTION = "generator and verifier give different answers"
"""The reason of a verdict lowered for it."""
Span = tuple[int, int]
"""Offsets in a passage's text, end exclusive."""
_MOST_PLACES = 20
"""Of one quote: what stands more often says too little anyway."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The parts of a question with what was found of their quotes."""

    parts: tuple[AnsweredPart, ...]
    """In the judge's order; each quote verbatim from the passage, empty if it is not there."""
    stretch: Span | None
    """The shortest stretch that holds what was found for the answered parts; None if nothing was."""


def find_evidence(passage: Passage, parts: Sequence[AnsweredPart]) -> Evidence:
    """Look up the quote of every part in the passage's own text; its context alone is no evidence."""
    places = [list(islice(_places(passage, part.quote), _MOST_PLACES)) for part in parts]
    found = tuple(
        AnsweredPart(part.part, part.answered, passage.text[slice(*spans[0])] if spans else "")
        for part, spans in zip(parts, places, strict=True)
    )
    answered = [spans for part, spans in zip(parts, places, strict=True) if part.answered and spans]
    return Evidence(found, _shortest_stretch(answered))


def parts_problem(evidence: Evidence, answer: str) -> str:
    """Why the parts do not bear a full answer out; empty if they do."""
    if not any(part.part.strip() for part in evidence.parts):
        return "no part of the question is named"
    if not all(part.answered for part in evidence.parts):
        return "a part of the question is not answered"
    if not all(part.quote for part in evidence.parts):
        return "the quote is not in the passage"
    if not all(is_substantial(part.quote, answer) for part in evidence.parts):
        return "the quote says too little"
    return ""


def contradict(generated: str, judged: str, quotes: Sequence[str]) -> bool:
    """Neither answer holds the other, nor does a quote hold the generator's: by words and numbers.

    A shorter answer agrees only if it says something, and has a number where the generator's has one. Where
    each answer has a number that the other has not, a quote does not settle it: it may hold both values.
    """
    ours, theirs = _digits(generated), _digits(judged)
    may_settle = ours <= theirs or theirs <= ours
    shorter = says_something(judged) and (bool(numbers(judged)) or not numbers(generated))
    return not (
        states(judged, generated)
        or (shorter and states(generated, judged))
        or (may_settle and any(states(quote, generated) for quote in quotes))
    )


def lacks_a_number(answer: str, question: str, passage: Passage, evidence: Evidence) -> bool:
    """Whether an answer has a number that neither the evidence nor the question gives.

    The evidence gives those of its quotes, of the headings above them and of the passage's context. Elsewhere
    in the passage a number may be that of another thing. Groups of digits are compared without what parts
    them: 5,000 is 5000.
    """
    text = passage.text
    quotes = [part.quote for part in evidence.parts if part.quote]
    headings = [heading_above(text, text.find(quote)) for quote in quotes]
    given = "\n".join((question, passage.context, *_contexts(passage), *quotes, *headings))
    return not _digits(answer) <= _digits(given)


def _contexts(passage: Passage) -> list[str]:
    """The contexts that stand between the texts of an evidence set's chunks."""
    ends = [0, *(end for _, end in passage.quotable)]
    return [passage.text[end:start] for end, (start, _) in zip(ends, passage.quotable, strict=False)]


def _digits(text: str) -> frozenset[str]:
    return frozenset("".join(filter(str.isdigit, number)) for number in numbers(text))


def _places(passage: Passage, quote: str) -> Iterator[Span]:
    """Everywhere that the quote stands, in order."""
    for start, end in passage.quotable or ((0, len(passage.text)),):
        while found := find_quote(passage.text[start:end], quote):
            yield start + found[0], start + found[1]
            start += found[1]


def _shortest_stretch(places: Sequence[Sequence[Span]]) -> Span | None:
    """The shortest stretch with one span of each part, the first of equals."""
    stretches: list[Span] = []
    for start in sorted({span[0] for spans in places for span in spans}):
        ends = [[span[1] for span in spans if span[0] >= start] for spans in places]
        if all(ends):
            stretches.append((start, max(min(of_part) for of_part in ends)))
    return min(stretches, key=lambda span: span[1] - span[0], default=None)
