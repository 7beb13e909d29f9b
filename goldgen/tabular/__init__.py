"""Tables as streams of rows: files, and queries to a database. A bad row is data and not the end."""

from goldgen.tabular.files import LONGEST_FIELD, SUFFIXES, Format, numbered_lines, read_rows, read_rows_from
from goldgen.tabular.rows import BadRow, Row, checked, pick_column
from goldgen.tabular.sql import SqlSource, read_query

__all__ = [
    "LONGEST_FIELD",
    "SUFFIXES",
    "BadRow",
    "Format",
    "Row",
    "SqlSource",
    "checked",
    "numbered_lines",
    "pick_column",
    "read_query",
    "read_rows",
    "read_rows_from",
]
