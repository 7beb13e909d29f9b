"""Bytes of unknown encoding to text, or None: a wrong letter is worse than a skipped file."""

import codecs
import re
import unicodedata

from goldgen.corpus.encodings import likely_encoding

_MARKS = (  # the marks of UTF-32 begin with those of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_LEAST_NULLS = 0.1
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


def decode(raw: bytes) -> str | None:
    """The text, NFC, with ``\\n`` as line end; None if the bytes are not text in a known encoding.

    Tried in order: byte-order mark, UTF-8, the charset an HTML page declares, detection.
    """
    text = _decoded(raw)
    if text is None:
        return None
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _decoded(raw: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _strict(raw, encoding)
    if b"\x00" in raw:
        return _wide(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    declared = _DECLARED.search(raw[:4096])
    guesses = [declared[1].decode("ascii")] if declared else []
    # An encoding that leaves control characters behind is not the one it was written in.
    for encoding in [*guesses, likely_encoding(raw)]:
        if encoding and (text := _strict(raw, encoding)) is not None and not _CONTROL.search(text):
            return text
    return None


def _wide(raw: bytes) -> str | None:
    """UTF-16 without a mark, in which the NULs of ASCII letters stand all on one side."""
    for side, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        nulls, others = raw[side::2].count(0), raw[1 - side :: 2].count(0)
        if len(raw) % 2 == 0 and not others and nulls > _LEAST_NULLS * len(raw) / 2:
            text = _strict(raw, encoding)
            return None if text is None or _CONTROL.search(text) else text
    return None


def _strict(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except (UnicodeError, LookupError):
        return None
