import asyncio
import math
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub.waiting import in_loop, settle

from goldgen.errors import BudgetError, SettingsError
from goldgen.models.budget import Budget


class Call:
    """A request that ends when it is told to, with the bill it is given."""

    def __init__(self, budget: Budget, worst: float) -> None:
        self.started = False
        self._bill: asyncio.Future[float | None] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._run(budget, worst))

    async def _run(self, budget: Budget, worst: float) -> None:
        async with budget.request(worst) as bill:
            self.started = True
            bill.usd = await self._bill

    async def end(self, usd: float | None) -> None:
        self._bill.set_result(usd)
        await self.task
        await settle()


async def spend(budget: Budget, worst: float, usd: float | None) -> None:
    async with budget.request(worst) as bill:
        bill.usd = usd


@pytest.mark.parametrize(
    ("limit", "each", "times"), [(0.1, 0.01, 10), (0.3, 0.1, 3), (0.7, 0.1, 7), (0.0, 0.0, 5)]
)
@in_loop
async def test_the_limit_is_spent_to_the_last_cent_and_not_passed(
    limit: float, each: float, times: int
) -> None:
    budget = Budget(max_usd=limit)
    for _ in range(times):
        await spend(budget, each, each)
    assert (budget.spent_usd, budget.requests) == (limit, times)
    with pytest.raises(BudgetError):
        await spend(budget, max(each, 1e-9), each)
    assert (budget.spent_usd, budget.requests) == (limit, times)


@pytest.mark.parametrize(("usd", "charged"), [(0.2, 0.2), (0.0, 0.0), (None, 0.5), (-3.0, 0.0), (0.6, 0.6)])
@in_loop
async def test_the_bill_takes_the_place_of_the_worst_case(usd: float | None, charged: float) -> None:
    budget = Budget(max_usd=1.0)
    await spend(budget, 0.5, usd)
    assert budget.spent_usd == charged
    rest = 1.0 - charged
    await spend(budget, rest, rest)
    assert budget.spent_usd == 1.0


@in_loop
async def test_an_error_or_a_cancellation_inside_charges_the_worst_case() -> None:
    budget = Budget(max_usd=1.0)
    with pytest.raises(ZeroDivisionError):
        async with budget.request(0.25):
            raise ZeroDivisionError
    assert budget.spent_usd == 0.25
    call = Call(budget, 0.5)
    await settle()
    call.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call.task
    assert (budget.spent_usd, budget.requests) == (0.75, 2)
    await spend(budget, 0.25, 0.25)


@in_loop
async def test_what_does_not_fit_beside_others_waits_for_their_bills() -> None:
    budget = Budget(max_usd=1.0)
    first, second, third = (Call(budget, 0.5) for _ in range(3))
    await settle()
    assert (first.started, second.started, third.started) == (True, True, False)
    await first.end(0.1)
    assert not third.started, "0.1 spent and 0.5 in flight leave 0.4"
    await second.end(0.4)
    assert third.started, "0.5 is spent, and 0.5 fits"
    await third.end(0.5)
    assert (budget.spent_usd, budget.requests) == (1.0, 3)


@in_loop
async def test_the_end_comes_only_after_the_last_in_flight() -> None:
    budget = Budget(max_usd=1.0)
    first, second, waiting = (Call(budget, 0.5) for _ in range(3))
    await settle()
    await first.end(0.5)
    assert not waiting.task.done(), "one is in flight still"
    second_end = asyncio.create_task(second.end(0.45))
    with pytest.raises(BudgetError):
        await waiting.task
    await second_end
    assert budget.spent_usd == 0.95


@in_loop
async def test_none_overtakes_one_that_waits() -> None:
    budget = Budget(max_usd=1.0)
    first = Call(budget, 0.8)
    await settle()
    large, small = Call(budget, 0.5), Call(budget, 0.1)
    await settle()
    assert (large.started, small.started) == (False, False)
    await first.end(0.2)
    assert (large.started, small.started) == (True, True)
    await large.end(0.0)
    await small.end(0.0)


@in_loop
async def test_those_who_wait_go_on_in_the_order_they_came() -> None:
    budget = Budget(max_usd=1.0)
    calls = [Call(budget, 1.0) for _ in range(6)]
    await settle()
    for turn, call in enumerate(calls):
        assert [one.started for one in calls] == [number <= turn for number in range(6)]
        await call.end(0.0)


@in_loop
async def test_one_that_gives_up_waiting_makes_room_for_the_next() -> None:
    budget = Budget(max_usd=1.0)
    first = Call(budget, 0.8)
    await settle()
    large, small = Call(budget, 0.5), Call(budget, 0.1)
    await settle()
    large.task.cancel()
    await settle()
    assert small.started and budget.requests == 2
    await first.end(0.8)
    await small.end(0.1)
    assert budget.spent_usd == 0.9


@in_loop
async def test_one_cancelled_at_the_moment_it_is_let_in_costs_nothing() -> None:
    budget = Budget(max_usd=1.0)
    async with budget.request(1.0) as bill:
        chosen, next_one = Call(budget, 1.0), Call(budget, 1.0)
        await settle()
        bill.usd = 0.0
    chosen.task.cancel()
    await settle()
    assert chosen.task.cancelled() and not chosen.started
    assert next_one.started
    await next_one.end(1.0)
    assert (budget.spent_usd, budget.requests) == (1.0, 2)


@in_loop
async def test_the_number_of_requests_is_a_limit_too() -> None:
    budget = Budget(max_requests=2)
    assert not budget.bounds_money
    first, second, third = (Call(budget, 0.5) for _ in range(3))
    await settle()
    await first.end(0.125)
    assert not third.task.done() and budget.requests == 2
    second_end = asyncio.create_task(second.end(0.5))
    with pytest.raises(BudgetError) as caught:
        await third.task
    await second_end
    message = str(caught.value)
    assert "--max-calls 2 is reached" in message and "requests 2;" in message
    assert "$0.625000" in message and "larger --max-calls" in message
    assert "\n" not in message and "--max-usd" not in message


@in_loop
async def test_the_error_says_what_was_spent_and_how_to_go_on() -> None:
    budget = Budget(max_usd=0.1, max_requests=100)
    assert budget.bounds_money
    await spend(budget, 0.09, 0.085)
    with pytest.raises(BudgetError) as caught:
        await spend(budget, 0.02, 0.0)
    message = str(caught.value)
    assert "--max-usd 0.1 is reached" in message and "spent $0.085000, requests 1" in message
    assert "$0.020000" in message and "the same command with a larger --max-usd goes on" in message
    assert "\n" not in message and "--max-calls" not in message


@in_loop
async def test_after_the_end_nothing_starts_however_cheap() -> None:
    budget = Budget(max_usd=1.0)
    errors: list[str] = []
    for worst in (1.5, 0.0, 0.1):
        with pytest.raises(BudgetError) as caught:
            await spend(budget, worst, 0.0)
        errors.append(str(caught.value))
    assert len(set(errors)) == 1, "the reason stays the first one"
    assert (budget.spent_usd, budget.requests) == (0.0, 0)


@in_loop
async def test_all_who_wait_are_told() -> None:
    budget = Budget(max_requests=1)
    first = Call(budget, 0.0)
    await settle()
    others = [Call(budget, 0.0) for _ in range(20)]
    await settle()
    await first.end(0.0)
    told = await asyncio.gather(*(call.task for call in others), return_exceptions=True)
    assert [type(error) for error in told] == [BudgetError] * 20


@in_loop
async def test_without_limits_nothing_ever_waits() -> None:
    budget = Budget()
    turned: list[bool] = []
    asyncio.get_running_loop().call_soon(turned.append, True)
    for _ in range(100):
        async with budget.request(1000.0) as outer, budget.request(1000.0) as inner:
            outer.usd = inner.usd = 0.5
    assert not turned, "no request gave the loop a turn"
    assert (budget.spent_usd, budget.requests, budget.bounds_money) == (100.0, 200, False)


@pytest.mark.parametrize("limit", [math.nan, math.inf, -0.01])
def test_no_amount_of_money_is_an_error(limit: float) -> None:
    with pytest.raises(SettingsError, match=r"^--max-usd .* is no limit"):
        Budget(max_usd=limit)


def test_no_number_of_requests_is_an_error() -> None:
    with pytest.raises(SettingsError, match=r"^--max-calls -1 is no limit"):
        Budget(max_requests=-1)


_CENTS = st.integers(0, 40)
_CALLS = st.lists(
    st.tuples(
        _CENTS, st.none() | st.floats(0, 1), st.integers(0, 3), st.none() | st.integers(0, 3), st.booleans()
    ),
    max_size=25,
)


@settings(deadline=None)
@given(_CALLS, st.none() | st.integers(0, 200), st.none() | st.integers(0, 20))
@in_loop
async def test_whatever_is_asked_the_limits_hold_and_nobody_hangs(
    calls: list[tuple[int, float | None, int, int | None, bool]],
    max_cents: int | None,
    max_requests: int | None,
) -> None:
    """Calls with worst case, share billed, turns in flight, turns until cancelled, and whether they fail."""
    budget = Budget(None if max_cents is None else max_cents / 100, max_requests)
    reserved = billed = Decimal(0)
    started = ended = 0

    async def call(cents: int, share: float | None, turns: int, _: int | None, fails: bool) -> None:
        nonlocal reserved, billed, started, ended
        worst = Decimal(cents) / 100
        cost = worst
        async with budget.request(cents / 100) as bill:
            started += 1
            reserved += worst
            try:
                assert max_cents is None or reserved + billed <= Decimal(max_cents) / 100
                assert max_requests is None or started <= max_requests
                for _turn in range(turns):
                    await asyncio.sleep(0)
                if fails:
                    raise ZeroDivisionError
                if share is not None:
                    bill.usd = cents / 100 * share
                    cost = Decimal(str(bill.usd))
            finally:
                reserved -= worst
                billed += cost
                ended += 1

    tasks = [asyncio.create_task(call(*one)) for one in calls]
    for turn in range(4):
        await asyncio.sleep(0)
        for task, (_, _, _, cancelled_at, _) in zip(tasks, calls, strict=True):
            if cancelled_at == turn:
                task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    expected = (BudgetError, asyncio.CancelledError, ZeroDivisionError, type(None))
    assert all(isinstance(outcome, expected) for outcome in outcomes)
    assert started == ended == budget.requests
    assert budget.spent_usd == float(billed)
    assert max_cents is None or budget.spent_usd <= max_cents / 100
    over = any(isinstance(outcome, BudgetError) for outcome in outcomes)
    with pytest.raises(BudgetError) if over else suppress(BudgetError):
        await asyncio.wait_for(spend(budget, 0.0, 0.0), 1)
