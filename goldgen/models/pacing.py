"""How many requests run at once at one endpoint, and when the next may start."""

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

_OVERLOADED = frozenset({429, 503})
_WINDOW = 200
_ROUND = 10
_LONGEST_WAIT = 60.0
_RECENT = 16
_KINDS = ("requests", "tokens")
_PARTS = ("limit", "remaining", "reset")
_FIELDS = (
    {f"x-ratelimit-{part}-{kind}": (kind, part) for kind in _KINDS for part in _PARTS}
    | {f"anthropic-ratelimit-{kind}-{part}": (kind, part) for kind in _KINDS for part in _PARTS}
    | {f"{prefix}ratelimit-{part}": ("requests", part) for prefix in ("", "x-") for part in _PARTS}
)
"""Header to what it tells. The last are those of draft-ietf-httpapi-ratelimit-headers (to -06)."""
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|us|µs|ns|[dhms])")
_DURATION = re.compile(rf"(?:{_SPAN.pattern})+")
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12


class Pacer:
    """Slots for requests: ``limit`` at once at most, first come first served, within the rate limits told.

    ``limit`` starts at ``bound``, halves when more than 10% of the responses are 429 or 503, and grows by
    a quarter with each round of responses that is better. For one event loop.
    """

    def __init__(
        self,
        bound: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``bound``: at least 1. ``clock`` and ``sleep`` count the same seconds."""
        self._bound = self._limit = bound
        self._clock = clock
        self._sleep = sleep
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.Task[None] | None = None
        self._requests = _Allowance("requests")
        self._tokens = _Allowance("tokens")
        self._seen = self._refused = self._since_growth = self._outdated = 0

    @property
    def limit(self) -> int:
        """How many may be inside at once now."""
        return self._limit

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """One request's place. Waits for a free one and for the rate limits, at most 60 s for the latter."""
        await self._enter()
        try:
            yield
        finally:
            self._inside -= 1
            self._admit()

    def observe(self, status: int, headers: Mapping[str, str]) -> None:
        """Learn from a response; to be called inside its slot. Headers that cannot be read say nothing."""
        self._judge(status in _OVERLOADED)
        told: dict[tuple[str, str], str] = {}
        for name, value in headers.items():
            field = _FIELDS.get(name.lower())
            if field is not None:
                told[field] = value
        if told:
            now = self._clock()
            self._requests.update(told, now)
            self._tokens.update(told, now)
        self._admit()

    async def _enter(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # Its place was free already; the next in the queue takes it.
                self._inside -= 1
            self._admit()
            raise

    def _admit(self) -> None:
        while self._waiting and self._inside < self._limit:
            if not self._waiting[0].done():
                pause = self._pause()
                if pause > 0:
                    self._wake_after(pause)
                    return
                self._inside += 1
                self._tokens.take()
                self._waiting[0].set_result(None)
            self._waiting.popleft()

    def _pause(self) -> float:
        """Seconds until the rate limits let the next request start; 0: now.

        The server has not counted all requests in flight yet, so each may still take one off what remains.
        """
        now = self._clock()
        requests = self._requests.pause(self._inside + 1, now)
        return max(requests, self._tokens.pause(self._tokens.cost, now))

    def _wake_after(self, seconds: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.create_task(self._ring(seconds))

    async def _ring(self, seconds: float) -> None:
        await self._sleep(seconds)
        self._alarm = None
        self._admit()

    def _judge(self, refused: bool) -> None:
        """Count one response, and change the limit where it is time to."""
        if self._outdated:
            self._outdated -= 1
            return
        self._seen += 1
        self._refused += refused
        self._since_growth += 1
        if self._is_overloaded():
            self._limit = max(1, self._limit // 2)
            # Responses to what was sent under the old limit tell nothing of the new one.
            self._outdated = max(0, self._inside - 1)
            self._seen = self._refused = self._since_growth = 0
            return
        if self._since_growth >= max(self._limit, _ROUND) and 10 * self._refused <= self._seen:
            self._limit = min(self._bound, self._limit + max(1, self._limit // 4))
            self._since_growth = 0
        if self._seen >= _WINDOW:
            self._seen = self._refused = 0

    def _is_overloaded(self) -> bool:
        """Whether more than 10% were refused: of a whole window, or sooner where chance cannot explain it.

        Among 10 or 64 responses a harmless 5% often looks like more than 10%, hence windows of 200 and,
        before their end, four standard deviations above 10% (of a count among n: 1.2 times the root of n).
        """
        ten_times_over = 10 * self._refused - self._seen
        if ten_times_over <= 0 or self._seen < _ROUND:
            return False
        return self._seen >= _WINDOW or ten_times_over**2 > 144 * self._seen


@dataclass(slots=True)
class _Allowance:
    """What the server still allows of one kind before its next reset. ``remaining`` None: it did not say."""

    kind: str
    limit: float | None = None
    remaining: float | None = None
    resets_at: float = 0.0
    """By the pacer's clock."""
    cost: float = 1.0
    """Of one request: how far the number told fell from response to response, on average; at least 1."""
    _told: float | None = None
    _times: int = 0

    def update(self, told: Mapping[tuple[str, str], str], now: float) -> None:
        remaining = _amount(told.get((self.kind, "remaining"), ""))
        reset = seconds_until(told.get((self.kind, "reset"), ""), time.time())
        if remaining is None or reset is None:
            return
        if self._told is not None:
            self._times = min(self._times + 1, _RECENT)
            fall = max(self._told - remaining, 1.0)
            self.cost += (fall - self.cost) / self._times
        self._told = self.remaining = remaining
        self.limit = _amount(told.get((self.kind, "limit"), ""))
        self.resets_at = now + min(reset, _LONGEST_WAIT)

    def take(self) -> None:
        """A request starts; the next response will tell what it really took."""
        if self.remaining is not None:
            self.remaining -= self.cost

    def pause(self, needed: float, now: float) -> float:
        """Seconds until ``needed`` are there; 0 if they are."""
        if self.remaining is None or self.remaining >= needed:
            return 0.0
        if now < self.resets_at:
            return self.resets_at - now
        # One starts at each reset, however small the limit is said to be.
        self.remaining = self.limit
        self.resets_at = now + _LONGEST_WAIT
        return 0.0


def seconds_until(value: str, now: float) -> float | None:
    """Seconds, at least 0, from ``now`` (epoch seconds) to what ``value`` says; None if it is unreadable.

    Read are durations (``6m0s``, ``20ms``), seconds, seconds or milliseconds since the epoch, and ISO 8601
    dates (UTC where they name no zone).
    """
    text = value.strip()
    if _DURATION.fullmatch(text):
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _SPAN.findall(text))
        return seconds if math.isfinite(seconds) else None
    number = _number(text)
    if number is None:
        try:
            date = datetime.fromisoformat(text)
        except ValueError:
            return None
        number = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
    elif number >= _EPOCH_MILLISECONDS:
        number = number / 1000 - now
    elif number >= _EPOCH_SECONDS:
        number -= now
    return max(0.0, number)


def _amount(value: str) -> float | None:
    """A number from 0 on; some gateways say -1 for "no limit"."""
    number = _number(value)
    return None if number is None or number < 0 else number


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
