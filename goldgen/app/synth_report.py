"""What a run of synth made, by stage."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldgen.app.counting import CallCounts, CountedChat
from goldgen.app.drawing import Drawn
from goldgen.app.loading import CorpusReport
from goldgen.synth import LITERAL, ChunkNearMisses, ChunkQuestions


@dataclass(frozen=True, slots=True)
class StyleCount:
    """Questions of one style."""

    style: str
    asked: int
    kept: int


@dataclass(frozen=True, slots=True)
class SynthReport:
    """What a run of synth made, by stage."""

    corpus: CorpusReport
    chunks_skipped: Mapping[str, int]
    """Chunks that are no ground for a question, by reason."""
    chunks_asked: int
    questions_asked: int
    questions: int
    questions_rejected: Mapping[str, int]
    calls_failed: Mapping[str, int]
    near_misses: int
    near_misses_by_edit: Mapping[str, int]
    near_misses_rejected: Mapping[str, int]
    generator: str
    calls: CallCounts
    styles: tuple[StyleCount, ...] = ()
    rewritten: int = 0
    """Questions reworded because they took over too much of their chunk."""
    literal: int = 0
    """Questions that still do, and are flagged."""
    replaced: int = 0
    """Questions of earlier runs that gave way to another wording of theirs."""
    stood: int = 0
    """New wordings left out, because an older one has a verdict."""
    near_duplicates: int = 0
    """Questions of the whole set that another one in nearly the same words stands for."""
    uncovered_documents: int | None = None
    """How many documents without a question were asked about; None unless that was the aim."""
    uncovered_sections: int | None = None
    """The same for sections of other documents."""

    @property
    def reasons(self) -> str:
        """Why nothing came, most frequent reason first."""
        counts = Counter(self.calls_failed) + Counter(self.questions_rejected) + Counter(self.chunks_skipped)
        return (
            "; ".join(f"{count} {reason}" for reason, count in counts.most_common()) or "no chunk was drawn"
        )


def synth_report(
    drawn: Drawn,
    drafted: Sequence[ChunkQuestions],
    missed: Sequence[ChunkNearMisses],
    chat: CountedChat,
) -> SynthReport:
    near_misses = [item for outcome in missed for item in outcome.near_misses]
    return SynthReport(
        corpus=drawn.corpus,
        chunks_skipped=dict(drawn.skipped),
        chunks_asked=len(drafted),
        questions_asked=sum(outcome.asked for outcome in drafted),
        questions=sum(len(outcome.questions) for outcome in drafted),
        questions_rejected=dict(Counter(item.reason for outcome in drafted for item in outcome.rejections)),
        calls_failed=dict(Counter(outcome.failure for outcome in drafted if outcome.failure)),
        near_misses=len(near_misses),
        near_misses_by_edit=dict(Counter(item.edit for item in near_misses)),
        near_misses_rejected=dict(Counter(item.reason for outcome in missed for item in outcome.rejections)),
        generator=chat.model,
        calls=chat.counts,
        styles=_style_counts(drafted),
        rewritten=sum(outcome.rewritten for outcome in drafted),
        literal=sum(LITERAL in question.flags for outcome in drafted for question in outcome.questions),
        replaced=sum(len(outcome.replaced) for outcome in drafted),
        stood=sum(outcome.stood for outcome in drafted),
        uncovered_documents=drawn.documents,
        uncovered_sections=drawn.sections,
    )


def _style_counts(drafted: Sequence[ChunkQuestions]) -> tuple[StyleCount, ...]:
    asked = Counter(style for outcome in drafted for style in outcome.styles)
    kept = Counter(question.style for outcome in drafted for question in outcome.questions)
    return tuple(StyleCount(style, asked[style], kept[style]) for style in sorted(asked))
