"""Tables as streams of rows: files, and queries to a database. A bad row is data and not the end."""

from goldgen.tabular.files import LONGEST_FIELD, SUFFIXES, Format, read_rows, read_rows_from
from goldgen.tabular.rows import BadRow, Row, pick_column
from goldgen.tabular.sql import SqlSource, read_query

__all__ = [
    "LONGEST_FIELD",
    "SUFFIXES",
    "BadRow",
    "Format",
    "Row",
    "SqlSource",
    "pick_column",
    "read_query",
    "read_rows",
    "read_rows_from",
]
