"""Values that wait on the disk, so that memory stays flat however many there are."""

import pickle
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Generic, Self, TypeVar

from goldgen.errors import CorpusError

Item = TypeVar("Item")


class Spool(Generic[Item]):
    """Add, then iterate, as often as wanted. The file goes with the ``with`` block, or with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="goldgen-")  # noqa: SIM115 -- closed by __exit__
        self._count = 0

    def add(self, item: Item) -> None:
        """Raises CorpusError if the disk is full."""
        try:
            pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise no_room(error.strerror or str(error)) from error
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        try:
            self._file.seek(0)  # which writes what is not yet written
        except OSError as error:
            raise no_room(error.strerror or str(error)) from error
        for _ in range(self._count):
            item: Item = pickle.load(self._file)  # written above, by this process
            yield item

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what could not be written is not wanted any more
            self._file.close()


def no_room(reason: str) -> CorpusError:
    """That the folder for temporary files cannot take more."""
    return CorpusError(
        f"texts wait in {tempfile.gettempdir()} until they are stored, and that failed: {reason}; "
        "make room there, or set TMPDIR to another folder"
    )
