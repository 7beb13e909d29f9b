"""DOCX by way of mammoth, which makes HTML of it: insertions are read, deletions and comments are not."""

import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any, cast
from xml.parsers.expat import ExpatError
from xml.sax import SAXException

import mammoth

from goldgen.corpus.html import parse_html
from goldgen.corpus.parsed import Parsed, Unread

_OLD_FORMAT = b"\xd0\xcf\x11\xe0"
"""Word 97 to 2003, and what encrypted files of all kinds are wrapped in."""
_MOST_BYTES_UNPACKED = 500_000_000
_MOST_BYTES_OF_TEXT = 20_000_000
"""Of XML, of which reading takes some forty times as much memory."""
_ENCRYPTED = 1
"""In the flags of a part of a ZIP file."""
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError),  # of the archive
    *(ExpatError, SAXException, LookupError, ValueError),  # of the XML in it
    *(AttributeError, TypeError),  # of what mammoth expects there
)
_DOCUMENT = "word/document.xml"
_PROPERTIES = "docProps/core.xml"
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Macro Text'] => pre:separator('\\n')
p[style-name='macro'] => pre:separator('\\n')
p[style-name='Block Text'] => blockquote > p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Quotations'] => blockquote > p:fresh
r[style-name='Verbatim Char'] => code
r[style-name='Source Text'] => code
r[style-name='HTML Code'] => code
"""
_FORMULA = re.compile(r"<m:oMath>(.*?)</m:oMath>", re.DOTALL)
_FORMULA_PARAGRAPH = re.compile(r"</?m:oMathPara>|<m:oMathParaPr>.*?</m:oMathParaPr>", re.DOTALL)
_SIGNS = {"<m:sup>": "^", "<m:sub>": "_", "<m:den>": "/"}
_BACK_TO_NOTE = re.compile(r'<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')


def parse_docx(raw: bytes) -> Parsed | Unread:
    """Convert the body, tables and notes of a Word document; headers, footers and pictures are left out."""
    if raw.startswith(_OLD_FORMAT):
        return Unread("encrypted, or in the format of Word 2003; save it as DOCX without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES_UNPACKED:
                return Unread(f"unpacks to more than {_MOST_BYTES_UNPACKED // 1_000_000} MB; split it")
            if sum(part.file_size for part in archive.infolist() if _is_text(part)) > _MOST_BYTES_OF_TEXT:
                return Unread(
                    f"its text unpacks to more than {_MOST_BYTES_OF_TEXT // 1_000_000} MB; split it"
                )
            if any(part.flag_bits & _ENCRYPTED for part in archive.infolist()):
                return Unread("encrypted; save a copy without its password")
            metadata = _metadata(archive)
            page = _converted(_with_formulas_as_text(archive))
        parsed = parse_html(page)
    except RecursionError:
        return Unread("nested too deeply to be read")
    except _DAMAGED:
        return Unread("not a DOCX that can be opened; it may be damaged")
    if not parsed.text.strip():
        return Unread("holds no text")
    return Parsed(parsed.text, parsed.title or metadata.get("title", ""), metadata)


def _is_text(part: zipfile.ZipInfo) -> bool:
    return part.filename.startswith("word/") and part.filename.lower().endswith((".xml", ".rels"))


def _converted(docx: io.BytesIO) -> str:
    def no_picture(_: object) -> Iterable[object]:
        return ()

    result = cast("Any", mammoth.convert_to_html(docx, style_map=_STYLES, convert_image=no_picture))
    return _BACK_TO_NOTE.sub("", str(result.value))


def _with_formulas_as_text(archive: zipfile.ZipFile) -> io.BytesIO:
    """The same file with the letters of each formula as a run of text, for mammoth knows no formulas."""
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as target:
        for part in archive.infolist():
            content = archive.read(part)
            if part.filename == _DOCUMENT and b"<m:oMath" in content:
                text = _FORMULA_PARAGRAPH.sub("", content.decode("utf-8"))
                content = _FORMULA.sub(_run, text).encode()
            target.writestr(part, content)
    changed.seek(0)
    return changed


def _run(formula: re.Match[str]) -> str:
    inner = formula[1]
    for tag, sign in _SIGNS.items():
        inner = inner.replace(tag, sign)
    text = re.sub(r"<[^>]+>", "", inner)
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _metadata(archive: zipfile.ZipFile) -> dict[str, str]:
    if _PROPERTIES not in archive.namelist():
        return {}
    properties = archive.read(_PROPERTIES).decode("utf-8")
    found = {
        key: re.search(rf"<{tag}(?:\s[^>]*)?>([^<]*)</{tag}>", properties)
        for key, tag in {"title": "dc:title", "author": "dc:creator", "subject": "dc:subject"}.items()
    }
    return {key: html.unescape(match[1]) for key, match in found.items() if match and match[1].strip()}
