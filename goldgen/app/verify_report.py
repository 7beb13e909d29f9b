"""What a run of verify found."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.app.counting import CallCounts
from goldgen.app.labelling import LabelReport
from goldgen.app.pairs import Verdicts, draft_verdict
from goldgen.types import GOLD, Chunk, Judgment, NearMiss, Question
from goldgen.verify import Calibration, ThresholdRow, VerifierProof
from goldgen.verify.trusted import TrustedFigure


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """What became of the drafts. ``drafts`` = ``accepted`` + those ``rejected`` + those ``unjudged``."""

    drafts: int
    accepted: int
    rejected: Mapping[str, int]
    """Drafts judged and not accepted, by reason."""
    unjudged: Mapping[str, int]
    """Drafts without a verdict, by cause; the next run tries them again."""

    @property
    def judged(self) -> int:
        return self.accepted + sum(self.rejected.values())

    @classmethod
    def of(cls, questions: Sequence[Question], chunks: Sequence[Chunk], verdicts: Verdicts) -> "DraftCounts":
        by_id = {chunk.id: chunk for chunk in chunks}
        rejected, unjudged = Counter[str](), Counter[str]()
        accepted = 0
        for question in questions:
            verdict = draft_verdict(question, by_id, verdicts)
            if verdict is None:
                unjudged["its chunk is no longer in the corpus"] += 1
            elif verdict.grade is None:
                unjudged[verdict.reason] += 1
            elif verdict.grade < GOLD:
                rejected[verdict.reason or "does not answer"] += 1
            else:
                accepted += 1
        return cls(len(questions), accepted, dict(rejected), dict(unjudged))


@dataclass(frozen=True, slots=True)
class NearMissCounts:
    """What the verifier says of near misses, which are not to answer their question."""

    near_misses: int
    kept: int
    """Judged not to answer."""
    unjudged: int

    @classmethod
    def of(cls, near_misses: Sequence[NearMiss], verdicts: Verdicts) -> "NearMissCounts":
        found: list[Judgment | None] = [verdicts.get((item.question_id, item.id)) for item in near_misses]
        grades = [verdict.grade if verdict else None for verdict in found]
        unjudged = grades.count(None)
        return cls(len(grades), len(grades) - unjudged - grades.count(GOLD), unjudged)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What a run of verify found."""

    verifier: str
    relation: str
    """To the generator: "other", "same family" or "same model"."""
    drafts: int
    accepted: int
    rejected: Mapping[str, int]
    """Drafts judged and not accepted, by reason."""
    unjudged: Mapping[str, int]
    """Drafts without a verdict, by cause; the next run tries them again."""
    questions: int
    """Verified questions of the set, after merging those that are worded alike."""
    merged: int
    """Questions merged into these."""
    near_misses: int
    near_misses_kept: int
    near_misses_unjudged: int
    votes: int
    """How often the verifier was asked about each pair."""
    disputed: int
    """Pairs of the set on which its votes differ and no human has decided yet."""
    labels: LabelReport
    """Of log queries and, where labels were completed, of drafts."""
    proof: VerifierProof
    trusted: TrustedFigure | None
    """The share of wrong golds by people who read accepted pairs at random; None without such a sample."""
    calibration: Calibration | None
    """Of the embedded judge; None for a chat model."""
    thresholds: tuple[ThresholdRow, ...]
    """What other thresholds would do; empty for a judge without scores, or with too few controls."""
    calls: CallCounts
