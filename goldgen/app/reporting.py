"""How a long job tells what it is doing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Reporter(Protocol):
    def say(self, line: str) -> None:
        """Something the user should know while the job runs."""
        ...

    def phase(
        self, title: str, total: int | None, note: Callable[[], str] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """A phase of ``total`` steps (None: unknown); the callable is given the number just done.

        ``note`` tells, whenever it is asked, something that changes on the way, such as what was spent.
        """
        ...


class Silent:
    """Implements ``Reporter`` by saying nothing."""

    def say(self, line: str) -> None:
        pass

    def phase(
        self, title: str, total: int | None, note: Callable[[], str] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        def done(_: int) -> None:
            pass

        return nullcontext(done)
