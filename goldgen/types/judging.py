"""Judgments, controls and what they prove."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

GOLD = 3
"""The grade that says: answers fully."""

ControlKind = Literal["answer_deleted", "same_document", "neighbour", "easy"]
Proof = Literal["proven", "unproven", "failed"]
JudgeKind = Literal["verifier", "human"]


@dataclass(frozen=True, slots=True)
class AnsweredPart:
    """One part of a question, and whether the judged text answers it."""

    part: str
    answered: bool
    quote: str = ""
    """Verbatim from the judged text; empty if none was given or code did not find it there."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade of one text (chunk or near miss) for one question; ``grade`` None means unjudged."""

    question_id: str
    target_id: str
    """The id of a chunk, a near miss or an evidence set."""
    judge: str
    judge_kind: JudgeKind = "verifier"
    grade: int | None = None
    document_id: str | None = None
    """Where the evidence stands; None for a near miss, which is in no document."""
    quote: str = ""
    """The evidence: the shortest stretch of the text that holds the quotes of all parts."""
    start: int | None = None
    """Character offsets of the quote in the document, end exclusive."""
    end: int | None = None
    standalone: bool = True
    score: float | None = None
    """Of a judge with scores, which parts gold from not gold and has no grades between."""
    reason: str = ""
    call_key: str = ""
    """The keys of all calls that it rests on, in order, parted by spaces; empty for a judge without calls."""
    answer: str = ""
    """The short answer that the judge read in the text."""
    parts: tuple[AnsweredPart, ...] = ()
    votes: tuple[int | None, ...] = ()
    """The grade of each vote, None for one without a verdict; empty if the judge was asked once."""
    sampled: bool = False
    """A human's verdict on a pair drawn at random from the accepted: only these tell the set's error rate."""

    @property
    def pair(self) -> tuple[str, str]:
        """What was judged: ids of the question and of the text."""
        return self.question_id, self.target_id

    @property
    def is_disputed(self) -> bool:
        """Whether the votes differ on what counts: gold or not."""
        return len({vote == GOLD for vote in self.votes if vote is not None}) > 1


@dataclass(frozen=True, slots=True)
class Control:
    """A pair with a verdict known by construction: the text must not get grade 3."""

    id: str
    question_id: str
    kind: ControlKind
    document_id: str
    text: str
    context: str
    grade: int | None = None
    score: float | None = None
    reason: str = ""

    @property
    def full_text(self) -> str:
        """What is judged: context and text, as for a chunk."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """One question of the golden set with the grades of its chunks (chunk id to grade 0-3).

    Chunks that are not named are unjudged.
    """

    question_id: str
    cluster: str
    grades: Mapping[str, float]
    sets: tuple[tuple[str, ...], ...] = ()
    """Evidence sets of several chunks that answer only together; their chunks have grade 3 too."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """A chunk that a retriever proposed for a question, so that it is judged."""

    question_id: str
    chunk_id: str
    source: str
    """The retriever's name."""
    rank: int
    """From 1."""
    depth: int
    """How many results were asked of the retriever for this question; it may have had fewer."""
