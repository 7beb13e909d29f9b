"""JSON of any layout as rows: an array, objects one after the other, on one line or on many.

It is read in pieces, so that an array of any length needs no more memory than its longest item.
"""

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, cast

from goldgen.tabular import BadRow, Row, checked

_PIECE = 1 << 16
LONGEST_ITEM = 1_000_000
"""Characters. What is longer, or never ends, is a bad row; reading goes on with what looks like the next."""
_BETWEEN = re.compile(r"[\s,\[\]]*")
_NEXT_ITEM = re.compile(r"\n\s*(?=[{\"])|(?<=\})\s*,\s*(?=\{)")


@dataclass(slots=True)
class _Buffer:
    """What is read and not used yet, and the line on which it stands."""

    stream: io.TextIOWrapper
    text: str = ""
    at: int = 0
    line: int = 1
    ended: bool = False
    decoder: json.JSONDecoder = field(default_factory=lambda: json.JSONDecoder(parse_constant=lambda _: None))

    def more(self) -> bool:
        piece = "" if self.ended else self.stream.read(_PIECE)
        self.ended = not piece
        self.text, self.at = self.text[self.at :] + piece, 0
        return bool(piece)

    def move(self, end: int) -> None:
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    @property
    def left(self) -> int:
        return len(self.text) - self.at


def json_rows(stream: BinaryIO) -> Iterator[Row | BadRow]:
    """Each object as a row, each string as a query."""
    head = stream.read(len(codecs.BOM_UTF16_LE))
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Bytes that are no UTF-8 become halves of characters, which make their row a bad one.
    text = io.TextIOWrapper(
        io.BufferedReader(_Joined(head, stream)), "utf-16" if wide else "utf-8-sig", errors="surrogateescape"
    )
    buffer = _Buffer(text)
    while True:
        match = _BETWEEN.match(buffer.text, buffer.at)
        buffer.move(match.end() if match else buffer.at)
        if not buffer.left:
            if not buffer.more():
                return
            continue
        yield _next_row(buffer)


def _next_row(buffer: _Buffer) -> Row | BadRow:
    line = buffer.line
    while True:
        try:
            decoded = cast(tuple[object, int], buffer.decoder.raw_decode(buffer.text, buffer.at))
        except (ValueError, RecursionError) as error:
            if buffer.left < LONGEST_ITEM and buffer.more():
                continue
            _skip_to_next(buffer)
            return BadRow(line, f"not JSON: {getattr(error, 'msg', 'nested too deep')}")
        value, end = decoded
        if end == len(buffer.text) and type(value) not in (dict, str) and buffer.more():
            continue  # a number may go on
        buffer.move(end)
        return _row(line, value)


def _skip_to_next(buffer: _Buffer) -> None:
    start = buffer.at + 1
    while not (match := _NEXT_ITEM.search(buffer.text, start)):
        buffer.move(len(buffer.text))
        if not buffer.more():
            return
        start = 0
    buffer.move(match.end())


def _row(line: int, value: object) -> Row | BadRow:
    if isinstance(value, dict):
        return checked(line, cast(dict[str, object], value))
    if isinstance(value, str):
        return checked(line, {"query": value})
    return BadRow(line, f"not an object but {type(value).__name__}")


class _Joined(io.RawIOBase):
    """What was read of a stream, and then the stream."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        # One read of a damaged stream gives what stands before the damage; one that fills up gives nothing.
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self._pieces = chain([head] if head else [], iter(lambda: read(_PIECE), b""))
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] -- io passes a memoryview
        if not self._rest:
            self._rest = next(self._pieces, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
