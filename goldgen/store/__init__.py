"""The golden-set file: one DuckDB database that holds everything goldgen knows about one corpus."""

from goldgen.store.calls import CallLedger, StageTotals
from goldgen.store.controls import Controls
from goldgen.store.corpus import Corpus, StoredFile
from goldgen.store.database import Store, open_store
from goldgen.store.duplicates import Duplicates, QuestionDuplicate
from goldgen.store.evaluations import Evaluations, StoredEvaluation
from goldgen.store.imported import Imported
from goldgen.store.judgments import Judgments
from goldgen.store.meta import Meta
from goldgen.store.questions import Questions, Rejection
from goldgen.store.runs import RANKING_DEPTH, QuestionResult, Runs, StoredRun
from goldgen.store.selections import GoldRank, Selections
from goldgen.store.vectors import StoredVectors

__all__ = [
    "RANKING_DEPTH",
    "CallLedger",
    "Controls",
    "Corpus",
    "Duplicates",
    "Evaluations",
    "GoldRank",
    "Imported",
    "Judgments",
    "Meta",
    "QuestionDuplicate",
    "QuestionResult",
    "Questions",
    "Rejection",
    "Runs",
    "Selections",
    "StageTotals",
    "Store",
    "StoredEvaluation",
    "StoredFile",
    "StoredRun",
    "StoredVectors",
    "open_store",
]
