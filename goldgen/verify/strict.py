"""A second look at what a first judge calls gold, for candidates of which few answer."""

from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt
from goldgen.text.quotes import is_substantial
from goldgen.types import GOLD, AnsweredPart, Chat, ChatRequest, Judgment, Question
from goldgen.verify.chat_judge import shown
from goldgen.verify.evidence import find_evidence
from goldgen.verify.judging import Judge, Passage

_MAX_TOKENS = 400


class SecondLook(BaseModel):
    """The reply. What is missing comes first, so that it is looked for before the verdict."""

    missing: list[str] = Field(json_schema_extra={"maxItems": 3})
    quote: str = Field(json_schema_extra={"maxLength": 300})
    complete: bool


@dataclass(frozen=True, slots=True)
class StrictJudge:
    """Implements ``Judge``: gold is what ``first`` calls gold and a differently worded question confirms.

    That question is asked only then. Without an answer to it the pair is unjudged.
    """

    first: Judge
    chat: Chat
    prompt: Prompt

    @property
    def name(self) -> str:
        return self.first.name

    async def judge(self, question: Question, passage: Passage) -> Judgment:
        verdict = await self.first.judge(question, passage)
        if verdict.grade != GOLD or passage.must_not_answer:
            return verdict
        reply = await self.chat.ask(self.request(question, passage))
        keys = f"{verdict.call_key} {reply.key}"
        if reply.value is None:
            cause = reply.failure.kind if reply.failure else "unparsed"
            return Judgment(question.id, passage.id, self.name, reason=cause, call_key=keys)
        if problem := _problem(reply.value, passage, verdict.answer):
            return replace(verdict, grade=GOLD - 1, reason=problem, call_key=keys)
        return replace(verdict, call_key=keys)

    def request(self, question: Question, passage: Passage) -> ChatRequest[SecondLook]:
        """What is asked about a pair that the first judge calls gold."""
        messages = self.prompt.render(shown(question, passage))
        return ChatRequest("verify_strict", messages, SecondLook, self.prompt.hash, _MAX_TOKENS)


def _problem(look: SecondLook, passage: Passage, answer: str) -> str:
    """Why the second look does not confirm the first; empty if it does."""
    if look.missing or not look.complete:
        return "a second look finds something missing"
    evidence = find_evidence(passage, [AnsweredPart("", True, look.quote)])
    if evidence.stretch is None:
        return "the quote of the second look is not in the passage"
    if not is_substantial(evidence.parts[0].quote, answer):
        return "the quote of the second look says too little"
    return ""
