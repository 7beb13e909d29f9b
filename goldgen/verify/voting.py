"""Several independent votes on a pair."""

from dataclasses import dataclass, replace
from statistics import median_low

from goldgen.types import GOLD, Judgment, Question
from goldgen.verify.judging import Judge, Passage


@dataclass(frozen=True, slots=True)
class VotingJudge:
    """Implements ``Judge``: gold is what more than half of all votes call gold.

    Otherwise the grade is the median of the votes, the lower of two middle ones. Where votes without a
    verdict could turn the outcome, the pair stays unjudged. The judgment names the calls of all votes.
    """

    judges: tuple[Judge, ...]

    @property
    def name(self) -> str:
        return " + ".join(dict.fromkeys(judge.name for judge in self.judges))

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        votes = [await judge.judge(question, passage) for judge in self.judges]
        deciding = _deciding(votes)
        grades = tuple(vote.grade for vote in votes)
        keys = " ".join(vote.call_key for vote in votes if vote.call_key)
        judgment = replace(deciding, judge=self.name, votes=grades, call_key=keys)
        if judgment.is_disputed and judgment.grade is not None:
            golds = grades.count(GOLD)
            return replace(judgment, reason=f"votes disagree: {golds} of {len(grades)} for gold")
        return judgment


def _deciding(votes: list[Judgment]) -> Judgment:
    """The vote that speaks for all."""
    needed = len(votes) // 2 + 1
    golds = [vote for vote in votes if vote.grade == GOLD]
    missing = [vote for vote in votes if vote.grade is None]
    if len(golds) >= needed:
        return golds[0]
    if len(golds) + len(missing) >= needed:
        return missing[0]
    # Most votes are below gold here, and so is their median.
    grade = median_low([vote.grade for vote in votes if vote.grade is not None])
    return next(vote for vote in votes if vote.grade == grade)
