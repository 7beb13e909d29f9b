"""goldgen corpus"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import loading, options
from goldgen.cli.console import TerminalReporter, counted, print_json, printable

if TYPE_CHECKING:
    from goldgen.app.corpus import CorpusLoad, CorpusOverview, ShownChunk, Sizes
    from goldgen.types import Chunk

app = typer.Typer(invoke_without_command=True)
_SKIPPED_SHOWN = 10
_NEIGHBOUR_SHOWN = 300
_SetFile = Annotated[Path | None, typer.Option("--db", readable=False, help="The golden-set file.")]


@app.callback()
def corpus(
    context: typer.Context,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    as_json: options.Json = False,
) -> None:
    """Look at documents and chunks, before any question is paid for.

    Example: `goldgen corpus load corpora/docs`, then `goldgen corpus`
    """
    context.obj = db
    if context.invoked_subcommand is not None:
        return
    from goldgen.app.corpus import overview

    found = overview(db)
    if as_json:
        print_json(found)
    else:
        _echo(_overview_lines(found))


@app.command("load")
def load(
    context: typer.Context,
    path: loading.PathToRead = None,
    db: _SetFile = None,
    database: loading.Database = None,
    query: loading.Query = None,
    name: loading.Name = "",
    include: loading.Include = None,
    exclude: loading.Exclude = None,
    gitignore: loading.Gitignore = None,
    chunk_size: loading.ChunkSize = None,
    chunk_overlap: loading.ChunkOverlap = None,
    chunk_unit: loading.ChunkUnit = None,
    jobs: loading.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Read documents and cut them into chunks; no model is asked.

    Example: `goldgen corpus load corpora/docs --exclude 'archive/' --chunk-size 400 --chunk-unit tokens`

    Run again, it reads only what has changed.
    """
    source = loading.source(path, database, query)
    if source is None:
        raise typer.BadParameter("name the documents to read, or --from and --query")
    chunking = loading.chunking(chunk_size, chunk_overlap, chunk_unit)
    from goldgen.app.corpus import LoadOptions
    from goldgen.app.corpus import load as load_corpus

    chosen = loading.selection(include, exclude, gitignore)
    job = LoadOptions(db or context.obj, source, name, chunking, chosen, loading.processes(jobs))
    found = load_corpus(job, TerminalReporter())
    if as_json:
        print_json(found)
    else:
        _echo([_loaded_line(found), *_overview_lines(found.overview)])


@app.command("show")
def show(
    context: typer.Context,
    chunk: Annotated[str, typer.Argument(help="The chunk's id, or the beginning of it.")],
    db: _SetFile = None,
    neighbours: Annotated[int, typer.Option(min=0, help="Chunks shown before it and after it.")] = 1,
    as_json: options.Json = False,
) -> None:
    """Print one chunk: where it stands, its context, its text, and the chunks around it.

    Example: `goldgen corpus show 4be1`
    """
    from goldgen.app.corpus import show as show_chunk

    found = show_chunk(db or context.obj, chunk, neighbours)
    if as_json:
        print_json(found)
    else:
        _echo(_chunk_lines(found))


def _echo(lines: Sequence[str]) -> None:
    for line in lines:
        typer.echo(printable(line))


def _loaded_line(found: "CorpusLoad") -> str:
    report = found.report
    part = f"{report.inside} of " if report.inside else ""
    removed = f", {report.removed:,} gone" if report.removed else ""
    return (
        f"loaded      {part}{report.name}: {report.documents:,} documents, "
        f"{report.changed:,} new or changed{removed}"
    )


def _overview_lines(found: "CorpusOverview") -> list[str]:
    lines = [f"corpus      {found.name}, from {found.root}"]
    if found.query:
        lines.append(f"query       {' '.join(found.query.split())}")
    lines += [
        f"{flag:<11} {' '.join(patterns)}"
        for flag, patterns in (("included", found.selection.include), ("excluded", found.selection.exclude))
        if patterns
    ]
    lines.append(f"documents   {found.documents:,}" + (f": {counted(found.kinds)}" if found.is_cut else ""))
    cut = found.chunking
    overlap = f", {cut.overlap} of them shared with the one before" if cut.overlap else ""
    size = f", of {cut.size:,} {cut.unit} at most{overlap}" if found.is_cut else ", as they came"
    lines.append(f"chunks      {found.chunks:,}{size}")
    lines += [f"tokens      {_sizes_line(found.tokens)} (estimated)"]
    lines += [f"characters  {_sizes_line(found.characters)}"]
    sampled = f" (of {found.languages_of:,} looked at)" if found.languages_of < found.documents else ""
    lines.append(f"languages   {counted(found.languages)}{sampled}")
    if found.twin_chunks:
        lines.append(
            f"twins       {found.twin_chunks:,} chunks have the text of another, {found.twin_texts:,} texts"
        )
    if found.same_documents:
        lines.append(f"duplicates  {found.same_documents:,} documents have the whole text of another")
    if found.skipped:
        lines.append(f"skipped     {len(found.skipped_files):,}: {counted(found.skipped)}")
        lines += [f"  {item.path}: {item.reason}" for item in found.skipped_files[:_SKIPPED_SHOWN]]
        if len(found.skipped_files) > _SKIPPED_SHOWN:
            lines.append(f"  and {len(found.skipped_files) - _SKIPPED_SHOWN:,} more; --json has all")
    lines.append(
        f"next        goldgen corpus show {found.shortest} (the shortest), {found.longest} (the longest)"
    )
    return lines


def _sizes_line(sizes: "Sizes") -> str:
    ranks = ", ".join(f"{percent}%: {size:,}" for percent, size in sizes.percentiles.items())
    return f"{sizes.total:,}; of a chunk {sizes.least:,} to {sizes.most:,}, {ranks}"


def _chunk_lines(found: "ShownChunk") -> list[str]:
    chunk = found.chunk
    first, last = found.lines
    lines = [
        f"chunk       {chunk.id}, {chunk.position + 1} of {found.chunks} in its document",
        f"document    {found.path}" + (f" ({found.title})" if found.title else ""),
        f"place       characters {chunk.start:,} to {chunk.end:,}, lines {first:,} to {last:,} of its text",
        f"size        {len(chunk.text):,} characters, about {found.tokens:,} tokens",
    ]
    lines += [f"{key:<11} {value}" for key, value in found.metadata.items()]
    lines += [f"twin        {chunk_id} in {path}" for chunk_id, path in found.twins.items()]
    for neighbour in found.before:
        lines += ["", f"--- before: {neighbour.id}", _shortened(neighbour, end=True)]
    if chunk.context:
        lines += ["", "--- context", chunk.context]
    lines += ["", "--- text", chunk.text]
    for neighbour in found.after:
        lines += ["", f"--- after: {neighbour.id}", _shortened(neighbour, end=False)]
    return lines


def _shortened(chunk: "Chunk", *, end: bool) -> str:
    """The part of a neighbour that is next to the chunk."""
    if len(chunk.text) <= _NEIGHBOUR_SHOWN:
        return chunk.text
    return f"… {chunk.text[-_NEIGHBOUR_SHOWN:]}" if end else f"{chunk.text[:_NEIGHBOUR_SHOWN]} …"
