"""Flags for what is read and how it is cut, of the commands that load a corpus."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from goldgen.corpus import ChunkOptions, Selection
    from goldgen.tabular import SqlSource

_CORPUS = "Corpus"
_MOST_JOBS = 4

PathToRead = Annotated[
    Path | None,
    typer.Argument(
        readable=False,
        metavar="PATH",
        help="A folder or file (Markdown, text, reStructuredText, AsciiDoc, HTML, notebooks, PDF, DOCX), or "
        "a table of chunks with id and text (JSONL, CSV, Parquet).",
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DATABASE",
        help="Chunks from a database instead: duckdb:FILE, sqlite:FILE or postgresql://USER@HOST/NAME, the "
        "password in PGPASSWORD or ~/.pgpass.",
        rich_help_panel=_CORPUS,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        metavar="SQL",
        help="With --from: gives columns id and text and, if there are any, document_id, title, context; "
        "others are metadata.",
        rich_help_panel=_CORPUS,
    ),
]
Name = Annotated[
    str,
    typer.Option(
        "--name",
        help="Of the corpus, a part of all ids; by default its folder's name.",
        rich_help_panel=_CORPUS,
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Read only files that match, as in .gitignore, such as '*.md' or 'guides/'; repeatable. "
        "--include, --exclude and --gitignore hold for later loads, until any of them is given.",
        rich_help_panel=_CORPUS,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Leave out files and folders that match; repeatable.",
        rich_help_panel=_CORPUS,
    ),
]
Gitignore = Annotated[
    bool | None,
    typer.Option(
        "--gitignore/--no-gitignore",
        help="Whether what .gitignore files name is left out; by default it is.",
        rich_help_panel=_CORPUS,
    ),
]
ChunkSize = Annotated[
    int | None,
    typer.Option(
        "--chunk-size",
        min=20,
        help="Of a chunk, at most; by default as at the last load, at first 1200 characters.",
        rich_help_panel=_CORPUS,
    ),
]
ChunkOverlap = Annotated[
    int | None,
    typer.Option(
        "--chunk-overlap",
        min=0,
        help="Of a chunk with the one before it, at most; by default none.",
        rich_help_panel=_CORPUS,
    ),
]
ChunkUnit = Annotated[
    Literal["characters", "tokens"] | None,
    typer.Option(
        "--chunk-unit",
        help="Of size and overlap; by default characters. Tokens are estimated.",
        rich_help_panel=_CORPUS,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        help=f"Processes that read files; by default one for each CPU, at most {_MOST_JOBS}.",
        rich_help_panel=_CORPUS,
    ),
]


def source(path: Path | None, database: str | None, query: str | None) -> "Path | SqlSource | None":
    """What is to be read; None if nothing was named."""
    if query is not None and database is None:
        raise typer.BadParameter("--query needs the database that it goes to; give --from")
    if path is not None and database is not None:
        raise typer.BadParameter("give either PATH or --from")
    if database is None:
        return path
    from goldgen.tabular import SqlSource

    return SqlSource.parse(database, query or "")


def chunking(
    size: int | None, overlap: int | None, unit: Literal["characters", "tokens"] | None
) -> "ChunkOptions | None":
    """How to cut; None if nothing was said of it."""
    if size is None and overlap is None and unit is None:
        return None
    from goldgen.corpus import ChunkOptions

    if size is None:
        raise typer.BadParameter("--chunk-overlap and --chunk-unit need --chunk-size")
    return ChunkOptions.of_size(size, overlap or 0, unit or "characters")


def selection(
    include: Sequence[str] | None, exclude: Sequence[str] | None, gitignore: bool | None
) -> "Selection | None":
    """Which files to read; None if nothing was said of it."""
    if not include and not exclude and gitignore is None:
        return None
    from goldgen.corpus import Selection

    return Selection(tuple(include or ()), tuple(exclude or ()), gitignore is not False)


def processes(jobs: int | None) -> int:
    return jobs or min(_MOST_JOBS, os.cpu_count() or 1)
