"""A judge without a chat model: the window of two sentences that most probably answers.

It knows gold from not gold and no grades between: below its threshold the grade is 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from goldgen.text.quotes import find_quote, states
from goldgen.text.sentences import heading_above, windows
from goldgen.text.words import shared_stems
from goldgen.types import GOLD, Judgment, PairScorer, Question
from goldgen.verify.calibration import UNREACHABLE
from goldgen.verify.judging import Passage
from goldgen.verify.signals import AnswerModel, Blend, Signals

_TOO_FEW_CONTROLS = (
    "no threshold is strict enough: too few controls, and more drafts (a larger --sample) give more"
)


@dataclass(frozen=True, slots=True)
class BestWindow:
    """The window of a passage that answers best: its span in the text, and the probability that it does."""

    start: int
    end: int
    score: float


class SecondOpinion(Protocol):
    """A chat model asked for one word."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str:
        """Of what it is asked."""
        ...

    def log_odds(self, question: str, text: str) -> float:
        """log P(yes) - log P(no) that ``text`` answers fully. Raises ModelError if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class AnswerScorer:
    """How probably a passage answers, by its best window.

    What the generator proposed as the answer is no signal: controls are made by taking it out of a text, and
    would be told by that alone. It is left to ``evidence_problem``.
    """

    scorer: PairScorer
    model: AnswerModel = field(default_factory=AnswerModel.packaged)
    second: "SecondOpinion | None" = None
    """A chat model's, on the whole passage; it moves the probability and not which window is best."""
    blend: Blend = field(default_factory=Blend)

    @property
    def name(self) -> str:
        return f"{self.scorer.name} + {self.second.name}" if self.second else self.scorer.name

    @property
    def digest(self) -> str:
        """Of all that a probability depends on; those of two digests are not comparable."""
        return f"{self.model.digest} + {self.second.digest}" if self.second else self.model.digest

    def best_window(self, question: str, passage: Passage) -> BestWindow | None:
        """The first of equals; None if the text has no sentence but headings."""
        read = self.read(question, passage)
        if read is None:
            return None
        spans, signals = read
        probabilities = self.model.probabilities(signals)
        best = int(probabilities.argmax())
        probability = float(probabilities[best])
        if self.second:
            probability = self.blend.probability(
                probability, self.second.log_odds(question, passage.full_text)
            )
        return BestWindow(*spans[best], probability)

    def read(self, question: str, passage: Passage) -> tuple[list[tuple[int, int]], Signals] | None:
        """The spans of the windows and their signals.

        The late interaction of a window is the mean of that alone and that under its headings: on drafts for
        four corpora this parted gold from its controls better than each by itself.
        """
        spans: list[tuple[int, int]] = []
        above: list[str] = []
        for context, first, last in _texts(passage):
            text = passage.text[first:last]
            for start, end in windows(text):
                spans.append((first + start, first + end))
                above.append("\n".join(filter(None, (context, heading_above(text, start)))))
        if not spans:
            return None
        alone = [passage.text[start:end] for start, end in spans]
        under = ["\n".join(filter(None, pair)) for pair in zip(above, alone, strict=True)]
        late = (self.scorer.score(question, alone) + self.scorer.score(question, under)) / 2
        in_windows = np.array([shared_stems(question, text) for text in alone])
        return spans, Signals(late, in_windows, shared_stems(question, passage.full_text))


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    """Implements ``Judge``. Gold needs the threshold and, where the generator named evidence, the
    generator's quote within the best window and its answer within that quote. A threshold beyond every score
    rejects nothing: the pair stays unjudged.
    """

    scorer: AnswerScorer
    threshold: float
    by_document: Mapping[str, float] = field(default_factory=dict[str, float])
    """Thresholds for questions of these documents, set without their controls."""

    @property
    def name(self) -> str:
        return self.scorer.name

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        if self.threshold >= UNREACHABLE:
            return Judgment(question.id, passage.id, self.name, reason=_TOO_FEW_CONTROLS)
        best = self.scorer.best_window(question.text, passage)
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
        problem = evidence_problem(question, passage, best)
        return (0, problem) if problem else (GOLD, "")


def evidence_problem(question: Question, passage: Passage, best: BestWindow) -> str:
    """Why the generator's evidence, if it named any, does not bear the best window out; empty if it does."""
    if not question.quote:
        return ""
    span = find_quote(passage.text, question.quote)
    if span is None or not states(question.quote, question.answer):
        return "the generator's evidence is not in the passage"
    if not (best.start <= span[0] and span[1] <= best.end):
        return "the best window is not the generator's evidence"
    return ""


def _texts(passage: Passage) -> Iterator[tuple[str, int, int]]:
    """What evidence may come from, each with its context, which in a set stands before its chunk's text."""
    if not passage.quotable:
        yield passage.context, 0, len(passage.text)
    before = 0
    for start, end in passage.quotable:
        yield passage.text[before:start].strip(), start, end
        before = end
