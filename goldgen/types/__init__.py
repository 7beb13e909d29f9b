"""Frozen domain values and the protocols between rooms. Imports nothing of goldgen."""

from goldgen.types.chat import (
    CallRecord,
    Chat,
    ChatReply,
    ChatRequest,
    Failure,
    FailureKind,
    Ledger,
    Message,
    Reply,
    Usage,
)
from goldgen.types.corpus import Chunk, Document, SkippedFile
from goldgen.types.judging import (
    GOLD,
    Control,
    ControlKind,
    JudgedQuestion,
    Judgment,
    Proof,
)
from goldgen.types.questions import EditKind, NearMiss, Origin, Question
from goldgen.types.retrieval import (
    Embedder,
    Hit,
    PairScorer,
    Ranking,
    Retriever,
    Scores,
    VectorCache,
    Vectors,
)

__all__ = [
    "GOLD",
    "CallRecord",
    "Chat",
    "ChatReply",
    "ChatRequest",
    "Chunk",
    "Control",
    "ControlKind",
    "Document",
    "EditKind",
    "Embedder",
    "Failure",
    "FailureKind",
    "Hit",
    "JudgedQuestion",
    "Judgment",
    "Ledger",
    "Message",
    "NearMiss",
    "Origin",
    "PairScorer",
    "Proof",
    "Question",
    "Ranking",
    "Reply",
    "Retriever",
    "Scores",
    "SkippedFile",
    "Usage",
    "VectorCache",
    "Vectors",
]
