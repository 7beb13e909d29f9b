"""What an evaluation found, to be read: a page, Markdown, and figures, made from its ``Report`` alone."""

from goldgen.report.figure import ReportFigure, png, svg
from goldgen.report.gallery import figures
from goldgen.report.page import html
from goldgen.report.pull_request import markdown
from goldgen.report.table import Cell, Column, Table
from goldgen.report.write import write_figures, write_html, write_markdown

__all__ = [
    "Cell",
    "Column",
    "ReportFigure",
    "Table",
    "figures",
    "html",
    "markdown",
    "png",
    "svg",
    "write_figures",
    "write_html",
    "write_markdown",
]
