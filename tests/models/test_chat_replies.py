import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import RootModel
from stub import replies
from stub.asking import ADA, MemoryLedger, Person, about, ask_in_turn, ask_one, endpoint
from stub.server import Body, Reply, StartStub

from goldgen.models.dialect import Dialect
from goldgen.models.output import UnparsedError, parsed

JSON = json.dumps(ADA)
THINKING = replies.completion({"reasoning_content": f"She may be 36, so {JSON} or so."})


@pytest.mark.parametrize(
    "content",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"Here is the person:\n\n{JSON}\n\nAnything else?",
        f'<think>Maybe {{"name": "Bo", "age": 1}}? No.</think>\n{JSON}',
        f'Maybe {{"name": "Bo", "age": 1}}? No.</think>\n{JSON}',
        f"{JSON}\n{JSON}",
        f"\ufeff  {JSON}",
        f"A set {{of words}} first. {JSON}",
        '{"name": "Ada", "age": "36"}',
        '{"name": "Ada", "age": 36, "born": 1815}',
    ],
    ids=[
        "plain",
        "fence",
        "preamble",
        "think",
        "end of thoughts",
        "twice the same",
        "bom",
        "braces",
        "number as text",
        "extra field",
    ],
)
def test_json_is_found_in_what_stands_around_it(start_stub: StartStub, content: str) -> None:
    stub = start_stub(replies.in_turn(replies.text(content)))
    assert ask_one(endpoint(stub.url)).value == Person(name="Ada", age=36)
    assert len(stub.chats) == 1


@pytest.mark.parametrize(
    "content",
    [
        f'It quotes {{"name": "Bo", "age": 1}}, but: {JSON}',
        f'<think>Perhaps {JSON}? No.</think>{{"name": "A',
        f"<think>Perhaps {JSON}? Let me",
    ],
    ids=["two verdicts", "thought", "unfinished thought"],
)
def test_what_may_not_be_the_answer_is_asked_for_again(start_stub: StartStub, content: str) -> None:
    """A passage that quotes a reply, or a thought, must not become the reply."""
    stub = start_stub(replies.in_turn(replies.text(content), replies.ok({"name": "Cy", "age": 2})))
    assert ask_one(endpoint(stub.url)).value == Person(name="Cy", age=2)
    assert len(stub.chats) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (THINKING, "unparsed", "'reasoning_content': turn the model's reasoning off"),
        (replies.refusal(), "refusal", "refused"),
        (replies.filtered(), "content_filter", "content filter"),
        (replies.request_filtered(), "content_filter", "content filter"),
        (replies.html(), "unavailable", "200"),
        (replies.odd_200({"error": {"message": "overloaded"}}), "unavailable", "200"),
        (replies.odd_200({"choices": None}), "unavailable", "200"),
        (replies.odd_200({"choices": []}), "unavailable", "200"),
        (replies.odd_200({"choices": [{"message": None}]}), "unavailable", "200"),
        (replies.odd_200({"choices": [{}]}), "unavailable", "200"),
        (Reply(body="[]"), "unavailable", "200"),
        (Reply(body="null"), "unavailable", "200"),
        (Reply(body=""), "unavailable", "200"),
        (Reply(body="{"), "unavailable", "200"),
    ],
    ids=[
        "only thoughts",
        "refusal",
        "filter 200",
        "filter 400",
        "html",
        "error in 200",
        "null choices",
        "no choices",
        "null message",
        "empty choice",
        "list",
        "null",
        "empty body",
        "broken body",
    ],
)
def test_an_unusable_reply_is_a_failure_with_its_reason(
    start_stub: StartStub, answer: Reply, kind: str, says: str
) -> None:
    stub, ledger = start_stub(replies.in_turn(answer)), MemoryLedger()
    reply = ask_one(endpoint(stub.url), ledger=ledger)
    assert reply.value is None and reply.failure
    assert (reply.failure.kind, ledger.only.failure_kind) == (kind, kind)
    assert says in reply.failure.message and "\n" not in reply.failure.message
    assert len(stub.chats) == 1, "asking again would not mend it"


@pytest.mark.parametrize("content", [None, "", "  "])
def test_a_reply_without_content_is_asked_for_again_and_then_a_failure(
    start_stub: StartStub, content: str | None
) -> None:
    stub = start_stub(replies.in_turn(replies.text(content)))
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "unparsed" and "no content" in reply.failure.message
    assert len(stub.chats) == 3


def test_an_answer_that_stands_whole_in_the_reasoning_field_is_read(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.reasoning_only(ADA)))
    assert ask_one(endpoint(stub.url)).value == Person(name="Ada", age=36)


@pytest.mark.parametrize("cut", [JSON + " " * 400, JSON + "\n" * 100])
def test_white_space_up_to_the_limit_does_not_hide_the_answer(start_stub: StartStub, cut: str) -> None:
    stub = start_stub(replies.in_turn(replies.text(cut, finish_reason="length")))
    assert ask_one(endpoint(stub.url)).value == Person(name="Ada", age=36)
    assert len(stub.chats) == 1


def test_white_space_up_to_the_limit_gets_no_larger_budget(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.text('{"name": ' + " " * 400, finish_reason="length")))
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "unparsed"
    assert {request.body["max_tokens"] for request in stub.chats} == {50}


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"total_tokens": 9}, {"prompt_tokens": None, "completion_tokens": None}, "many"],
    ids=["null", "empty", "total only", "nulls", "text"],
)
def test_a_reply_without_proper_usage_still_counts_as_an_attempt(start_stub: StartStub, usage: Any) -> None:
    body = json.loads(replies.ok(ADA).body) | {"usage": usage}
    stub = start_stub(replies.in_turn(Reply(body=json.dumps(body))))
    reply = ask_one(endpoint(stub.url))
    assert reply.value is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.attempts) == (0, 0, 1)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"name": "Ada"}', "age"),
        ('{"name": "Ada", "age": "old"}', "age"),
        ("The person is Ada.", "JSON object"),
    ],
    ids=["field missing", "wrong type", "prose"],
)
def test_a_wrong_reply_is_asked_again_with_what_was_wrong(
    start_stub: StartStub, content: str, complaint: str
) -> None:
    stub = start_stub(replies.in_turn(replies.text(content), replies.ok(ADA)))
    assert ask_one(replace(endpoint(stub.url), output_mode="json_schema")).value == Person(name="Ada", age=36)
    first, second = (request.body["messages"] for request in stub.chats)
    added = json.dumps(second[len(first) :])
    assert second[: len(first)] == first
    assert content in "".join(str(message["content"]) for message in second)
    assert "could not be used" in added and complaint in added


def test_re_asks_do_not_grow(start_stub: StartStub) -> None:
    stub = start_stub(
        replies.in_turn(
            replies.text("one " * 3000),
            replies.text("two", usage=(800, 5)),
            replies.ok(ADA),
        )
    )
    assert ask_one(replace(endpoint(stub.url), output_mode="json_schema")).value
    first, second, third = (request.body["messages"] for request in stub.chats)
    assert [message["role"] for message in second[2:]] == ["assistant", "user"]
    assert len(json.dumps(second)) < len(json.dumps(first)) + 2500
    assert [message["role"] for message in third[2:]] == ["assistant", "user"]
    assert third[2]["content"] == "two" and "one one" not in json.dumps(third[2:])


def test_asking_again_is_bounded(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.text("The person is Ada.")))
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "unparsed"
    assert len(stub.chats) == reply.usage.attempts == 3


def test_a_reply_cut_at_the_limit_gets_one_larger_budget(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.cut_off(), replies.ok(ADA)))
    reply = ask_one(endpoint(stub.url))
    assert reply.value and reply.usage.attempts == 2
    assert [request.body["max_tokens"] for request in stub.chats] == [50, 100]
    assert stub.chats[0].body["messages"] == stub.chats[1].body["messages"]


def test_a_reply_that_is_always_cut_fails_after_two(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.cut_off()))
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "cut_off"
    assert "100 tokens" in reply.failure.message
    assert len(stub.chats) == reply.usage.attempts == 2


def only_modern(_: int, body: Body) -> Reply:
    """A server of reasoning models, which takes neither max_tokens nor a temperature."""
    if "max_tokens" in body:
        error = {"code": "unsupported_parameter", "param": "max_tokens"}
        return replies.status(
            400, "Unsupported parameter: use 'max_completion_tokens' instead of 'max_tokens'", error=error
        )
    if "temperature" in body:
        error = {"code": "unsupported_value", "param": "temperature"}
        return replies.status(400, "Unsupported value: only the default (1) is supported", error=error)
    return replies.ok(ADA)


def test_the_dialect_of_a_server_is_learnt_once(start_stub: StartStub) -> None:
    stub = start_stub(only_modern)
    made = ask_in_turn(endpoint(stub.url), about("Ada"), about("Bo"))
    assert all(reply.value for reply in made)
    assert sum(reply.usage.attempts for reply in made) == len(stub.chats) == 4
    assert stub.chats[-1].body["max_completion_tokens"] > 50


def test_a_parameter_that_no_dialect_mends_is_a_bad_request(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.status(400, "use max_completion_tokens, and no temperature")))
    reply = ask_one(endpoint(stub.url))
    assert reply.failure and reply.failure.kind == "bad_request"
    assert len(stub.chats) == 3


@pytest.mark.parametrize(
    ("url", "modern"),
    [
        ("https://api.openai.com/v1", True),
        ("https://team.openai.azure.com/openai/v1", True),
        ("http://127.0.0.1:11434/v1", False),
        ("https://api.openai.com.example.org/v1", False),
    ],
)
def test_the_dialect_of_known_hosts(url: str, modern: bool) -> None:
    spoken = Dialect.for_url(url).spoken({"max_tokens": 50, "temperature": 0.0, "model": "m"})
    assert ("max_completion_tokens" in spoken, "max_tokens" in spoken) == (modern, not modern)
    assert ("temperature" in spoken) == (not modern)
    assert spoken["model"] == "m"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
prose = st.text(st.characters(exclude_characters="{", exclude_categories=["Cs"]))


class Anything(RootModel[dict[str, Any]]):
    pass


@given(st.dictionaries(st.text(), values), prose, prose)
def test_an_object_is_found_in_any_prose(value: dict[str, Any], before: str, after: str) -> None:
    text = json.dumps(value)
    assume("think>" not in before + text + after)
    assert parsed(Anything, [before + text + after]).root == value


@given(st.text() | st.text('{}[]",: a1'))
def test_any_text_is_parsed_or_refused_with_a_reason(text: str) -> None:
    try:
        parsed(Person, [text])
    except UnparsedError as error:
        assert str(error)
