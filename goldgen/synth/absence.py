"""Questions about what the documents do not say."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt, delimited
from goldgen.synth.checks import DraftChecks
from goldgen.synth.drafts import ChunkQuestions, Rejection
from goldgen.synth.guidance import Guidance
from goldgen.synth.mix import Slot
from goldgen.text import fold, stable_id
from goldgen.text.quotes import says_something, states
from goldgen.types import Chat, ChatRequest, Chunk, Question

_MAX_TOKENS = 160


class DraftAbsent(BaseModel):
    """The reply. Lengths are hints for the server and not checked here."""

    missing: str = Field(json_schema_extra={"maxLength": 120})
    question: str = Field(json_schema_extra={"maxLength": 200})


@dataclass(frozen=True, slots=True)
class AbsenceWriter:
    """Asks for a question on a chunk's topic that it does not answer.

    No chunk is named for it: what a search finds is judged, and only that tells whether another one answers.
    """

    chat: Chat
    prompt: Prompt
    checks: DraftChecks
    guidance: Guidance

    async def write(self, chunk: Chunk, slot: Slot) -> ChunkQuestions:
        """One question at most. A failed call is a value; EndpointError ends the run."""
        styles = (slot.style.name,)
        request = self.request(chunk, slot)
        reply = await self.chat.ask(request)
        if reply.value is None:
            failure = reply.failure.kind if reply.failure else "unparsed"
            return ChunkQuestions(chunk, 1, failure=failure, styles=styles)
        draft = reply.value
        question = Question(
            id=stable_id(fold(draft.question), "absent", chunk.id),
            text=" ".join(draft.question.split()),
            origin="synthetic",
            style=slot.style.name,
            document_id=chunk.document_id,
            model=self.chat.model,
            prompt_hash=request.prompt_hash,
            call_key=reply.key,
        )
        problem = self.checks.wording_problem(question, chunk)
        if not problem and says_something(draft.missing) and states(chunk.full_text, draft.missing):
            problem = "the passage states what is said to be missing"
        if problem:
            rejection = Rejection(question.text, chunk.id, problem)
            return ChunkQuestions(chunk, 1, rejections=(rejection,), styles=styles)
        return ChunkQuestions(chunk, 1, (question,), styles=styles)

    def request(self, chunk: Chunk, slot: Slot) -> ChatRequest[DraftAbsent]:
        messages = self.prompt.render(
            {
                "passage": delimited("passage", chunk.full_text),
                "language": self.guidance.language_line(self.checks.wanted_language(chunk)),
                "style": f"- {slot.style.name}: {slot.style.instruction}",
            }
        )
        return ChatRequest("synth", messages, DraftAbsent, self.prompt.hash, _MAX_TOKENS)
