"""Prompts that do not fit, runs that may not spend more, and keys that must not show."""

import asyncio
import json
import traceback
from dataclasses import replace

import pytest
from pydantic import SecretStr
from stub import replies
from stub.asking import ADA, KEY, MemoryLedger, Person, about, ask, ask_one, endpoint
from stub.server import Body, Reply, StartStub

from goldgen.errors import BudgetError, EndpointError, SettingsError
from goldgen.models.budget import Budget
from goldgen.models.chat import EndpointChat
from goldgen.models.endpoints import Endpoint
from goldgen.types import ChatReply, ChatRequest, Message, Price

PRICE = Price(10.0, 100.0)
"""So that a few calls reach a small limit: 10 + 5 tokens cost 0.0006 dollars, and may cost 0.015."""


def spend(
    at: Endpoint, budget: Budget, ledger: MemoryLedger, count: int = 40
) -> list[ChatReply[Person] | BaseException]:
    """Ask ``count`` different questions at once, within a budget."""

    async def run() -> list[ChatReply[Person] | BaseException]:
        async with EndpointChat(at, ledger, budget) as chat:
            requests = [about(str(number)) for number in range(count)]
            return await asyncio.gather(*map(chat.ask, requests), return_exceptions=True)

    return asyncio.run(run())


def reply_that_takes_time(number: int, body: Body) -> Reply:
    return replace(replies.ok(ADA), delay=0.02)


@pytest.mark.parametrize("max_usd", [0.0, 0.02, 0.03])
def test_a_run_never_spends_more_than_it_may(start_stub: StartStub, max_usd: float) -> None:
    stub, ledger = start_stub(reply_that_takes_time), MemoryLedger()
    outcomes = spend(replace(endpoint(stub.url), price=PRICE), Budget(max_usd), ledger)
    spent = sum(record.usd or 0.0 for record in ledger.records.values())
    assert spent <= max_usd
    assert len(ledger.records) == len(stub.chats), "what was sent is recorded"
    stopped = [outcome for outcome in outcomes if isinstance(outcome, BudgetError)]
    assert len(stopped) == 40 - len(ledger.records) > 0
    assert "--max-usd" in str(stopped[0]) and "\n" not in str(stopped[0])
    if max_usd:
        assert spent > 0


def test_a_run_never_sends_more_requests_than_it_may(start_stub: StartStub) -> None:
    """Requests that are tried again count, since they may be billed."""

    def every_third_is_prose(number: int, body: Body) -> Reply:
        return replies.text("Ada is 36.") if number % 3 == 0 else replies.ok(ADA)

    stub, ledger = start_stub(every_third_is_prose), MemoryLedger()
    outcomes = spend(endpoint(stub.url), Budget(max_requests=12), ledger)
    assert len(stub.chats) == 12
    assert any(isinstance(outcome, BudgetError) and "--max-calls" in str(outcome) for outcome in outcomes)
    counted = sum(record.usage.attempts for record in ledger.records.values())
    assert counted == 12, "failed attempts are counted, those of calls that the limit stopped too"


def test_a_price_that_is_not_known_cannot_be_kept_to(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    with pytest.raises(SettingsError, match=r"--max-usd .* --price .* --max-calls"):
        spend(endpoint(stub.url), Budget(0.1), MemoryLedger())
    assert not stub.chats
    ledger = MemoryLedger()
    ask(endpoint(stub.url), about(), ledger=ledger)
    assert ledger.only.usd is None


def test_the_price_that_the_server_tells_is_the_one_recorded(start_stub: StartStub) -> None:
    body = json.loads(replies.ok(ADA).body)
    body["usage"]["cost"] = 0.0125
    stub, ledger = start_stub(replies.in_turn(Reply(body=json.dumps(body)))), MemoryLedger()
    reply = ask_one(replace(endpoint(stub.url), price=PRICE), ledger=ledger)
    assert reply.usd == ledger.only.usd == 0.0125


def test_a_prompt_too_long_with_its_reply_gets_a_smaller_reply(start_stub: StartStub) -> None:
    def tight(_: int, body: Body) -> Reply:
        if body["max_tokens"] > 20:
            return replies.status(400, "maximum context length is 2048 tokens, you requested 2080")
        return replies.ok(ADA)

    stub = start_stub(tight)
    assert ask_one(endpoint(stub.url)).value
    assert [request.body["max_tokens"] for request in stub.chats] == [50, 12]


def test_a_prompt_that_never_fits_fails_alone(start_stub: StartStub) -> None:
    error = {"code": "context_length_exceeded"}
    stub = start_stub(replies.in_turn(replies.status(400, "too large", error=error)))
    first, second = ask(endpoint(stub.url), about("Ada"), about("Bo"))
    for reply in (first, second):
        assert reply.failure and reply.failure.kind == "too_long"
    assert len(stub.chats) == 4


def test_a_prompt_that_the_server_silently_cuts_is_no_answer(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.ok(ADA))), MemoryLedger()
    request = ChatRequest("test", (Message("user", "word " * 4000),), Person, "p", 50)
    (reply,) = ask(endpoint(stub.url), request, ledger=ledger)
    assert reply.failure and reply.failure.kind == "truncated"
    assert "context length" in reply.failure.message
    assert len(stub.chats) == 1


def test_a_script_with_few_tokens_a_letter_is_not_taken_for_a_cut_prompt(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA, usage=(620, 5))))
    request = ChatRequest("test", (Message("user", "поле " * 400),), Person, "p", 50)
    assert ask(endpoint(stub.url), request)[0].value


def test_a_reply_cut_after_it_was_made_smaller_is_not_asked_for_again(start_stub: StartStub) -> None:
    def tight(_: int, body: Body) -> Reply:
        if body["max_tokens"] > 20:
            return replies.status(400, "maximum context length is 2048 tokens, you requested 2080")
        return replies.cut_off()

    stub = start_stub(tight)
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "cut_off"
    assert [request.body["max_tokens"] for request in stub.chats] == [50, 12]


def test_a_gateway_that_tells_no_cost_does_not_lift_the_limit(start_stub: StartStub) -> None:
    body = json.loads(replies.ok(ADA).body)
    body["usage"]["cost"] = 0
    stub, ledger = start_stub(replies.in_turn(Reply(body=json.dumps(body)))), MemoryLedger()
    spend(replace(endpoint(stub.url), price=PRICE), Budget(0.03), ledger)
    assert 0 < sum(record.usd or 0.0 for record in ledger.records.values()) <= 0.03
    assert len(stub.chats) < 40


def test_thoughts_that_only_the_total_counts_are_paid_for(start_stub: StartStub) -> None:
    body = json.loads(replies.ok(ADA).body)
    body["usage"] = {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}
    reply = ask_one(endpoint(start_stub(replies.in_turn(Reply(body=json.dumps(body)))).url))
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (20, 603)


def test_what_a_time_out_cost_is_not_known(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.HANG)), MemoryLedger()
    ask_one(replace(endpoint(stub.url, timeout=0.3), price=PRICE), ledger=ledger)
    assert ledger.only.usd is None


def test_what_was_paid_before_the_quota_ended_is_recorded(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.text("Ada."), replies.out_of_quota())), MemoryLedger()
    with pytest.raises(EndpointError, match="quota"):
        ask_one(endpoint(stub.url), ledger=ledger)
    assert ledger.only.failure_kind == "stopped"
    assert ledger.only.usage.prompt_tokens == replies.PROMPT_TOKENS


def test_two_who_share_a_call_pay_once(start_stub: StartStub) -> None:
    first, second = ask(endpoint(start_stub(reply_that_takes_time).url), about(), about())
    assert (first.from_ledger, second.from_ledger) == (False, True)


@pytest.mark.parametrize("key", ["ollama", "key", "EMPTY"])
def test_a_dummy_key_is_no_secret_and_changes_no_reply(start_stub: StartStub, key: str) -> None:
    stub = start_stub(replies.in_turn(replies.ok({"name": f"How do I start {key}?", "age": 1})))
    assert ask_one(endpoint(stub.url, key=key)).value == Person(name=f"How do I start {key}?", age=1)


def test_a_stored_reply_that_does_not_follow_the_schema_is_asked_for_again(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.ok(ADA))), MemoryLedger()
    ask_one(endpoint(stub.url), ledger=ledger)
    ledger.put(replace(ledger.only, reply='{"nobody": 1}'))
    assert ask_one(endpoint(stub.url), ledger=ledger).value == Person(name="Ada", age=36)
    assert len(stub.chats) == 2


@pytest.mark.parametrize("key", ["sk-secret-0123456789\r", " sk-secret-0123456789", "sk-sécret-0123456789"])
def test_a_key_that_no_header_can_carry_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Endpoint("gen", "http://127.0.0.1:1/v1", SecretStr(key))
    assert "0123456789" not in str(caught.value)


def test_a_server_that_sends_the_key_back_does_not_get_it_stored(start_stub: StartStub) -> None:
    stub, ledger = (
        start_stub(replies.in_turn(replies.ok({"name": f"Bearer {KEY}", "age": 1}))),
        MemoryLedger(),
    )
    reply = ask_one(endpoint(stub.url), ledger=ledger)
    assert reply.value == Person(name="Bearer <key>", age=1)
    assert KEY not in str(ledger.only)


@pytest.mark.parametrize("answer", [replies.wrong_key(f"Bearer {KEY}"), replies.status(404, f"no {KEY}")])
def test_a_traceback_does_not_show_the_key(start_stub: StartStub, answer: Reply) -> None:
    stub = start_stub(replies.in_turn(answer))
    with pytest.raises(EndpointError) as caught:
        ask_one(endpoint(stub.url))
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_nothing_that_is_printed_of_an_endpoint_shows_its_key() -> None:
    at = Endpoint("gen", f"http://user:{KEY}@127.0.0.1:1/v1?key={KEY}", SecretStr(KEY))
    assert KEY not in f"{at.label} {at.api_key!r}"
