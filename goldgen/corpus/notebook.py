"""Jupyter notebooks to Markdown: cells in order, code fenced, outputs as short text, no pictures."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from goldgen.corpus.markdown import parse_markdown
from goldgen.corpus.outline import outline
from goldgen.corpus.parsed import Parsed, Unread, fenced

_MOST_LINES = 12
_MOST_CHARACTERS = 1_000
"""Of an output. What a cell prints is evidence of what it does; tables of data are not documentation."""
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")

_Json = Mapping[str, object]


def parse_notebook(text: str) -> Parsed | Unread:
    """Convert a notebook of format 3 or 4; the title is the first heading, or what its metadata say."""
    try:
        notebook = json.loads(text)
    except ValueError:
        return Unread("not a notebook: its JSON is damaged")
    root = _object(notebook)
    sheets = [_object(sheet) for sheet in _list(root.get("worksheets"))]  # format 3
    cells = [_object(cell) for part in (root, *sheets) for cell in _list(part.get("cells"))]
    if not cells:
        return Unread("a notebook without cells")
    metadata = _object(root.get("metadata"))
    language = _language(metadata)
    parsed = parse_markdown("\n\n".join(part for cell in cells for part in _cell(cell, language)))
    title = metadata.get("title")
    return replace(parsed, title=title) if not parsed.title and isinstance(title, str) else parsed


def _language(metadata: _Json) -> str:
    of_kernel = _object(metadata.get("kernelspec")).get("language")
    name = _object(metadata.get("language_info")).get("name", of_kernel)
    return name if isinstance(name, str) else ""


def _cell(cell: _Json, language: str) -> Iterator[str]:
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input")))
    if kind == "code":
        if source.strip():
            yield fenced(source, language)
        for output in _list(cell.get("outputs")):
            yield from _output(_object(output))
    elif kind == "heading":  # format 3
        level = cell.get("level")
        yield f"{'#' * (min(6, max(1, level)) if isinstance(level, int) else 1)} {source.strip()}"
    elif source.strip():
        yield _closed(source)


def _closed(markdown: str) -> str:
    """A fence that is open at the end of a cell would hide the cells below."""
    fences = outline(markdown).fences
    if not fences or fences[-1].closed:
        return markdown
    mark = re.search(r"`{3,}|~{3,}", fences[-1].opening)
    return f"{markdown.rstrip()}\n{mark[0] if mark else ''}"


def _output(output: _Json) -> Iterator[str]:
    data = _object(output.get("data", output))
    kind = next((name for name in _TEXT_TYPES if name in data), "")
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    elif kind == "text/markdown":
        yield _closed(_short(_text(data[kind])))
        return
    elif any(name.startswith("image/") for name in data):
        return  # its text is only the name of an object, such as <Figure size 640x480>
    else:
        text = _text(data.get(kind, output.get("text")))
    if short := _short(text):
        yield fenced(short)


def _short(text: str) -> str:
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in _TERMINAL_CODE.sub("", text).split("\n")]
    whole = "\n".join(lines).strip("\n")
    cut = "\n".join(whole.split("\n")[:_MOST_LINES])[:_MOST_CHARACTERS]
    return whole if len(cut) == len(whole) else f"{cut.rstrip()}\n…"


def _text(value: object) -> str:
    """Notebooks hold texts whole or as a list of lines."""
    if isinstance(value, str):
        return value
    return "".join(map(_text, _list(value)))


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _object(value: object) -> _Json:
    return cast("_Json", value) if isinstance(value, dict) else {}
