"""Query logs: read, scrubbed of personal data, cleaned, merged, sampled, and made questions."""

from goldgen.logs.clean import Cleaning, asks_nothing
from goldgen.logs.merge import LogMerge, LogQuery, merge, to_questions
from goldgen.logs.names import NameFinder, person_finder
from goldgen.logs.pages import resolve_page
from goldgen.logs.read import LogColumns, LogRow, read_log
from goldgen.logs.sample import Part, draw, parts
from goldgen.logs.scrub import Scrubbed, scrub, scrub_all
from goldgen.logs.sources import STANDARD_INPUT, LogFormat, LogSource

__all__ = [
    "STANDARD_INPUT",
    "Cleaning",
    "LogColumns",
    "LogFormat",
    "LogMerge",
    "LogQuery",
    "LogRow",
    "LogSource",
    "NameFinder",
    "Part",
    "Scrubbed",
    "asks_nothing",
    "draw",
    "merge",
    "parts",
    "person_finder",
    "read_log",
    "resolve_page",
    "scrub",
    "scrub_all",
    "to_questions",
]
