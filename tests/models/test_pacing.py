import asyncio
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub.waiting import in_loop, inside, settle, told, visits

from goldgen.models.pacing import Pacer


@in_loop
async def test_places_go_to_those_who_came_first() -> None:
    pacer = Pacer(2)
    came = await visits(pacer, 5)
    for leaver in range(5):
        assert [v.inside for v in came] == [leaver <= n < leaver + 2 for n in range(5)]
        await came[leaver].answered()


@in_loop
async def test_one_who_stops_waiting_takes_no_place() -> None:
    pacer = Pacer(1)
    first, second, third = await visits(pacer, 3)
    second.task.cancel()
    await settle()
    assert (first.inside, third.inside) == (True, False)
    await first.answered()
    assert third.inside
    await third.answered()


@in_loop
async def test_one_cancelled_at_the_moment_of_its_turn_passes_it_on() -> None:
    pacer = Pacer(1)
    async with pacer.slot():
        second, third = await visits(pacer, 2)
    second.task.cancel()
    await settle()
    assert second.task.cancelled() and not second.inside
    assert third.inside
    await third.answered()


_VISITS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.none() | st.integers(0, 6),
        st.sampled_from([200, 200, 429, 503, 500]),
        st.sampled_from([{}, told(3, "0.001s"), told(0, "1ms", limit=2), told(5, "2ms", kind="tokens")]),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(_VISITS, st.integers(1, 8))
@in_loop
async def test_never_more_than_the_limit_inside_none_starved_none_lost(
    plan: list[tuple[int, int | None, int, dict[str, str]]], bound: int
) -> None:
    """Visits with turns inside, turns until cancelled, and the server's answer."""
    pacer = Pacer(bound)
    now_inside = 0

    async def visit(turns: int, _: int | None, status: int, headers: dict[str, str]) -> None:
        nonlocal now_inside
        async with pacer.slot():
            now_inside += 1
            try:
                assert now_inside <= bound
                for _turn in range(turns):
                    await asyncio.sleep(0)
                pacer.observe(status, headers)
                assert 1 <= pacer.limit <= bound
            finally:
                now_inside -= 1

    tasks = [asyncio.create_task(visit(*one)) for one in plan]
    for turn in range(7):
        await asyncio.sleep(0)
        for task, (_, cancelled_at, _, _) in zip(tasks, plan, strict=True):
            if cancelled_at == turn:
                task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError | None) for outcome in outcomes)
    assert all(
        outcome is None or cancelled_at is not None
        for outcome, (_, cancelled_at, _, _) in zip(outcomes, plan, strict=True)
    )
    pacer.observe(200, told(1000, "1s") | told(1000, "1s", kind="tokens"))
    limit = pacer.limit
    after = await visits(pacer, limit + 1)
    assert inside(after) == limit, "every place is free again, and there are no more"
    for visitor in after:
        await visitor.answered()


@in_loop
async def test_an_overloaded_server_is_asked_half_as_much_and_once() -> None:
    pacer = Pacer(64)
    sent = await visits(pacer, 64)
    for visitor in sent:
        await visitor.answered(503)
    assert pacer.limit == 32, "the answers to what was sent at once are one sign, not several"
    for visitor in await visits(pacer, 32):
        await visitor.answered(429)
    assert pacer.limit == 16


@in_loop
async def test_the_limit_binds_new_requests_while_old_ones_are_inside() -> None:
    pacer = Pacer(20)
    came = await visits(pacer, 40)
    for visitor in came[:10]:
        await visitor.answered(503)
    assert (pacer.limit, inside(came)) == (10, 19)
    for still in range(18, 9, -1):
        await came[28 - still].answered(503)
        assert inside(came) == still, "nobody new before there are fewer than ten"
    for visitor in came[19:]:
        await visitor.answered()
        assert inside(came) <= 10


def test_one_in_twenty_refused_does_not_shrink_it() -> None:
    chance = random.Random(7)
    for bound in (1, 8, 64):
        pacer, by_chance = Pacer(bound), Pacer(bound)
        for number in range(2000):
            pacer.observe(429 if number % 20 == 7 else 200, {"retry-after": "1"})
            by_chance.observe(429 if chance.random() < 0.05 else 200, {"retry-after": "1"})
            assert pacer.limit == by_chance.limit == bound


@pytest.mark.parametrize("every", [2, 5, 8])
def test_lastingly_more_than_a_tenth_refused_shrinks_it(every: int) -> None:
    pacer = Pacer(64)
    for number in range(400):
        pacer.observe(503 if number % every == 0 else 200, {})
    assert pacer.limit < 64


def test_other_errors_are_no_overload() -> None:
    pacer = Pacer(64)
    for status in (500, 400, 408, 502) * 100:
        pacer.observe(status, {})
    assert pacer.limit == 64


def test_it_grows_back_step_by_step_and_no_further() -> None:
    pacer = Pacer(64)
    for _ in range(100):
        pacer.observe(503, {})
    assert pacer.limit == 1
    limits = [pacer.limit]
    for _ in range(600):
        pacer.observe(200, {})
        limits.append(pacer.limit)
    assert limits == sorted(limits)
    assert limits[-1] == 64
    assert all(after <= before + max(1, before // 4) for before, after in pairwise(limits))
    assert len(set(limits)) > 10


def test_it_does_not_grow_while_more_than_a_tenth_is_refused() -> None:
    pacer = Pacer(64)
    for number in range(500):
        pacer.observe(503 if number < 100 or number % 8 == 4 else 200, {})
    assert pacer.limit == 1


@given(st.lists(st.sampled_from([200, 429, 503, 500]), max_size=400), st.integers(1, 70))
def test_the_limit_stays_between_one_and_its_bound(statuses: list[int], bound: int) -> None:
    pacer = Pacer(bound)
    for status in statuses:
        pacer.observe(status, {})
        assert 1 <= pacer.limit <= bound
