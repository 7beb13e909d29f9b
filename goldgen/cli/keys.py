"""Single keys: from a terminal without Enter, from a pipe one character after another."""

import sys
from io import StringIO
from typing import Protocol, TextIO

import typer

_SPECIAL = ("\x1b", "\x00", "\xe0")
"""What an arrow or a function key begins with, on POSIX and on Windows."""


class Keys(Protocol):
    def next(self) -> str:
        """The next key, Enter as a line feed; empty at the end of input. Ctrl-C is KeyboardInterrupt."""
        ...

    def line(self) -> str:
        """What is typed up to Enter."""
        ...


class PipedKeys:
    """Implements ``Keys`` by the characters of a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def next(self) -> str:
        return self._stream.read(1)

    def line(self) -> str:
        return self._stream.readline().strip()


class TerminalKeys:
    """Implements ``Keys`` by a terminal."""

    def __init__(self) -> None:
        self._ahead = ""
        """Typed and not asked for yet."""

    def next(self) -> str:
        if not self._ahead:
            try:
                self._ahead = typer.getchar().replace("\r", "\n")
            except (EOFError, OSError):  # Ctrl-D, or the terminal was closed
                return ""
        if self._ahead.startswith(_SPECIAL):
            self._ahead = ""
            return _SPECIAL[0]
        key, self._ahead = self._ahead[:1], self._ahead[1:]
        return key

    def line(self) -> str:
        ahead, found, self._ahead = self._ahead.partition("\n")
        return (ahead if found else ahead + sys.stdin.readline()).strip()


def keys_of_user() -> Keys:
    """From the terminal, or from standard input where that is a pipe or a file."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  a closed descriptor makes it None
        return PipedKeys(StringIO())
    if sys.stdin.isatty():
        return TerminalKeys()
    # Whatever the locale, and without an error for bytes that are no UTF-8.
    return PipedKeys(open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False))
