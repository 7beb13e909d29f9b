"""Questions and near misses, drafted by a generator and checked by code."""

from goldgen.synth.conditions import ConditionFinder
from goldgen.synth.near_miss import ChunkNearMisses, NearMissWriter
from goldgen.synth.questions import ChunkQuestions, QuestionWriter, Rejection
from goldgen.synth.sample import nothing_to_ask, spread

__all__ = [
    "ChunkNearMisses",
    "ChunkQuestions",
    "ConditionFinder",
    "NearMissWriter",
    "QuestionWriter",
    "Rejection",
    "nothing_to_ask",
    "spread",
]
