"""PDF by way of PDFium, which says where each letter stands."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from ctypes import c_double
from threading import Lock
from typing import Any, cast

import pypdfium2
from pypdfium2 import raw as pdfium

from goldgen.corpus.page_layout import page_blocks
from goldgen.corpus.page_lines import Glyph
from goldgen.corpus.page_text import Page, pages_to_markdown
from goldgen.corpus.parsed import UNKNOWN_LETTER, Parsed, Unread

_MOST_UNKNOWN = 0.02
_FEW_LETTERS = 50
"""Stamps and page numbers on scanned pages; a page with a picture and no more than this is a scan."""
_PICTURE = 0.5
"""Share of a page from which a picture is its content."""
_CONTROL = frozenset("\x00\ufffd")

_Box = tuple[float, float, float, float]

_ONE_AT_A_TIME = Lock()  # PDFium keeps state of its own and is not safe in several threads


def parse_pdf(raw: bytes) -> Parsed | Unread:
    """Convert the text of a PDF: columns one after the other, tables and headings as Markdown.

    Running headers and page numbers are left out, pages that are pictures are named in the metadata.
    """
    with _ONE_AT_A_TIME:
        try:
            document = pypdfium2.PdfDocument(raw)
        except pypdfium2.PdfiumError as error:
            if error.err_code == pdfium.FPDF_ERR_PASSWORD:
                return Unread("encrypted; save a copy without its password")
            return Unread("not a PDF that can be opened; it may be damaged")
        try:
            return _parsed(document)
        except pypdfium2.PdfiumError as error:
            return Unread(f"a page of the PDF cannot be read ({error})")
        finally:
            document.close()


def _parsed(document: pypdfium2.PdfDocument) -> Parsed | Unread:
    pages: list[Page] = []
    scanned: list[str] = []
    letters: Counter[bool] = Counter()
    for number, page in enumerate(document, start=1):
        turn, glyphs = _glyphs(page)
        letters.update(glyph.text == UNKNOWN_LETTER for glyph in glyphs)
        if len(glyphs) <= _FEW_LETTERS and _is_picture(page):
            scanned.append(str(number))
            continue
        bottom, top = _turned_heights(_box(page.get_bbox()), turn)
        pages.append(Page(page_blocks(glyphs), top - bottom, bottom))
    if scanned and not any(page.blocks for page in pages):
        return Unread("a scan, whose pages are pictures; run text recognition (OCR) on it first")
    if letters[True] > _MOST_UNKNOWN * letters.total():
        return Unread("its fonts do not say which letters they draw; run text recognition (OCR) on it first")
    text = pages_to_markdown(pages)
    if not text:
        return Unread("holds no text")
    metadata = {key.lower(): value for key, value in document.get_metadata_dict(skip_empty=True).items()}
    kept = {
        key: value for key, value in metadata.items() if key in ("title", "author", "subject", "keywords")
    }
    if scanned:
        kept["pages without text"] = ", ".join(scanned)
    return Parsed(text, "", kept)


def _is_picture(page: pypdfium2.PdfPage) -> bool:
    pictures = cast("Iterator[Any]", page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=5))
    least = _PICTURE * _area(_box(page.get_bbox()))
    return any(_area(_box(picture.get_bounds())) >= least for picture in pictures)


def _area(box: _Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _box(found: object) -> _Box:
    return cast("_Box", found)  # left, bottom, right, top; pypdfium2 does not say their type


def _glyphs(page: pypdfium2.PdfPage) -> tuple[int, list[Glyph]]:
    """The page's main direction of writing in degrees, and its glyphs, turned to run to the right."""
    text_page = page.get_textpage()
    try:
        found = list(_placed(text_page))
    finally:
        text_page.close()
    angles = Counter(angle for angle, glyph in found if glyph.text.strip())
    if not angles:
        return 0, []
    main = angles.most_common(1)[0][0]
    return main, [glyph for angle, glyph in found if angle == main]


def _placed(text_page: pypdfium2.PdfTextPage) -> Iterator[tuple[int, Glyph]]:
    handle = cast("Any", text_page)  # the raw functions take the helper object
    matrix, box = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
    x, y = c_double(), c_double()
    turn = high = 0
    for index in range(text_page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(handle, index)
        if 0xD800 <= code < 0xDC00:  # the first half of a letter, on Windows
            high = code
            continue
        letter = chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)) if high else chr(code)
        high = 0
        if letter in "\r\n" or not pdfium.FPDFText_GetLooseCharBox(handle, index, box):
            continue
        pdfium.FPDFText_GetCharOrigin(handle, index, x, y)
        if not all(map(math.isfinite, (box.left, box.bottom, box.right, box.top, x.value, y.value))):
            continue  # a damaged file draws it nowhere
        em = 0.0
        if not letter.isspace():
            pdfium.FPDFText_GetMatrix(handle, index, matrix)
            size = pdfium.FPDFText_GetFontSize(handle, index)  # below zero it turns the letters round
            em = abs(size) * math.hypot(matrix.c, matrix.d)
            em = em if em and math.isfinite(em) else max(1.0, box.top - box.bottom)
            angle = math.degrees(
                math.atan2(math.copysign(1, size) * matrix.b, math.copysign(1, size) * matrix.a)
            )
            turn = round(angle) if math.isfinite(angle) else 0
        yield (
            turn,
            _turned(_named(letter), (box.left, box.bottom, box.right, box.top), (x.value, y.value), em, turn),
        )


def _turned(text: str, box: _Box, origin: tuple[float, float], em: float, turn: int) -> Glyph:
    left, bottom, right, top = box
    if not turn:
        return Glyph(text, left, right, origin[1], em)
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    ends = [x * cos + y * sin for x in (left, right) for y in (bottom, top)]
    return Glyph(text, min(ends), max(ends), origin[1] * cos - origin[0] * sin, em)


def _turned_heights(box: _Box, turn: int) -> tuple[float, float]:
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    heights = [y * cos - x * sin for x in box[::2] for y in box[1::2]]
    return min(heights), max(heights)


def _named(letter: str) -> str:
    """Letters for ligatures and for the forms that Arabic letters take in a word."""
    if letter in _CONTROL:
        return UNKNOWN_LETTER
    if "\ufb00" <= letter <= "\ufdff" or "\ufe70" <= letter <= "\ufefe":
        return unicodedata.normalize("NFKC", letter)
    return letter
