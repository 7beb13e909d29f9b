"""All questions of a chunk, whatever their style needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from goldgen.prompts import Needs
from goldgen.synth.drafts import ChunkQuestions
from goldgen.synth.mix import Slot, StyleMix
from goldgen.synth.questions import QuestionWriter
from goldgen.synth.rewriting import Rewriter
from goldgen.types import Chunk


class SlotWriter(Protocol):
    """Writes the question of one slot that its chunk alone does not answer."""

    async def write(self, chunk: Chunk, slot: Slot) -> ChunkQuestions: ...


@dataclass(frozen=True, slots=True)
class ChunkDrafter:
    """Drafts the first ``per_chunk`` questions of a chunk's mix."""

    mix: StyleMix
    per_chunk: int
    questions: QuestionWriter
    others: Mapping[Needs, SlotWriter]
    rewriter: Rewriter | None = None
    """None: questions stay as literal as they are."""

    async def write(self, chunk: Chunk) -> ChunkQuestions:
        """A failed call is a value; EndpointError ends the run."""
        drafted = await self.questions.write(chunk)
        if self.rewriter:
            drafted = await self.rewriter.reworded(drafted)
        for slot in self.mix.slots(chunk.id, self.per_chunk):
            if slot.style.needs != "chunk":
                drafted += await self.others[slot.style.needs].write(chunk, slot)
        return drafted
