"""A judge without a chat model: the best window of two sentences, scored by a PairScorer.

It knows gold from not gold and no grades between: below its threshold the grade is 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from goldgen.text.quotes import find_quote, states
from goldgen.text.sentences import heading_above, windows
from goldgen.types import GOLD, Judgment, PairScorer, Question
from goldgen.verify.judging import Passage


@dataclass(frozen=True, slots=True)
class BestWindow:
    """The window of a passage that answers best: its span in the text, and its score."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    """Implements ``Judge``. Gold needs the threshold and, where the generator named evidence, the
    generator's quote within the best window and its answer within that quote.
    """

    scorer: PairScorer
    threshold: float
    by_document: Mapping[str, float] = field(default_factory=dict[str, float])
    """Thresholds for questions of these documents, set without their controls."""

    @property
    def name(self) -> str:
        return self.scorer.name

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        best = best_window(self.scorer, question.text, passage)
        if best is None:
            return Judgment(question.id, passage.id, self.name, grade=0, reason="the passage has no sentence")
        grade, reason = self._grade(question, passage, best)
        start, end = passage.evidence_span(best.start, best.end)
        return Judgment(
            question_id=question.id,
            target_id=passage.id,
            judge=self.name,
            grade=grade,
            document_id=passage.document_id,
            quote=passage.text[best.start : best.end],
            start=start,
            end=end,
            score=best.score,
            reason=reason,
        )

    def _grade(self, question: Question, passage: Passage, best: BestWindow) -> tuple[int, str]:
        if best.score < self.by_document.get(question.document_id or "", self.threshold):
            return 0, "best window below the threshold"
        if not question.quote:
            return GOLD, ""
        span = find_quote(passage.text, question.quote)
        if span is None or not states(question.quote, question.answer):
            return 0, "the generator's evidence is not in the passage"
        if not (best.start <= span[0] and span[1] <= best.end):
            return 0, "the best window is not the generator's evidence"
        return GOLD, ""


def best_window(scorer: PairScorer, question: str, passage: Passage) -> BestWindow | None:
    """The best window of the text, the first of equals, each read under its headings.

    None if the text has no sentence but headings.
    """
    spans = windows(passage.text)
    if not spans:
        return None
    texts = [
        "\n".join(
            part
            for part in (passage.context, heading_above(passage.text, start), passage.text[start:end])
            if part
        )
        for start, end in spans
    ]
    scores = scorer.score(question, texts)
    best = int(scores.argmax())
    return BestWindow(*spans[best], float(scores[best]))
