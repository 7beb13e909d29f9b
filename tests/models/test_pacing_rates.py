import asyncio
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stub.waiting import Time, in_loop, inside, settle, told, visits

from goldgen.models.pacing import Pacer, seconds_until

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@in_loop
async def test_without_requests_left_the_next_waits_for_the_reset() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    (first,) = await visits(pacer, 1)
    await first.answered(200, told(0, "20s", limit=100))
    waiting = await visits(pacer, 3)
    assert inside(waiting) == 0
    await time.move(19.9)
    assert inside(waiting) == 0
    await time.move(0.2)
    assert inside(waiting) == 3
    for visitor in waiting:
        await visitor.answered()


@in_loop
async def test_those_in_flight_may_still_take_what_remains() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    sent = await visits(pacer, 4)
    await sent[0].answered(200, told(4, "30s"))
    more = await visits(pacer, 3)
    assert inside(more) == 1, "three in flight and one more make four"
    await sent[1].answered(200, told(4, "30s"))
    assert inside(more) == 2
    for visitor in [*sent[2:], *more]:
        await visitor.answered(200, told(100, "30s"))


@in_loop
async def test_a_reset_lets_no_more_start_than_the_server_allows() -> None:
    time = Time()
    pacer = Pacer(64, time.clock, time.sleep)
    (first,) = await visits(pacer, 1)
    await first.answered(429, told(0, "10s", limit=5))
    waiting = await visits(pacer, 20)
    await time.move(10.1)
    assert inside(waiting) == 5
    for visitor in waiting[:5]:
        await visitor.answered(200, told(0, "10s", limit=5))
    assert inside(waiting) == 0
    await time.move(10.1)
    assert inside(waiting) == 5
    for visitor in waiting[5:]:
        await visitor.answered(200, told(50, "10s", limit=50))


@pytest.mark.parametrize("kind", ["requests", "tokens"])
@pytest.mark.parametrize("reset", ["24h0m0s", "1h", "100000", "9999999999", "2999-01-01T00:00:00Z"])
@in_loop
async def test_no_wait_is_longer_than_a_minute(kind: str, reset: str) -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    for limit in (None, 0, 1):
        (first,) = await visits(pacer, 1)
        await first.answered(200, told(0, reset, kind=kind, limit=limit))
        (waiting,) = await visits(pacer, 1)
        await time.move(59)
        assert not waiting.inside
        await time.move(1.1)
        assert waiting.inside
        await waiting.answered(200, told(100, "1s", kind=kind))


@in_loop
async def test_an_allowance_smaller_than_one_request_lets_one_start_at_each_reset() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    for remaining in (9_000, 6_000, 0):
        pacer.observe(200, told(remaining, "30s", kind="tokens", limit=100))
    waiting = await visits(pacer, 3)
    await time.move(30.1)
    assert inside(waiting) == 1
    await time.move(59)
    assert inside(waiting) == 1
    await time.move(1.1)
    assert inside(waiting) == 2
    await time.move(60.1)
    assert inside(waiting) == 3
    for visitor in waiting:
        await visitor.answered()


@in_loop
async def test_a_wait_ends_early_when_more_remains() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    sent = await visits(pacer, 2)
    await sent[0].answered(200, told(0, "50s"))
    waiting = await visits(pacer, 2)
    assert inside(waiting) == 0
    pacer.observe(200, told(10, "50s"))
    await settle()
    assert inside(waiting) == 2, "before the one that was told has left"
    for visitor in [sent[1], *waiting]:
        await visitor.answered()


@in_loop
async def test_a_later_response_may_bring_the_reset_nearer() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    sent = await visits(pacer, 2)
    await sent[0].answered(200, told(0, "50s"))
    (waiting,) = await visits(pacer, 1)
    await sent[1].answered(200, told(0, "5s"))
    await time.move(5.1)
    assert waiting.inside
    await waiting.answered()


@in_loop
async def test_tokens_are_kept_for_what_a_request_has_cost_so_far() -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    for remaining in (10_000, 8_000, 6_000, 4_000, 2_000, 1_500):
        (visitor,) = await visits(pacer, 1)
        assert visitor.inside
        await visitor.answered(200, told(remaining, "30s", kind="tokens", limit=10_000))
    waiting = await visits(pacer, 8)
    assert inside(waiting) == 0, "a request took about 1,700"
    await time.move(30.1)
    assert inside(waiting) == 5, "10,000 are enough for five"
    for visitor in waiting:
        await visitor.answered(200, told(9_000, "30s", kind="tokens", limit=10_000))


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"},
        {"X-RateLimit-Remaining-Requests": "0", "X-RateLimit-Reset-Requests": "30"},
        {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "30s"},
        {"ratelimit-remaining": "0", "ratelimit-reset": "30"},
        {"X-RateLimit-Remaining": "0.0", "X-RateLimit-Reset": "9999999999000"},
        {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2999-01-01T00:00:00Z",
        },
        {
            "anthropic-ratelimit-tokens-remaining": "0",
            "anthropic-ratelimit-tokens-reset": "2999-01-01T00:00:00+02:00",
        },
    ],
)
@in_loop
async def test_every_dialect_of_the_headers_is_understood(headers: dict[str, str]) -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    pacer.observe(200, headers)
    (waiting,) = await visits(pacer, 1)
    assert not waiting.inside
    await time.move(60.1)
    assert waiting.inside
    await waiting.answered()


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "0"},
        {"x-ratelimit-reset-requests": "60s"},
        told(0, ""),
        told(0, "soon"),
        told(0, "nan"),
        told(-1, "60s"),
        {"x-ratelimit-remaining-tokens": "unlimited", "x-ratelimit-reset-tokens": "60s"},
        {"ratelimit-remaining": "100, 100;w=60", "ratelimit-reset": "60"},
        told(0, "0s"),
        told(0, "1000000001"),
        told(0, "2001-01-01T00:00:00Z"),
    ],
)
@in_loop
async def test_headers_that_say_nothing_hold_nobody_up(headers: dict[str, str]) -> None:
    time = Time()
    pacer = Pacer(8, time.clock, time.sleep)
    pacer.observe(200, headers)
    came = await visits(pacer, 8)
    assert inside(came) == 8
    for visitor in came:
        await visitor.answered()


@in_loop
async def test_real_time_does_as_well() -> None:
    pacer = Pacer(4)
    pacer.observe(200, told(0, "300ms", limit=10))
    loop = asyncio.get_running_loop()
    started = loop.time()
    async with pacer.slot():
        assert 0.25 < loop.time() - started < 5
    async with pacer.slot():
        assert loop.time() - started < 5


@in_loop
async def test_one_cancelled_while_the_rate_limit_holds_it_up_leaves_nothing_behind() -> None:
    time = Time()
    pacer = Pacer(1, time.clock, time.sleep)
    pacer.observe(200, told(0, "30s"))
    first, second = await visits(pacer, 2)
    first.task.cancel()
    with suppress(asyncio.CancelledError):
        await first.task
    await time.move(30.1)
    assert second.inside
    await second.answered()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1h2m3.5s", 3723.5),
        ("2m59.56s", 179.56),
        ("1d2h", 93600.0),
        ("350us", 0.00035),
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("0", 0.0),
        ("-3", 0.0),
        (f"{NOW + 20:.0f}", 20.0),
        (f"{NOW - 20:.0f}", 0.0),
        (f"{(NOW + 20) * 1000:.0f}", 20.0),
        ("2026-01-02T03:04:25Z", 20.0),
        ("2026-01-02T05:04:25+02:00", 20.0),
        ("2026-01-02T03:04:25", 20.0),
        ("2026-01-02T03:00:00Z", 0.0),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("1x", None),
        ("s", None),
        ("1s2", None),
        ("9" * 400 + "s", None),
    ],
)
def test_times_as_servers_write_them(value: str, seconds: float | None) -> None:
    assert seconds_until(value, NOW) == (None if seconds is None else pytest.approx(seconds))


@given(
    st.dictionaries(st.sampled_from(["h", "m", "s", "ms"]), st.integers(0, 10**6), min_size=1),
    st.integers(0, 999),
)
def test_a_duration_is_the_sum_of_its_parts(parts: dict[str, int], thousandths: int) -> None:
    seconds = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
    text = "".join(f"{parts[unit]}.{thousandths:03}{unit}" for unit in seconds if unit in parts)
    expected = sum((count + thousandths / 1000) * seconds[unit] for unit, count in parts.items())
    assert seconds_until(text, NOW) == pytest.approx(expected)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_date_is_read_whatever_it_is(date: datetime) -> None:
    assert seconds_until(date.isoformat(), NOW) == pytest.approx(max(0.0, date.timestamp() - NOW), abs=1e-3)


@given(st.text(max_size=30) | st.from_regex(r"[0-9.hmsuTZ:+-]{0,30}", fullmatch=True))
def test_no_value_is_an_error(value: str) -> None:
    seconds = seconds_until(value, NOW)
    assert seconds is None or seconds >= 0
    Pacer(1).observe(
        200, told(0, value) | {"x-ratelimit-limit-requests": value, "ratelimit-remaining": value}
    )
