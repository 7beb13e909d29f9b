"""Where the rows of a log come from: a file or standard input, packed with gzip or not, in any known format.

Nothing of it is written anywhere, not even to a temporary file.
"""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, cast

from goldgen.errors import TableError
from goldgen.logs.json_rows import json_rows
from goldgen.logs.read import QUERY_NAMES
from goldgen.tabular import BadRow, Row, numbered_lines, pick_column, read_rows, read_rows_from

LogFormat = Literal["csv", "tsv", "jsonl", "json", "text", "parquet"]
STANDARD_INPUT = Path("-")

_SUFFIXES: Mapping[str, LogFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".txt": "text",
    ".parquet": "parquet",
}
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_PEEKED = 1 << 16


@dataclass(slots=True)
class LogSource:
    """One log. ``digest`` tells it from others, whatever its name, once ``rows`` came to their end."""

    path: Path
    """``-`` is standard input."""
    stdin: BinaryIO | None = None
    format: LogFormat | None = None
    """None: by the suffix, else by what it begins with."""
    query: str | None = None
    """The column of queries, by which a table is told from a text of a query a line."""
    _hash: "_Digest" = field(default_factory=hashlib.sha256, init=False, repr=False)

    @property
    def name(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else str(self.path)

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes, unpacked, so that a log and its copy in gzip are one."""
        return self._hash.hexdigest()

    def rows(self) -> Iterator[Row | BadRow]:
        """The rows in order. Raises TableError if the log cannot be read at all."""
        self._hash = hashlib.sha256()
        if self.path == STANDARD_INPUT:
            if self.stdin is None:
                raise TableError("there is no standard input; name a file")
            yield from self._stream_rows(self.stdin)
            return
        if not self.path.is_file():
            raise TableError(f"{self.path}: there is no such file; check the path")
        try:
            with self.path.open("rb") as file:
                yield from self._stream_rows(file)
        except OSError as error:
            cause = error.strerror or str(error)
            raise TableError(f"cannot read {self.path}: {cause}; check its rights or name another") from error

    def _stream_rows(self, raw: BinaryIO) -> Iterator[Row | BadRow]:
        bare = cast(io.BufferedReader, io.BufferedReader(_Hashing(raw, None), _PEEKED))
        packed = bare.peek(2).startswith(_GZIP)
        content = cast(BinaryIO, gzip.GzipFile(fileobj=bare)) if packed else bare
        hashing = _Hashing(content, self._hash)
        stream = cast(io.BufferedReader, io.BufferedReader(hashing, _PEEKED))
        line = 0
        try:
            for row in self._rows_of(stream, packed=packed):
                line = row.line
                yield row
            while hashing.read(_PEEKED):
                pass
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            if not line:
                raise TableError(f"{self.name}: not readable as gzip; pack it again") from error
            yield BadRow(line + 1, "the gzip data are damaged or end here; what would follow is lost")

    def _rows_of(self, stream: io.BufferedReader, *, packed: bool) -> Iterator[Row | BadRow]:
        head = stream.peek(_PEEKED)
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
        kind = self.format or _SUFFIXES.get(suffix) or _sniffed(head, self.query)
        if kind == "parquet":
            if packed or self.path == STANDARD_INPUT:
                raise TableError(
                    f"{self.name}: Parquet is read from a file that is not packed; save it as one"
                )
            yield from read_rows(self.path)
        elif kind == "json":
            yield from json_rows(stream)
        elif kind == "text":
            for number, text in numbered_lines(stream):
                if text.strip():
                    yield Row(number, {self.query or QUERY_NAMES[0]: text})
        else:
            yield from read_rows_from(stream, kind, self.name)


def _sniffed(head: bytes, query: str | None) -> LogFormat:
    """A table has a header that names the column of queries; JSON begins with a bracket; the rest is text."""
    if head.startswith(_PARQUET):
        return "parquet"
    first = next((text for _, text in numbered_lines(io.BytesIO(head)) if text.strip()), "").strip()
    if first.startswith(("{", "[")):
        return "json"
    names = [query] if query else QUERY_NAMES
    for delimiter, kind in (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv")):
        cells = [cell.strip().strip('"') for cell in first.split(delimiter)]
        if pick_column(cells, names) is not None and (len(cells) > 1 or cells[0] == (query or "query")):
            return cast(LogFormat, kind)
    return "text"


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class _Hashing(io.RawIOBase):
    """A stream whose bytes are hashed as they are read."""

    def __init__(self, raw: BinaryIO, digest: _Digest | None) -> None:
        # One read of damaged gzip data gives what stands before the damage; one that fills up gives nothing.
        self._read: Callable[[int], bytes] = getattr(raw, "read1", raw.read)
        self._digest = digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] -- io passes a memoryview
        data = self._read(len(buffer))
        if self._digest:
            self._digest.update(data)
        buffer[: len(data)] = data
        return len(data)
