"""What one run may spend, in dollars and in requests, for all of its calls at once."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal

from goldgen.errors import BudgetError, SettingsError


@dataclass(slots=True)
class Bill:
    """What one request cost. ``usd`` left at None: not known, so the worst case is charged."""

    usd: float | None = None


class Budget:
    """Two hard limits. A request starts only if its worst case fits beside all others' in flight.

    So what is spent never passes the limit as long as no bill passes its worst case, and no request is
    ever broken off. For one event loop at a time.
    """

    def __init__(self, max_usd: float | None = None, max_requests: int | None = None) -> None:
        """None: no limit. Raises SettingsError for a limit that is no amount."""
        if max_usd is not None and not 0 <= max_usd < math.inf:
            raise SettingsError(f"--max-usd {max_usd:g} is no limit; give dollars from 0 on, or leave it out")
        if max_requests is not None and max_requests < 0:
            raise SettingsError(f"--max-calls {max_requests} is no limit; give 0 or more, or leave it out")
        self._max_usd = None if max_usd is None else _dollars(max_usd)
        self._max_requests = max_requests
        self._spent = self._reserved = Decimal(0)
        self._requests = self._in_flight = 0
        self._waiting: deque[tuple[asyncio.Future[bool], Decimal]] = deque()
        self._exhausted = ""

    @property
    def bounds_money(self) -> bool:
        """Whether a price must be known to keep the limit."""
        return self._max_usd is not None

    @property
    def spent_usd(self) -> float:
        """Of the requests that ended; one without a bill counts with its worst case."""
        return float(self._spent)

    @property
    def requests(self) -> int:
        """How many have started, those in flight included."""
        return self._requests

    @asynccontextmanager
    async def request(self, worst_usd: float) -> AsyncGenerator[Bill]:
        """Reserve ``worst_usd`` and one request, waiting in turn for others to end where that may help.

        Raises BudgetError if it does not fit with nothing else in flight, and ever after.
        """
        worst = _dollars(worst_usd)
        await self._reserve(worst)
        bill = Bill()
        try:
            yield bill
        finally:
            self._release(worst)
            # An answer that never came may have been billed.
            self._spent += worst if bill.usd is None else _dollars(bill.usd)
            self._admit()

    async def _reserve(self, worst: Decimal) -> None:
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, worst))
        self._admit()
        try:
            admitted = await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.result():
                # Admitted, and cancelled before it could start.
                self._release(worst)
                self._requests -= 1
            self._admit()
            raise
        if not admitted:
            raise BudgetError(self._exhausted)

    def _release(self, worst: Decimal) -> None:
        self._in_flight -= 1
        self._reserved -= worst

    def _admit(self) -> None:
        """Let those in who wait, first come first served: none overtakes one that does not fit yet."""
        while self._waiting:
            turn, worst = self._waiting[0]
            if not turn.done():
                if not self._exhausted and self._fits(worst):
                    self._in_flight += 1
                    self._requests += 1
                    self._reserved += worst
                    turn.set_result(True)
                elif self._in_flight:
                    return
                else:
                    self._exhausted = self._exhausted or self._explain(worst)
                    turn.set_result(False)
            self._waiting.popleft()

    def _fits(self, worst: Decimal) -> bool:
        if self._max_requests is not None and self._requests >= self._max_requests:
            return False
        return self._max_usd is None or self._spent + self._reserved + worst <= self._max_usd

    def _explain(self, worst: Decimal) -> str:
        if self._max_requests is not None and self._requests >= self._max_requests:
            flag, limit, next_one = "--max-calls", f"{self._max_requests}", ""
        else:
            flag, limit = "--max-usd", f"{self._max_usd:f}"
            next_one = f", the next may cost ${worst:.6f}"
        return (
            f"{flag} {limit} is reached: spent ${self._spent:.6f}, requests {self._requests}{next_one}; "
            f"what is finished is kept, and the same command with a larger {flag} goes on from there"
        )


def _dollars(usd: float) -> Decimal:
    """The amount as it is written, so that ten times 0.01 is 0.10; no server's count makes it negative."""
    return Decimal(str(max(usd, 0.0)))
