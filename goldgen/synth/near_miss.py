"""Near misses: minimally edited twins of a chunk that do not answer one named question of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt, delimited
from goldgen.synth.conditions import Condition, ConditionFinder, mentions, replaced, same_kind
from goldgen.synth.questions import Rejection
from goldgen.text import fold, stable_id
from goldgen.text.quotes import states, without_answer
from goldgen.types import Chat, ChatRequest, Chunk, NearMiss, Question

_MAX_TOKENS = 80
_LONGEST_REPLACEMENT = 60


class ConditionChange(BaseModel):
    """The reply: which term to change (0: none) and into what."""

    term: int
    replacement: str = Field(json_schema_extra={"maxLength": _LONGEST_REPLACEMENT})


@dataclass(frozen=True, slots=True)
class ChunkNearMisses:
    """What came of one chunk's questions."""

    chunk: Chunk
    near_misses: tuple[NearMiss, ...] = ()
    rejections: tuple[Rejection, ...] = ()


class NearMissWriter:
    """Code proposes the conditions and checks the edit; the model only chooses and names a replacement.

    Where no condition can be changed, the sentences with the answer are removed instead.
    """

    def __init__(self, chat: Chat, prompt: Prompt, finder: ConditionFinder, per_chunk: int) -> None:
        self._chat = chat
        self._prompt = prompt
        self._finder = finder
        self._per_chunk = per_chunk

    async def write(self, chunk: Chunk, questions: Sequence[Question]) -> ChunkNearMisses:
        """Up to ``per_chunk`` near misses, each for one question; questions with conditions come first."""
        made: list[NearMiss] = []
        rejections: list[Rejection] = []
        with_conditions = [(question, self._finder.find(question, chunk)) for question in questions]
        for question, conditions in sorted(with_conditions, key=lambda pair: not pair[1]):
            if len(made) == self._per_chunk:
                break
            outcome = await self._changed(chunk, question, conditions) if conditions else None
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            if not isinstance(outcome, NearMiss):
                outcome = _answer_removed(chunk, question)
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            else:
                made.append(outcome)
        return ChunkNearMisses(chunk, tuple(made), tuple(rejections))

    async def _changed(
        self, chunk: Chunk, question: Question, conditions: Sequence[Condition]
    ) -> NearMiss | Rejection:
        reply = await self._chat.ask(self._request(chunk, question, conditions))
        if reply.value is None:
            return Rejection(question.text, chunk.id, reply.failure.kind if reply.failure else "unparsed")
        index, replacement = reply.value.term, reply.value.replacement.strip().strip("`\"'")
        if not 0 < index <= len(conditions):
            return Rejection(question.text, chunk.id, "no term is a condition")
        condition = conditions[index - 1]
        problem = _edit_problem(condition, replacement, question, chunk)
        if problem:
            return Rejection(f"{condition.term} → {replacement}", chunk.id, problem)
        text = replaced(chunk.text, condition.term, replacement)
        return NearMiss(
            id=stable_id(question.id, text),
            question_id=question.id,
            chunk_id=chunk.id,
            text=text,
            context=replaced(chunk.context, condition.term, replacement),
            edit=condition.kind,
            before=condition.term,
            after=replacement,
            model=self._chat.model,
            call_key=reply.key,
        )

    def _request(
        self, chunk: Chunk, question: Question, conditions: Sequence[Condition]
    ) -> ChatRequest[ConditionChange]:
        lines: list[str] = []
        for number, condition in enumerate(conditions, 1):
            known = f" (elsewhere: {', '.join(condition.others)})" if condition.others else ""
            lines.append(f"{number}. {condition.term}{known}")
        messages = self._prompt.render(
            {
                "passage": delimited("passage", chunk.full_text),
                "question": delimited("question", question.text),
                "answer": delimited("answer", question.answer),
                "terms": "\n".join(lines),
            }
        )
        return ChatRequest("near_miss", messages, ConditionChange, self._prompt.hash, _MAX_TOKENS)


def _edit_problem(condition: Condition, replacement: str, question: Question, chunk: Chunk) -> str:
    """Why an edit is not made; empty if it is."""
    if not replacement or fold(replacement) == fold(condition.term):
        return "an empty change"
    if "\n" in replacement or not same_kind(condition.kind, condition.term, replacement):
        return "the replacement is of another kind"
    if mentions(question.text, replacement) or mentions(replacement, condition.term):
        return "the replacement keeps the question's condition"
    if states(replacement, question.answer) or fold(replacement) in fold(question.answer):
        return "the replacement is the answer"
    changed = replaced(chunk.full_text, condition.term, replacement)
    if fold(condition.term) in fold(changed):
        return "the condition still stands in the text"
    if not states(changed, question.answer):
        return "the edit touches the answer"
    return ""


def _answer_removed(chunk: Chunk, question: Question) -> NearMiss | Rejection:
    text = without_answer(chunk.text, question.answer, question.quote)
    if text is None or states(chunk.context, question.answer):
        return Rejection(question.text, chunk.id, "too little is left without the answer")
    return NearMiss(
        id=stable_id(question.id, text),
        question_id=question.id,
        chunk_id=chunk.id,
        text=text,
        context=chunk.context,
        edit="answer_removed",
        before=question.quote,
        after="",
    )
