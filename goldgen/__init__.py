"""Golden sets for retrieval: made from your own documents and query logs, and proven."""

__version__ = "0.1.0"
