"""Questions that take two chunks to answer."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, Field

from goldgen.prompts import Prompt, delimited
from goldgen.synth.checks import DraftChecks
from goldgen.synth.drafts import ChunkQuestions, Rejection
from goldgen.synth.guidance import Guidance
from goldgen.synth.mix import Slot
from goldgen.synth.passage import Passage, numbered
from goldgen.text import fold, stable_id
from goldgen.text.quotes import states
from goldgen.types import Chat, ChatRequest, Chunk, Question

_MAX_TOKENS = 260


class DraftPair(BaseModel):
    """The reply. Lengths are hints for the server and not checked here."""

    first: int
    """Number of the first passage's sentence."""
    first_answer: str = Field(json_schema_extra={"maxLength": 160})
    second: int
    second_answer: str = Field(json_schema_extra={"maxLength": 160})
    question: str = Field(json_schema_extra={"maxLength": 200})


@dataclass(frozen=True, slots=True)
class EvidenceSetWriter:
    """Asks for a question about a chunk and the one that ``partner`` finds for it.

    It is kept if code finds a fact in each chunk that the other does not state; whether both together answer
    it, and neither alone does, is for the verifier to say.
    """

    chat: Chat
    prompt: Prompt
    partner: Callable[[Chunk], Chunk | None]
    checks: DraftChecks
    guidance: Guidance

    async def write(self, chunk: Chunk, slot: Slot) -> ChunkQuestions:
        """One question at most. A failed call is a value; EndpointError ends the run."""
        styles = (slot.style.name,)
        other = self.partner(chunk)
        if other is None:
            rejection = Rejection("", chunk.id, f"no second chunk for a {slot.style.name} question")
            return ChunkQuestions(chunk, 1, rejections=(rejection,), styles=styles)
        request = self.request(chunk, other, slot)
        reply = await self.chat.ask(request)
        if reply.value is None:
            failure = reply.failure.kind if reply.failure else "unparsed"
            return ChunkQuestions(chunk, 1, failure=failure, styles=styles)
        draft = reply.value
        first, first_quote = Passage.of(chunk.text).grounded(draft.first_answer.strip(), draft.first)
        second, second_quote = Passage.of(other.text).grounded(draft.second_answer.strip(), draft.second)
        question = Question(
            id=stable_id(fold(draft.question), chunk.id, other.id),
            text=" ".join(draft.question.split()),
            origin="synthetic",
            style=slot.style.name,
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            answer=f"{first}; {second}",
            model=self.chat.model,
            prompt_hash=request.prompt_hash,
            call_key=reply.key,
            evidence_chunks=(chunk.id, other.id),
        )
        problem = self.checks.wording_problem(question, chunk)
        if not problem and not (first_quote and second_quote):
            problem = "no evidence in one of the chunks"
        if not problem and (states(chunk.full_text, second) or states(other.full_text, first)):
            problem = "one chunk states both facts"
        if problem:
            rejection = Rejection(question.text, chunk.id, problem)
            return ChunkQuestions(chunk, 1, rejections=(rejection,), styles=styles)
        return ChunkQuestions(chunk, 1, (question,), styles=styles)

    def request(self, chunk: Chunk, other: Chunk, slot: Slot) -> ChatRequest[DraftPair]:
        messages = self.prompt.render(
            {
                "first": delimited("first-passage", _shown(chunk)),
                "second": delimited("second-passage", _shown(other)),
                "language": self.guidance.language_line(self.checks.wanted_language(chunk)),
                "style": f"- {slot.style.name}: {slot.style.instruction}",
            }
        )
        return ChatRequest("synth", messages, DraftPair, self.prompt.hash, _MAX_TOKENS)


def _shown(chunk: Chunk) -> str:
    return f"{chunk.context}\n\n{numbered(chunk.text)}" if chunk.context else numbered(chunk.text)
