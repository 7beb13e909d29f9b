"""The writers of questions, made ready for one corpus and one chat model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.languages import language_of
from goldgen.app.leakage import corpus_meter, sampled
from goldgen.errors import SettingsError
from goldgen.prompts import Prompt, PromptLibrary, Style
from goldgen.synth import (
    AbsenceWriter,
    ChunkDrafter,
    DraftChecks,
    EvidenceSetWriter,
    Guidance,
    Material,
    QuestionWriter,
    Rewriter,
    StyleMix,
)
from goldgen.text.generality import Generality
from goldgen.types import Chat, Chunk

MAX_OVERLAP = 0.7
"""Overlap above which a question is reworded."""
_MOST_PER_CHUNK = 10


@dataclass(frozen=True, slots=True)
class DraftingPrompts:
    """Prompt files and styles of a run, and the mix of styles that was asked for."""

    mix: StyleMix
    question: Prompt
    pair: Prompt
    absent: Prompt
    rewrite: Prompt
    near_miss: Prompt

    @classmethod
    def of(cls, folder: Path | None, weights: Mapping[str, int], per_chunk: int) -> "DraftingPrompts":
        """``weights``: style to weight; empty for the usual mix.

        Raises SettingsError for a style that is not there, or more questions a chunk than make sense.
        """
        library = PromptLibrary.of(folder)
        styles = library.styles()
        mix = _mix(styles, weights)
        most = max(mix.styles, _MOST_PER_CHUNK if weights else 0)
        if not 1 <= per_chunk <= most:
            raise SettingsError(f"--per-chunk is {per_chunk}; give 1 to {most}")
        return cls(
            mix,
            library.load("question"),
            library.load("question_pair"),
            library.load("question_absent"),
            library.load("question_rewrite"),
            library.load("near_miss"),
        )


def _mix(styles: Mapping[str, Style], weights: Mapping[str, int]) -> StyleMix:
    if unknown := sorted(weights.keys() - styles.keys()):
        raise SettingsError(
            f"there is no style {', '.join(map(repr, unknown))}; there are {', '.join(styles)}, "
            "and your own in a folder given by --prompts"
        )
    return StyleMix(styles, weights) if weights else StyleMix.usual(styles)


@dataclass(frozen=True, slots=True)
class Wording:
    """How questions are to be worded."""

    language: str = ""
    """Its code; empty: that of each chunk."""
    examples: Sequence[str] = ()
    seed: int = 0
    max_overlap: float = MAX_OVERLAP
    """1 or more: nothing is reworded."""


def chunk_drafter(
    chat: Chat,
    prompts: DraftingPrompts,
    chunks: Sequence[Chunk],
    per_chunk: int,
    wording: Wording,
    drafted: frozenset[str],
) -> ChunkDrafter:
    """``chunks``: the whole corpus; ``drafted``: ids of chunks asked about before."""
    general = Generality(chunk.full_text for chunk in sampled(chunks))
    checks = DraftChecks(language_of, wording.language, general.is_too_general)
    guidance = Guidance(wording.examples, wording.seed)
    material = Material(chunks)
    questions = QuestionWriter(chat, prompts.question, prompts.mix, per_chunk, checks, guidance, drafted)
    meter = corpus_meter(chunks)
    rewriter = Rewriter(chat, prompts.rewrite, meter, checks, wording.max_overlap)
    return ChunkDrafter(
        prompts.mix,
        per_chunk,
        questions,
        {
            "neighbour": EvidenceSetWriter(chat, prompts.pair, material.neighbour, checks, guidance),
            "other document": EvidenceSetWriter(
                chat, prompts.pair, material.of_other_document, checks, guidance
            ),
            "no answer": AbsenceWriter(chat, prompts.absent, checks, guidance),
        },
        rewriter if wording.max_overlap < 1 else None,
    )
