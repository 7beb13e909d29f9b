"""Near misses: minimally edited twins of a chunk that do not answer one named question of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from goldgen.prompts import Prompt, delimited
from goldgen.synth.conditions import ConditionFinder, Swap, is_a_name, mentions, replaced
from goldgen.synth.dates import date_is_whole, keeps_order
from goldgen.synth.drafts import Rejection
from goldgen.synth.fluency import removal_problem, swap_problem
from goldgen.synth.names import name_stands_alone
from goldgen.text import fold, stable_id
from goldgen.text.quotes import states, without_answer
from goldgen.types import Chat, ChatRequest, Chunk, NearMiss, Question

MAX_TOKENS = 60


class Choice(BaseModel):
    """The reply: the number of a change, or 0 for none."""

    change: int


@dataclass(frozen=True, slots=True)
class ChunkNearMisses:
    """What came of one chunk's questions."""

    chunk: Chunk
    near_misses: tuple[NearMiss, ...] = ()
    rejections: tuple[Rejection, ...] = ()


class NearMissWriter:
    """Code proposes changes of a condition and checks them; the model only chooses the one that fits.

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
        with_swaps = [(question, self._sound_swaps(question, chunk)) for question in questions]
        for question, swaps in sorted(with_swaps, key=lambda pair: not pair[1]):
            if len(made) == self._per_chunk:
                break
            outcome = await self._changed(chunk, question, swaps) if swaps else None
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            if not isinstance(outcome, NearMiss):
                outcome = self._answer_removed(chunk, question)
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            elif any(outcome.full_text == other.full_text for other in made):
                rejections.append(Rejection(question.text, chunk.id, "another near miss says just this"))
            else:
                made.append(outcome)
        return ChunkNearMisses(chunk, tuple(made), tuple(rejections))

    def _sound_swaps(self, question: Question, chunk: Chunk) -> list[Swap]:
        return [swap for swap in self._finder.swaps(question, chunk) if _is_sound(swap, question, chunk)]

    async def _changed(self, chunk: Chunk, question: Question, swaps: Sequence[Swap]) -> NearMiss | Rejection:
        reply = await self._chat.ask(self._request(chunk, question, swaps))
        if reply.value is None:
            return Rejection(question.text, chunk.id, reply.failure.kind if reply.failure else "unparsed")
        if not 0 < reply.value.change <= len(swaps):
            return Rejection(question.text, chunk.id, "no change fits")
        swap = swaps[reply.value.change - 1]
        text = replaced(chunk.text, swap.before, swap.after)
        if self._finder.has_text(text):
            return Rejection(question.text, chunk.id, "another chunk says just this")
        return NearMiss(
            id=stable_id(question.id, text),
            question_id=question.id,
            chunk_id=chunk.id,
            text=text,
            context=replaced(chunk.context, swap.before, swap.after),
            edit=swap.kind,
            before=swap.before,
            after=swap.after,
            model=self._chat.model,
            call_key=reply.key,
        )

    def _answer_removed(self, chunk: Chunk, question: Question) -> NearMiss | Rejection:
        text = without_answer(chunk.text, question.answer, question.quote)
        if text is None or states(f"{chunk.context}\n\n{text}", question.answer):
            return Rejection(question.text, chunk.id, "too little is left without the answer")
        problem = removal_problem(chunk.text, text)
        if not problem and self._finder.has_text(text):
            problem = "another chunk says just this"
        if problem:
            return Rejection(question.text, chunk.id, problem)
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

    def _request(self, chunk: Chunk, question: Question, swaps: Sequence[Swap]) -> ChatRequest[Choice]:
        changes = "\n".join(f"{n}. {swap.before} → {swap.after}" for n, swap in enumerate(swaps, 1))
        messages = self._prompt.render(
            {
                "passage": delimited("passage", chunk.full_text),
                "question": delimited("question", question.text),
                "answer": delimited("answer", question.answer),
                "changes": delimited("changes", changes),
            }
        )
        return ChatRequest("near_miss", messages, Choice, self._prompt.hash, MAX_TOKENS)


def _is_sound(swap: Swap, question: Question, chunk: Chunk) -> bool:
    """Whether the change takes the condition wholly out of the chunk and leaves the answer in it."""
    if is_a_name(swap.kind, swap.before) and not name_stands_alone(chunk.full_text, swap.before):
        return False
    if swap.kind == "date" and not all(date_is_whole(t, swap.before) for t in (question.text, chunk.text)):
        return False
    changed = replaced(chunk.full_text, swap.before, swap.after)
    gone = fold(swap.before) not in fold(changed)
    kept_apart = not mentions(swap.after, swap.before) and not states(swap.after, question.answer)
    # What the chunk says of the new case already would be contradicted.
    is_new = not mentions(chunk.full_text, swap.after) and keeps_order(chunk.text, swap.before, swap.after)
    reads_well = not swap_problem(changed, swap.after)
    return gone and kept_apart and is_new and reads_well and states(changed, question.answer)
