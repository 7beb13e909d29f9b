"""Query logs: read, scrubbed of personal data, merged, and made questions."""

from goldgen.logs.merge import LogMerge, LogQuery, merge, to_questions
from goldgen.logs.pages import resolve_page
from goldgen.logs.read import LogColumns, LogRow, read_log
from goldgen.logs.scrub import Scrubbed, scrub

__all__ = [
    "LogColumns",
    "LogMerge",
    "LogQuery",
    "LogRow",
    "Scrubbed",
    "merge",
    "read_log",
    "resolve_page",
    "scrub",
    "to_questions",
]
