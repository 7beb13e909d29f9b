"""Questions for a chunk: asked of the generator, checked by code, kept with their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, Field, create_model

from goldgen.prompts import Prompt, delimited
from goldgen.synth.checks import DraftChecks
from goldgen.synth.drafts import ChunkQuestions, Rejection
from goldgen.synth.guidance import Guidance
from goldgen.synth.mix import Slot, StyleMix
from goldgen.synth.passage import Passage, numbered
from goldgen.text import fold, stable_id
from goldgen.types import Chat, ChatRequest, Chunk, Question

_TOKENS_A_QUESTION = 160


class DraftQuestion(BaseModel):
    """One entry of the reply. Lengths are hints for the server and not checked here."""

    sentence: int
    """Number of the sentence that holds the answer, as shown in the passage."""
    question: str = Field(json_schema_extra={"maxLength": 200})
    answer: str = Field(json_schema_extra={"maxLength": 160})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of one call or several."""

    questions: tuple[Question, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    pointed_at: tuple[int, ...] = ()
    """Numbers of the sentences that the drafts took."""
    failure: str = ""
    keys: frozenset[str] = frozenset()
    """Of the slots that the questions of the last call fill."""

    def after(self, before: "_Asked") -> "_Asked":
        """Both together."""
        return _Asked(
            before.questions + self.questions,
            before.rejections + self.rejections,
            before.pointed_at + self.pointed_at,
            self.failure,
        )


@lru_cache(maxsize=256)
def drafts_schema(keys: tuple[str, ...]) -> type[BaseModel]:
    """The reply: one entry a slot. A field for each, rather than a list, keeps a weak model to the mix.

    Remembered, because pydantic takes longer to build a model than a call takes otherwise.
    """
    fields: dict[str, Any] = dict.fromkeys(keys, (DraftQuestion, ...))
    return create_model("Questions", **fields)


class QuestionWriter:
    """Asks one chat model for the questions that one chunk is to answer."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        mix: StyleMix,
        per_chunk: int,
        checks: DraftChecks,
        guidance: Guidance,
        drafted: frozenset[str] = frozenset(),
    ) -> None:
        """``drafted``: chunks asked about before, perhaps for another number of questions."""
        self._chat = chat
        self._prompt = prompt
        self._mix = mix
        self._per_chunk = per_chunk
        self._checks = checks
        self._guidance = guidance
        self._drafted = drafted

    async def write(self, chunk: Chunk) -> ChunkQuestions:
        """The questions of one chunk. A failed call is a value; EndpointError ends the run.

        What was asked for before is not asked for again; a larger number a chunk adds further styles.
        """
        before = self._slots(chunk, self._asked_before(chunk))
        missing = self._slots(chunk, self._per_chunk)[len(before) :]
        first = await self._ask_twice(chunk, before, _Asked()) if before else _Asked()
        asked = first if first.failure or not missing else await self._ask_twice(chunk, missing, first)
        styles = tuple(slot.style.name for slot in (*before, *missing))
        return ChunkQuestions(
            chunk,
            len(styles),
            asked.questions,
            asked.rejections,
            asked.failure,
            styles,
            drafts=asked.questions,
        )

    def _asked_before(self, chunk: Chunk) -> int:
        """How many questions of the chunk's mix were asked for when its remembered call was made."""
        if chunk.id not in self._drafted:
            return 0
        numbers = range(max(self._per_chunk, self._mix.styles), 0, -1)
        asked = ((n, slots) for n in numbers if (slots := self._slots(chunk, n)))
        return next((n for n, slots in asked if self._chat.remembers(self.request(chunk, slots))), 0)

    async def _ask_twice(self, chunk: Chunk, slots: Sequence[Slot], before: "_Asked") -> "_Asked":
        """What came before with the questions of further styles.

        Where half of these or more gave none, they are asked for once more, about other sentences. For
        fewer it would cost more a question than a chunk not asked yet.
        """
        first = await self._ask(chunk, slots, before)
        missing = [slot for slot in slots if slot.key not in first.keys]
        if first.failure or 2 * len(missing) < len(slots):
            return first.after(before)
        second = await self._ask(chunk, missing, first.after(before))
        # A style counts once: with what came of its second try, or of the first if that call failed.
        counted = first if second.failure else second
        questions = first.questions + second.questions
        pointed_at = first.pointed_at + second.pointed_at
        return _Asked(questions, counted.rejections, pointed_at).after(before)

    async def _ask(self, chunk: Chunk, slots: Sequence[Slot], before: "_Asked") -> "_Asked":
        request = self.request(chunk, slots, before.pointed_at)
        reply = await self._chat.ask(request)
        if reply.value is None:
            return _Asked(failure=reply.failure.kind if reply.failure else "unparsed")
        passage = Passage.of(chunk.text)
        pointed_at: list[int] = []
        questions: dict[str, Question] = {}
        rejections: list[Rejection] = []
        for slot in slots:
            draft = cast(DraftQuestion, getattr(reply.value, slot.key))
            pointed_at.append(draft.sentence)
            answer, quote = passage.grounded(draft.answer.strip(), draft.sentence)
            question = Question(
                id=stable_id(fold(draft.question), chunk.id),
                text=" ".join(draft.question.split()),
                origin="synthetic",
                style=slot.style.name,
                chunk_id=chunk.id,
                document_id=chunk.document_id,
                answer=answer,
                quote=quote,
                model=self._chat.model,
                prompt_hash=request.prompt_hash,
                call_key=reply.key,
            )
            problem = self._checks.problem(question, chunk, [*before.questions, *questions.values()])
            if problem:
                rejections.append(Rejection(question.text, chunk.id, problem))
            else:
                questions[slot.key] = question
        return _Asked(
            tuple(questions.values()), tuple(rejections), tuple(pointed_at), keys=frozenset(questions)
        )

    def request(
        self, chunk: Chunk, slots: Sequence[Slot], taken: Sequence[int] = ()
    ) -> ChatRequest[BaseModel]:
        """What is asked for one chunk; ``taken`` are numbers of sentences not to ask about again."""
        used = ", ".join(map(str, sorted(set(taken))))
        passage = f"{chunk.context}\n\n{numbered(chunk.text)}" if chunk.context else numbered(chunk.text)
        messages = self._prompt.render(
            {
                "passage": delimited("passage", passage),
                "taken": f"Do not use sentences {used} again.\n" if used else "",
                "language": self._guidance.language_line(self._checks.wanted_language(chunk)),
                "examples": self._guidance.examples_block(chunk.id),
                "styles": "\n".join(f"- {slot.key}: {slot.style.instruction}" for slot in slots),
            }
        )
        return ChatRequest(
            stage="synth",
            messages=messages,
            schema=drafts_schema(tuple(slot.key for slot in slots)),
            prompt_hash=self._prompt.hash,
            max_tokens=_TOKENS_A_QUESTION * len(slots),
        )

    def _slots(self, chunk: Chunk, count: int) -> list[Slot]:
        """Those of the chunk's first ``count`` that it is enough for."""
        return [slot for slot in self._mix.slots(chunk.id, count) if slot.style.needs == "chunk"]
