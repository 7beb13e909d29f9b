"""A chat model as judge: one structured verdict a pair, its evidence checked by code."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt, delimited
from goldgen.text.deixis import points_away
from goldgen.types import GOLD, AnsweredPart, Chat, ChatRequest, Judgment, Question
from goldgen.verify.evidence import (
    CONTRADICTION,
    Evidence,
    contradict,
    find_evidence,
    lacks_a_number,
    parts_problem,
)
from goldgen.verify.judging import Passage

_MAX_TOKENS = 500
_REPEAT_TEMPERATURE = 0.7
"""Of a question asked again: at 0 the same model would give the same vote."""


class PartVerdict(BaseModel):
    """One part of the question. The quote comes before the verdict on it, which it is to bear out."""

    part: str = Field(json_schema_extra={"maxLength": 120})
    quote: str = Field(json_schema_extra={"maxLength": 300})
    answered: bool


class Verdict(BaseModel):
    """The reply. The parts come first, so that the conditions are looked at before the grade."""

    parts: list[PartVerdict] = Field(json_schema_extra={"maxItems": 4})
    answer: str = Field(json_schema_extra={"maxLength": 200})
    standalone: bool
    grade: int = Field(ge=0, le=3)


@dataclass(frozen=True, slots=True)
class ChatJudge:
    """Implements ``Judge``. Fails closed: no verdict means unjudged, a quote that is not there no gold.

    Judges that differ in ``repeat`` ask the same model independently.
    """

    chat: Chat
    prompt: Prompt
    repeat: int = 0

    @property
    def name(self) -> str:
        return self.chat.model

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        reply = await self.chat.ask(self.request(question, passage))
        if reply.value is None:
            cause = reply.failure.kind if reply.failure else "unparsed"
            return Judgment(question.id, passage.id, self.name, reason=cause, call_key=reply.key)
        verdict = reply.value
        parts = [AnsweredPart(item.part, item.answered, item.quote) for item in verdict.parts]
        evidence = find_evidence(passage, parts)
        standalone = verdict.standalone and not points_away(question.text)
        grade, reason = _checked_grade(verdict, evidence, question, passage, standalone=standalone)
        start, end = passage.evidence_span(*evidence.stretch) if evidence.stretch else (None, None)
        return Judgment(
            question_id=question.id,
            target_id=passage.id,
            judge=self.name,
            grade=grade,
            document_id=passage.document_id,
            quote=passage.text[slice(*evidence.stretch)] if evidence.stretch else "",
            start=start,
            end=end,
            standalone=standalone,
            reason=reason,
            call_key=reply.key,
            answer=verdict.answer,
            parts=evidence.parts,
        )

    def request(self, question: Question, passage: Passage) -> ChatRequest[Verdict]:
        """What is asked for one pair. The generator's answer and quote are not shown to the judge."""
        return ChatRequest(
            "verify",
            self.prompt.render(shown(question, passage)),
            Verdict,
            self.prompt.hash,
            _MAX_TOKENS,
            temperature=_REPEAT_TEMPERATURE if self.repeat else 0.0,
            repeat=self.repeat,
        )


def shown(question: Question, passage: Passage) -> dict[str, str]:
    """What a judge sees of a pair: two delimited texts."""
    return {
        "passage": delimited("passage", passage.full_text),
        "question": delimited("question", question.text),
    }


def _checked_grade(
    verdict: Verdict, evidence: Evidence, question: Question, passage: Passage, *, standalone: bool
) -> tuple[int, str]:
    """The grade after code has looked, and why it is lower than the model's if it is."""
    if verdict.grade < GOLD or passage.must_not_answer:
        return verdict.grade, ""
    if not standalone:
        return GOLD - 1, "not understandable on its own"
    if problem := parts_problem(evidence, verdict.answer):
        return GOLD - 1, problem
    if lacks_a_number(verdict.answer, question.text, passage, evidence):
        return GOLD - 1, "the answer has a number that its evidence does not give"
    quotes = [part.quote for part in evidence.parts]
    if question.answer and contradict(question.answer, verdict.answer, quotes):
        return GOLD - 1, CONTRADICTION
    return GOLD, ""
