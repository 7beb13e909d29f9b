"""A check of a gate, as continuous integration is told of it."""

from dataclasses import dataclass

from goldgen.evaluation.gate import Decision, Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a gate asked, and the answer."""

    subject: str
    """A retriever by its label, or "the set"."""
    name: str
    """What was asked, such as "nDCG@10 against main.json"."""
    verdict: Verdict
    sentence: str
    """The answer with its figures, in one line."""
    questions: int = 0
    """How many it rests on; 0 for a check of the set."""
    decision: Decision | None = None
    """The mean, its one-sided bounds and the floor; None for a check of the set."""
    questions_needed: int | None = None
    """Of an open check: the questions that would tell a loss of the margin; None where that is not known, or
    where there are as many already."""
