"""Questions and near misses, drafted by a generator and checked by code."""

from goldgen.synth.absence import AbsenceWriter
from goldgen.synth.checks import DraftChecks
from goldgen.synth.conditions import ConditionFinder
from goldgen.synth.drafting import ChunkDrafter
from goldgen.synth.drafts import ChunkQuestions, Rejection
from goldgen.synth.evidence_sets import EvidenceSetWriter
from goldgen.synth.guidance import Guidance
from goldgen.synth.material import Material
from goldgen.synth.mix import Slot, StyleMix
from goldgen.synth.near_miss import ChunkNearMisses, NearMissWriter
from goldgen.synth.questions import QuestionWriter
from goldgen.synth.rewriting import LITERAL, Rewriter
from goldgen.synth.sample import nothing_to_ask, spread

__all__ = [
    "LITERAL",
    "AbsenceWriter",
    "ChunkDrafter",
    "ChunkNearMisses",
    "ChunkQuestions",
    "ConditionFinder",
    "DraftChecks",
    "EvidenceSetWriter",
    "Guidance",
    "Material",
    "NearMissWriter",
    "QuestionWriter",
    "Rejection",
    "Rewriter",
    "Slot",
    "StyleMix",
    "nothing_to_ask",
    "spread",
]
