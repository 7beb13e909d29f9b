"""Lines of fields between white space, as TREC writes runs and grades."""

import codecs
from collections.abc import Iterator
from gzip import GzipFile
from io import BufferedReader

from goldgen.tabular import BadRow

Opened = BufferedReader | GzipFile


def encoding(stream: Opened) -> str:
    """UTF-16 if a byte-order mark says so, as PowerShell writes it, else UTF-8."""
    is_wide = stream.peek(2).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if is_wide else "utf-8-sig"


def fields_of_lines(stream: Opened, form: str) -> Iterator[tuple[int, list[str]] | BadRow]:
    """The fields of each line that has any, with its number from 1; a line not of the ``form`` is bad.

    ``form`` names the fields, such as ``qid iter docid grade``. Raises UnicodeError for UTF-16 that is none.
    """
    wanted = len(form.split())
    is_wide = encoding(stream) == "utf-16"
    lines = stream.read().decode("utf-16").split("\n") if is_wide else stream
    for number, raw in enumerate(lines, start=1):
        try:
            fields = (raw if isinstance(raw, str) else raw.decode("utf-8-sig")).split()
        except UnicodeDecodeError:
            yield BadRow(number, "not UTF-8")
            continue
        if len(fields) == wanted:
            yield number, fields
        elif fields:
            yield BadRow(number, f"{len(fields)} fields in place of {wanted}: {form}")
