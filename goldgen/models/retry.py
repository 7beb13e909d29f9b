"""The one place where a call is tried again."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter

_TRANSIENT = frozenset({408, 409, 429})
_CONNECTION_ATTEMPTS = 4
_BACKOFF = wait_exponential_jitter(multiplier=0.5, max=20, jitter=0.5)

Result = TypeVar("Result")


async def with_retries(
    call: Callable[[], Awaitable[Result]],
    on_failure: Callable[[BaseException], None],
    *,
    longest_wait: float,
    patient: bool,
) -> Result:
    """Repeat ``call`` while its error is passing. The caller's deadline ends the waiting.

    ``on_failure`` is told each error that is waited out, since the deadline itself says nothing. A server
    that asks for a longer wait than ``longest_wait`` seconds is not waited for. ``patient``: it has answered
    before, so that it may come back if nothing listens now.
    """

    def worth_it(error: BaseException) -> bool:
        return is_transient(error) and (retry_after(error) or 0.0) <= longest_wait

    def stop(state: RetryCallState) -> bool:
        return not patient and _nothing_listens(state)

    def told(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if error is not None:
            on_failure(error)

    async def attempt() -> Result:
        # tenacity awaits only what it sees to be a coroutine function.
        return await call()

    retrying = AsyncRetrying(
        retry=retry_if_exception(worth_it),
        wait=wait,
        stop=stop,
        before_sleep=told,
        reraise=True,
    )
    return await retrying(attempt)


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, APIConnectionError):
        return True
    if isinstance(error, APIStatusError):
        if is_out_of_quota(error):
            return False
        return error.status_code in _TRANSIENT or error.status_code >= 500
    return False


def is_out_of_quota(error: APIStatusError) -> bool:
    """A 429 that no waiting cures, or a 402."""
    named = error.code == "insufficient_quota" or error.type == "insufficient_quota"
    return error.status_code == 402 or (error.status_code == 429 and named)


def is_dropped(error: APIConnectionError) -> bool:
    """Whether something listens but closed the connection, so that another request may fare better."""
    cause = error.__cause__
    broken = isinstance(cause, httpx2.NetworkError | httpx2.RemoteProtocolError)
    return broken and not isinstance(cause, httpx2.ConnectError)


def retry_after(error: BaseException | None) -> float | None:
    """Seconds asked for by Retry-After (RFC 9110, section 10.2.3: seconds or a date)."""
    if not isinstance(error, APIStatusError):
        return None
    value = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def wait(state: RetryCallState) -> float:
    """Seconds before the next try: as the server asks, or longer each time."""
    error = state.outcome.exception() if state.outcome else None
    asked = retry_after(error)
    # A server that always says 0 must not be flooded.
    return asked or _BACKOFF(state)


def _nothing_listens(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    refused = isinstance(error, APIConnectionError) and not isinstance(error, APITimeoutError)
    return refused and state.attempt_number >= _CONNECTION_ATTEMPTS
