"""Which reader a file's suffix gets. Each takes the file's bytes and gives its text, or why there is none."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from goldgen.corpus.decode import decode
from goldgen.corpus.markdown import parse_markdown
from goldgen.corpus.parsed import Parsed, Unread
from goldgen.tabular import SUFFIXES as TABLE_SUFFIXES

Parser = Callable[[bytes], Parsed | Unread]

MOST_BYTES = 20_000_000
MOST_BYTES_OF_PAGES = 200_000_000
"""PDF and office files are mostly pictures."""


_INSTALL = 'run: pip install "goldgen[office]"'


def _text(raw: bytes, parse: Callable[[str], Parsed | Unread]) -> Parsed | Unread:
    text = decode(raw)
    if text is None:
        return Unread("binary, or text in an unknown encoding")
    if not text.strip():
        return Unread("empty")
    try:
        return parse(text)
    except RecursionError:
        return Unread("nested too deeply to be read")


def _plain(raw: bytes) -> Parsed | Unread:
    return _text(raw, Parsed)


def _markdown(raw: bytes) -> Parsed | Unread:
    return _text(raw, parse_markdown)


def _mdx(raw: bytes) -> Parsed | Unread:
    return _text(raw, lambda text: parse_markdown(text, mdx=True))


def _html(raw: bytes) -> Parsed | Unread:
    from goldgen.corpus.html import parse_html

    return _text(raw, parse_html)


def _rst(raw: bytes) -> Parsed | Unread:
    from goldgen.corpus.rst import parse_rst

    return _text(raw, parse_rst)


def _asciidoc(raw: bytes) -> Parsed | Unread:
    from goldgen.corpus.asciidoc import parse_asciidoc

    return _text(raw, parse_asciidoc)


def _notebook(raw: bytes) -> Parsed | Unread:
    from goldgen.corpus.notebook import parse_notebook

    return _text(raw, parse_notebook)


def _pdf(raw: bytes) -> Parsed | Unread:
    if find_spec("pypdfium2") is None:
        return Unread(f"PDF needs an extra; {_INSTALL}")
    from goldgen.corpus.pdf import parse_pdf

    return parse_pdf(raw) if raw.strip() else Unread("empty")


def _docx(raw: bytes) -> Parsed | Unread:
    if find_spec("mammoth") is None:
        return Unread(f"DOCX needs an extra; {_INSTALL}")
    from goldgen.corpus.docx import parse_docx

    return parse_docx(raw) if raw.strip() else Unread("empty")


PARSERS: Mapping[str, Parser] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".mdx": _mdx,
    ".txt": _plain,
    ".rst": _rst,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".adoc": _asciidoc,
    ".asciidoc": _asciidoc,
    ".ipynb": _notebook,
    ".pdf": _pdf,
    ".docx": _docx,
}

_OTHER_KINDS = {
    ".doc": "DOC is not read; save it as DOCX",
    ".pptx": "PPTX is not read; save it as PDF",
    ".odt": "ODT is not read; save it as DOCX",
    ".epub": "EPUB is not read; convert it to HTML",
}


def why_not_read(suffix: str) -> str:
    """Why files with this suffix, in lower case, are skipped."""
    if suffix in _OTHER_KINDS:
        return _OTHER_KINDS[suffix]
    if suffix in TABLE_SUFFIXES:
        return "a table; to read it as chunks, name the file itself"
    return f"files of kind {suffix} are not read" if suffix else "a file without suffix is not read"


def most_bytes(suffix: str) -> int:
    """The largest file of this kind that is read."""
    return MOST_BYTES_OF_PAGES if suffix in (".pdf", ".docx") else MOST_BYTES
