import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import APIStatusError
from stub import replies
from stub.asking import ADA, KEY, MemoryLedger, about, ask, ask_one, endpoint
from stub.server import Body, Reply, StartStub

from goldgen.errors import EndpointError
from goldgen.models.retry import is_out_of_quota, is_transient, retry_after


def status_error(status: int, *, wait: str | bytes = b"", code: str = "", kind: str = "") -> APIStatusError:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
    header = wait if isinstance(wait, bytes) else wait.encode()
    headers = [(b"Retry-After", header)] if header else []
    response = httpx2.Response(status, headers=headers, request=request)
    return APIStatusError("no", response=response, body={"code": code, "type": kind})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_passing_trouble_is_tried_again(status: int) -> None:
    assert is_transient(status_error(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_lasting_trouble_is_not(status: int) -> None:
    assert not is_transient(status_error(status))


@pytest.mark.parametrize("named", [{"code": "insufficient_quota"}, {"kind": "insufficient_quota"}])
def test_no_waiting_fills_an_empty_account(named: dict[str, str]) -> None:
    error = status_error(429, **named)
    assert is_out_of_quota(error) and not is_transient(error)
    assert not is_out_of_quota(status_error(400, **named))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("0", 0.0), ("-3", 0.0), ("soon", None), ("", None)],
)
def test_seconds_asked_for(header: str, seconds: float | None) -> None:
    assert retry_after(status_error(429, wait=header)) == seconds


def test_a_date_asked_for_is_seconds_from_now() -> None:
    later = datetime.now(UTC) + timedelta(seconds=90)
    assert retry_after(status_error(429, wait=format_datetime(later, usegmt=True))) == pytest.approx(
        90, abs=2
    )
    earlier = format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)
    assert retry_after(status_error(429, wait=earlier)) == 0.0


@given(st.binary(max_size=40).filter(lambda header: not set(header) & {0, 10, 13}))
def test_no_header_breaks_the_wait(header: bytes) -> None:
    seconds = retry_after(status_error(429, wait=header))
    assert seconds is None or seconds >= 0


def test_the_wait_asked_for_is_kept_and_holds_up_nobody_else(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.rate_limited("1"), replies.ok(ADA)))
    started = time.monotonic()
    made = ask(endpoint(stub.url), about("Ada"), about("Bo"))
    assert all(reply.value for reply in made)
    limited, other, again = stub.chats
    assert again.at - limited.at >= 1
    assert other.at - started < 1
    assert again.body == limited.body, "the server's complaint is no part of the prompt"


def test_a_wait_until_a_date_is_kept(start_stub: StartStub) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    stub = start_stub(replies.in_turn(replies.rate_limited(date), replies.ok(ADA)))
    assert ask_one(endpoint(stub.url)).value
    limited, again = stub.chats
    assert 0.5 < again.at - limited.at < 4


def test_a_server_that_never_asks_to_wait_is_not_flooded(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.status(503, Retry_After="0")))
    reply = ask_one(endpoint(stub.url, timeout=1.2))
    assert reply.failure and reply.failure.kind == "unavailable"
    assert "503" in reply.failure.message, "what the server said stands in the record"
    assert 2 <= len(stub.chats) <= 4


@pytest.mark.parametrize(
    "answer", [replies.status(409), replies.status(500), replies.DROP], ids=["409", "500", "dropped"]
)
def test_one_bad_answer_costs_nothing_but_time(start_stub: StartStub, answer: Reply) -> None:
    stub = start_stub(replies.in_turn(answer, replies.ok(ADA)))
    reply = ask_one(endpoint(stub.url))
    assert reply.value is not None
    assert reply.usage.attempts == len(stub.chats) == 2


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (replies.HANG, "timeout"),
        (replies.status(500), "unavailable"),
        (Reply(delay=0.3, body=replies.text("no JSON").body), "timeout"),
    ],
    ids=["never answers", "always 500", "slow and wrong"],
)
def test_one_deadline_bounds_the_whole_call(start_stub: StartStub, answer: Reply, kind: str) -> None:
    stub, ledger = start_stub(replies.in_turn(answer)), MemoryLedger()
    started = time.monotonic()
    reply = ask_one(endpoint(stub.url, timeout=0.8), ledger=ledger)
    assert time.monotonic() - started < 1.8
    assert reply.failure and reply.failure.kind == kind
    assert "0.8 s" in reply.failure.message
    assert ledger.only.failure_kind == kind
    assert ledger.only.usage.attempts == len(stub.chats) >= 1


def test_an_endpoint_that_answers_none_of_the_first_calls_ends_the_run(start_stub: StartStub) -> None:
    """Two hundred time-outs one after another would tell no more than the first few."""
    stub = start_stub(replies.in_turn(replies.status(500)))
    started = time.monotonic()
    with pytest.raises(EndpointError, match="none of the first 5 calls was answered"):
        ask(endpoint(stub.url, timeout=0.3, concurrency=1), *(about(str(n)) for n in range(20)))
    assert time.monotonic() - started < 3


def test_what_a_failed_call_cost_stays_counted(start_stub: StartStub) -> None:
    ledger = MemoryLedger()
    stub = start_stub(replies.in_turn(*[replies.text("no JSON")] * 3, replies.ok(ADA)))
    failed = ask_one(endpoint(stub.url), ledger=ledger)
    answered = ask_one(endpoint(stub.url), ledger=ledger)
    assert failed.failure and answered.value
    assert ledger.only.usage == failed.usage + answered.usage
    assert ledger.only.usage.attempts == 4


def test_a_call_that_waits_for_its_turn_has_its_deadline_still(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(Reply(delay=0.4, body=replies.ok(ADA).body)))
    made = ask(endpoint(stub.url, timeout=1.0, concurrency=1), *(about(str(n)) for n in range(4)))
    assert all(reply.value for reply in made)


def test_a_request_that_the_server_drops_for_ever_fails_alone(start_stub: StartStub) -> None:
    def script(_: int, body: Body) -> Reply:
        return replies.DROP if "Bo" in str(body) else replies.ok(ADA)

    stub = start_stub(script)
    ada, bo = ask(endpoint(stub.url), about("Ada"), about("Bo"))
    assert ada.value is not None
    assert bo.failure and bo.failure.kind == "unavailable"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (replies.wrong_key(), "OPENAI_API_KEY"),
        (replies.status(403), "OPENAI_API_KEY"),
        (replies.no_such_model(), "check the model's name"),
        (replies.out_of_quota(), "no quota"),
        (Reply(404, "<html>\r\n<body>\n404\n</body></html>", {"Content-Type": "text/html"}), "/v1"),
        (Reply(401, f"line one\nline two {KEY}", {"Content-Type": "text/plain"}), "key was refused"),
        (replies.status(404, "long " * 500), "check the model's name"),
    ],
    ids=["401", "403", "404", "quota", "404 page", "401 text", "404 long"],
)
def test_what_every_call_would_meet_ends_the_run_at_once(
    start_stub: StartStub, answer: Reply, says: str
) -> None:
    stub = start_stub(replies.in_turn(answer))
    with pytest.raises(EndpointError, match=says) as caught:
        ask_one(endpoint(stub.url))
    assert len(stub.chats) == 1
    message = str(caught.value)
    assert stub.url in message and "\n" not in message and len(message) < 600
    assert KEY not in message


def test_a_base_url_without_v1_gets_a_hint(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    with pytest.raises(EndpointError, match=r"mostly in /v1") as caught:
        ask_one(endpoint(stub.url.removesuffix("/v1")))
    assert "\n" not in str(caught.value)
