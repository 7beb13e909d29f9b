"""Waiting no longer than one has time for, whatever is waited for."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, act: Callable[[], Result]) -> Result:
    """What ``act`` gives or raises. Raises TimeoutError after ``seconds``; ``act`` then ends unheard.

    The time-outs of an HTTP client start anew at each byte that comes, and looking up a name has none.
    """
    found = Future[Result]()

    def work() -> None:
        try:
            found.set_result(act())
        except BaseException as error:  # noqa: BLE001 # whatever it is, the one who waits raises it
            found.set_exception(error)

    # Daemons, because a pool of workers is waited for when the process ends.
    threading.Thread(target=work, daemon=True).start()
    return found.result(timeout=max(0.0, seconds))
