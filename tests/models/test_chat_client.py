import asyncio
import logging
import traceback
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr
from stub import replies
from stub.asking import ADA, KEY, MemoryLedger, Person, about, ask, ask_one, endpoint
from stub.server import Reply, StartStub

from goldgen.errors import EndpointError
from goldgen.models.chat import EndpointChat
from goldgen.models.endpoints import Endpoint
from goldgen.models.keys import call_key
from goldgen.store import open_store
from goldgen.types import ChatRequest, Message, Usage


def test_a_reply_is_validated_and_the_request_says_what_is_wanted(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    reply = ask_one(endpoint(stub.url))
    assert reply.value == Person(name="Ada", age=36)
    assert reply.failure is None and not reply.from_ledger
    assert reply.usage == Usage(10, 5, attempts=1)
    (request,) = stub.chats
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (request.body["model"], request.body["max_tokens"], request.body["temperature"]) == ("gen", 50, 0)
    wanted = request.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert set(wanted["json_schema"]["schema"]["properties"]) == {"name", "age"}


def test_text_that_looks_like_a_template_is_sent_as_it_is(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    text = "{{ config.secret }} {% for x in y %} {name} %(name)s ${HOME} </s> [INST]"
    ask(endpoint(stub.url), replace(about(), messages=(Message("system", text), Message("user", text))))
    assert [message["content"] for message in stub.chats[0].body["messages"]] == [text, text]


def test_nothing_is_paid_for_twice(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.ok(ADA))), MemoryLedger()
    first = ask_one(endpoint(stub.url), ledger=ledger)
    again = ask_one(endpoint(stub.url), ledger=ledger)
    assert len(stub.chats) == 1
    assert (again.value, again.key, again.usage) == (first.value, first.key, first.usage)
    assert again.from_ledger and not first.from_ledger


def test_two_who_ask_the_same_at_once_share_one_call(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replace(replies.ok(ADA), delay=0.2)))
    same = ask(endpoint(stub.url), about(), about(), about("Bo"))
    assert [reply.value for reply in same] == [Person(name="Ada", age=36)] * 3
    assert len(stub.chats) == 2


def test_the_golden_set_file_remembers_calls(start_stub: StartStub, tmp_path: Path) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))

    async def run() -> bool:
        with open_store(tmp_path / "set.duckdb") as store:
            async with EndpointChat(endpoint(stub.url), store.calls) as chat:
                return (await chat.ask(about())).from_ledger

    assert [asyncio.run(run()), asyncio.run(run())] == [False, True]
    assert len(stub.chats) == 1


class Animal(BaseModel):
    name: str


AT = endpoint("http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("at", "request_"),
    [
        (AT, about("Bo")),
        (
            AT,
            replace(about(), messages=(Message("user", "Describe people."), Message("user", "Who is Ada?"))),
        ),
        (AT, replace(about(), prompt_hash="prompt-2")),
        (AT, about(max_tokens=51)),
        (AT, replace(about(), temperature=0.5)),
        (AT, replace(about(), repeat=1)),
        (AT, replace(about(), schema=Animal)),
        (replace(AT, model="gen-2"), about()),
        (replace(AT, base_url="http://127.0.0.1:2/v1"), about()),
    ],
    ids=["words", "role", "prompt", "budget", "temperature", "repeat", "schema", "model", "endpoint"],
)
def test_what_changes_the_answer_changes_the_key(at: Endpoint, request_: ChatRequest[Person]) -> None:
    assert call_key(at, request_) != call_key(AT, about())


@pytest.mark.parametrize(
    "at",
    [
        AT,
        replace(AT, api_key=SecretStr("sk-other")),
        replace(AT, timeout=1.0, concurrency=1),
        replace(AT, base_url="http://user:pass@127.0.0.1:1/v1/?key=x"),
    ],
    ids=["same", "api key", "patience", "credentials"],
)
def test_what_does_not_change_the_answer_keeps_the_key(at: Endpoint) -> None:
    assert call_key(at, about()) == call_key(AT, about())


def test_tokens_of_failed_attempts_are_counted(start_stub: StartStub) -> None:
    bad, incomplete = replies.text("I would say: Ada."), replies.ok({"name": "Ada"})
    stub, ledger = start_stub(replies.in_turn(bad, incomplete, replies.ok(ADA))), MemoryLedger()
    reply = ask_one(endpoint(stub.url), ledger=ledger)
    assert reply.value is not None
    assert reply.usage == ledger.only.usage == Usage(30, 15, attempts=3)


def test_a_failed_call_keeps_its_tokens_and_its_reason(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.status(500), replies.refusal())), MemoryLedger()
    reply = ask_one(endpoint(stub.url), ledger=ledger)
    assert reply.failure and reply.failure.kind == "refusal"
    assert (ledger.only.status, ledger.only.failure_kind, ledger.only.reply) == ("failed", "refusal", "")
    assert ledger.only.usage == Usage(10, 5, attempts=2)


def test_a_failed_call_is_made_again_by_the_next_run(start_stub: StartStub) -> None:
    stub, ledger = start_stub(replies.in_turn(replies.refusal(), replies.ok(ADA))), MemoryLedger()
    assert ask_one(endpoint(stub.url), ledger=ledger).value is None
    assert ask_one(endpoint(stub.url), ledger=ledger).value is not None
    assert ledger.only.status == "ok"


@pytest.mark.parametrize("answer", [replies.request_filtered(), replies.filtered()], ids=["400", "200"])
def test_what_the_content_filter_stopped_is_not_asked_again(start_stub: StartStub, answer: Reply) -> None:
    stub, ledger = start_stub(replies.in_turn(answer)), MemoryLedger()
    for from_ledger in (False, True):
        reply = ask_one(endpoint(stub.url), ledger=ledger)
        assert reply.failure and reply.failure.kind == "content_filter"
        assert reply.from_ledger == from_ledger
    assert len(stub.chats) == 1


def test_no_more_calls_run_at_once_than_allowed(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replace(replies.ok(ADA), delay=0.05)))
    made = ask(endpoint(stub.url, concurrency=3), *(about(str(number)) for number in range(12)))
    assert all(reply.value for reply in made)
    assert stub.most_at_once == 3


def test_a_server_with_one_slot_loses_no_call(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replace(replies.ok(ADA), delay=0.01)), slots=1)
    made = ask(endpoint(stub.url, concurrency=8), *(about(str(number)) for number in range(60)))
    assert sum(reply.value is not None for reply in made) == 60
    assert stub.refused > 0, "the server was never busy, so nothing was tested"
    assert sum(reply.usage.attempts for reply in made) == 60 + stub.refused


def test_leaving_the_client_ends_open_calls(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.HANG))

    async def run() -> bool:
        async with EndpointChat(endpoint(stub.url), MemoryLedger()) as chat:
            asking = asyncio.create_task(chat.ask(about()))
            while not stub.chats:
                await asyncio.sleep(0.01)
        await asyncio.wait([asking], timeout=2)
        return asking.cancelled()

    assert asyncio.run(run())


def test_nothing_is_printed_or_logged_whatever_comes_back(
    start_stub: StartStub, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    answers = (replies.text("no JSON"), replies.html(), replies.DROP, replies.status(500), replies.cut_off())
    stub = start_stub(lambda number, _: answers[number % len(answers)])
    made = ask(endpoint(stub.url, concurrency=1), *(about(str(number)) for number in range(4)))
    assert len(made) == 4
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


ECHO = f"got the header Authorization: Bearer {KEY}"


@pytest.mark.parametrize(
    "answer",
    [replies.wrong_key(ECHO), replies.status(403, ECHO), replies.status(404, ECHO)],
    ids=["401", "403", "404"],
)
def test_an_error_does_not_show_the_key_that_the_server_sent_back(
    start_stub: StartStub, answer: Reply
) -> None:
    stub, ledger = start_stub(replies.in_turn(answer)), MemoryLedger()
    with pytest.raises(EndpointError) as caught:
        ask_one(endpoint(stub.url), ledger=ledger)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in repr(ledger)


@pytest.mark.parametrize(
    "answer",
    [replies.status(400, ECHO), replies.status(422, ECHO), replies.text(ECHO)],
    ids=["400", "422", "200"],
)
def test_a_record_does_not_hold_the_key(start_stub: StartStub, answer: Reply) -> None:
    stub, ledger = start_stub(replies.in_turn(answer)), MemoryLedger()
    reply = ask_one(endpoint(stub.url), ledger=ledger)
    assert reply.failure
    assert KEY not in repr(ledger) + repr(reply) + repr(endpoint(stub.url))
