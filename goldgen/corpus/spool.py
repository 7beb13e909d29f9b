"""Values that wait on the disk, so that memory stays flat however many there are."""

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")


class Spool(Generic[Item]):
    """Add, then iterate, as often as wanted. The file goes with the ``with`` block, or with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="goldgen-")  # noqa: SIM115 -- closed by __exit__
        self._count = 0

    def add(self, item: Item) -> None:
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        self._file.seek(0)
        for _ in range(self._count):
            item: Item = pickle.load(self._file)  # written above, by this process
            yield item

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()
