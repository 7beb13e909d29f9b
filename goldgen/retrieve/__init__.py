"""Retrievers to measure: lexical, dense, fused, reranked, and the user's own."""

from goldgen.retrieve.analysis import LANGUAGES, Analyzer, analyzer_for
from goldgen.retrieve.bm25 import BM25Retriever, OkapiRetriever
from goldgen.retrieve.dense import CachedEmbedder, DenseRetriever, Precision
from goldgen.retrieve.fusion import HybridRetriever, fused
from goldgen.retrieve.languages import detected_language
from goldgen.retrieve.outside import CallableRetriever, HttpRetriever, SearchFunction, imported
from goldgen.retrieve.rerank import RerankRetriever

__all__ = [
    "LANGUAGES",
    "Analyzer",
    "BM25Retriever",
    "CachedEmbedder",
    "CallableRetriever",
    "DenseRetriever",
    "HttpRetriever",
    "HybridRetriever",
    "OkapiRetriever",
    "Precision",
    "RerankRetriever",
    "SearchFunction",
    "analyzer_for",
    "detected_language",
    "fused",
    "imported",
]
