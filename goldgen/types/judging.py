"""Judgments, controls and what they prove."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

GOLD = 3
"""The grade that says: answers fully."""

ControlKind = Literal["answer_deleted", "same_document", "easy"]
Proof = Literal["proven", "unproven", "failed"]
JudgeKind = Literal["verifier", "human"]


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade of one text (chunk or near miss) for one question; ``grade`` None means unjudged."""

    question_id: str
    target_id: str
    """A chunk id or a near-miss id."""
    judge: str
    judge_kind: JudgeKind = "verifier"
    grade: int | None = None
    document_id: str | None = None
    """Where the evidence stands; None for a near miss, which is in no document."""
    quote: str = ""
    start: int | None = None
    """Character offsets of the quote in the document, end exclusive."""
    end: int | None = None
    standalone: bool = True
    score: float | None = None
    reason: str = ""
    call_key: str = ""


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
