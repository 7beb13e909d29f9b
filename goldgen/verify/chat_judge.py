"""A chat model as judge: one structured verdict a pair, its quote checked by code."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt, delimited
from goldgen.text.quotes import find_quote, is_substantial, numbers, says_something, states
from goldgen.types import GOLD, Chat, ChatRequest, Judgment, Question
from goldgen.verify.judging import Passage

_MAX_TOKENS = 500


class Verdict(BaseModel):
    """The reply. The parts come first, so that the conditions are looked at before the grade."""

    parts: list[str] = Field(json_schema_extra={"maxItems": 5})
    quote: str = Field(json_schema_extra={"maxLength": 400})
    answer: str = Field(json_schema_extra={"maxLength": 200})
    standalone: bool
    grade: int = Field(ge=0, le=3)


@dataclass(frozen=True, slots=True)
class ChatJudge:
    """Implements ``Judge``. Fails closed: no verdict means unjudged, a quote that is not there no gold."""

    chat: Chat
    prompt: Prompt

    @property
    def name(self) -> str:
        return self.chat.model

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        reply = await self.chat.ask(self.request(question, passage))
        if reply.value is None:
            cause = reply.failure.kind if reply.failure else "unparsed"
            return Judgment(question.id, passage.id, self.name, reason=cause, call_key=reply.key)
        verdict = reply.value
        span = find_quote(passage.text, verdict.quote)
        grade, reason = _checked_grade(verdict, question, passage, span)
        start, end = passage.evidence_span(*span) if span else (None, None)
        return Judgment(
            question_id=question.id,
            target_id=passage.id,
            judge=self.name,
            grade=grade,
            document_id=passage.document_id,
            quote=passage.text[span[0] : span[1]] if span else "",
            start=start,
            end=end,
            standalone=verdict.standalone,
            reason=reason,
            call_key=reply.key,
        )

    def request(self, question: Question, passage: Passage) -> ChatRequest[Verdict]:
        """What is asked for one pair. The generator's answer and quote are not shown to the judge."""
        messages = self.prompt.render(
            {
                "passage": delimited("passage", passage.full_text),
                "question": delimited("question", question.text),
            }
        )
        return ChatRequest("verify", messages, Verdict, self.prompt.hash, _MAX_TOKENS)


def _checked_grade(
    verdict: Verdict, question: Question, passage: Passage, span: tuple[int, int] | None
) -> tuple[int, str]:
    """The grade after code has looked, and why it is lower than the model's if it is."""
    if verdict.grade < GOLD or passage.must_not_answer:
        return verdict.grade, ""
    if not verdict.standalone:
        return GOLD - 1, "not understandable on its own"
    if span is None:
        return GOLD - 1, "the quote is not in the passage"
    quote = passage.text[span[0] : span[1]]
    if not is_substantial(quote, verdict.answer):
        return GOLD - 1, "the quote says too little"
    if question.answer and _contradict(question.answer, verdict.answer, quote):
        return GOLD - 1, "generator and verifier give different answers"
    return GOLD, ""


def _contradict(generated: str, judged: str, quote: str) -> bool:
    """Neither answer holds the other, nor does the quote hold the generator's: by words and numbers.

    A shorter answer agrees only if it says something, and has a number where the generator's has one.
    """
    shorter = says_something(judged) and (bool(numbers(judged)) or not numbers(generated))
    agree = states(judged, generated) or (shorter and states(generated, judged)) or states(quote, generated)
    return not agree
