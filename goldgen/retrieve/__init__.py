"""Retrievers to measure: lexical, dense, fused and reranked, each over the chunks of one set."""

from goldgen.retrieve.bm25 import BM25Retriever, OkapiRetriever
from goldgen.retrieve.dense import CachedEmbedder, DenseRetriever
from goldgen.retrieve.fusion import HybridRetriever
from goldgen.retrieve.rerank import RerankRetriever

__all__ = [
    "BM25Retriever",
    "CachedEmbedder",
    "DenseRetriever",
    "HybridRetriever",
    "OkapiRetriever",
    "RerankRetriever",
]
