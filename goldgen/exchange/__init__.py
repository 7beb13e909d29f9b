"""Files that other tools write and read: runs of retrievers, and collections with their labels."""

from goldgen.exchange.collections import (
    CollectionDocument,
    CollectionFiles,
    CollectionQuery,
    Qrel,
    beir_files,
    read_documents,
    read_qrels,
    read_queries,
)
from goldgen.exchange.run_files import RunFile, for_set, known_part, read_run
from goldgen.exchange.writing import write_csv, write_json, write_jsonl, write_lines, write_tsv

__all__ = [
    "CollectionDocument",
    "CollectionFiles",
    "CollectionQuery",
    "Qrel",
    "RunFile",
    "beir_files",
    "for_set",
    "known_part",
    "read_documents",
    "read_qrels",
    "read_queries",
    "read_run",
    "write_csv",
    "write_json",
    "write_jsonl",
    "write_lines",
    "write_tsv",
]
