"""Servers that ask for structured output in other ways, or not at all."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, Field
from stub import replies
from stub.asking import ADA, MemoryLedger, Person, about, ask, ask_in_turn, ask_one, endpoint
from stub.server import Body, Reply, Script, StartStub

from goldgen.models.dialect import Dialect
from goldgen.models.output import FORMS, Form, asked_in
from goldgen.types import Message, OutputMode


def form_of(body: Body) -> str:
    if "tools" in body:
        return "tools"
    asked = body.get("response_format", {}).get("type")
    return {"json_schema": "json_schema", "json_object": "json", None: "text"}[asked]


def knows(*modes: str) -> Script:
    """A server that refuses other modes, and in these answers only if it was shown what is wanted."""

    def script(_: int, body: Body) -> Reply:
        mode = form_of(body)
        if mode not in modes:
            return replies.status(
                400, f"{'tools' if mode == 'tools' else 'response_format'} is not supported"
            )
        if mode == "tools":
            return replies.tool_calls("Person", ADA)
        written = "JSON schema" in str(body["messages"])
        return replies.ok(ADA) if mode == "json_schema" or written else replies.text("Ada is 36.")

    return script


def ignores_what_it_does_not_know(_: int, body: Body) -> Reply:
    """Answers 200 whatever is asked, and follows only what stands in the messages."""
    return replies.ok(ADA) if "JSON schema" in str(body["messages"]) else replies.text("She is 36.")


@pytest.mark.parametrize(
    ("script", "mode", "attempts"),
    [
        (knows("json_schema"), "json_schema", 1),
        (knows("tools"), "tools", 4),
        (knows("json"), "json", 5),
        (knows("text"), "text", 6),
    ],
    ids=["json_schema", "tools", "json", "text"],
)
def test_the_mode_that_works_is_found_once(
    start_stub: StartStub, script: Script, mode: str, attempts: int
) -> None:
    stub, ledger = start_stub(script), MemoryLedger()
    made = ask_in_turn(endpoint(stub.url), about("Ada"), about("Bo"), ledger=ledger)
    assert [reply.value for reply in made] == [Person(name="Ada", age=36)] * 2
    assert len(stub.chats) == attempts + 1
    assert {record.parameters["output_mode"] for record in ledger.records.values()} == {mode}
    assert form_of(stub.chats[-1].body) == mode


def test_a_server_that_ignores_the_schema_is_shown_it_in_words(start_stub: StartStub) -> None:
    stub, ledger = start_stub(ignores_what_it_does_not_know), MemoryLedger()
    made = ask_in_turn(endpoint(stub.url), *(about(str(n)) for n in range(4)), ledger=ledger)
    assert all(reply.value for reply in made)
    assert {record.parameters["output_mode"] for record in ledger.records.values()} == {"json"}
    assert [form_of(request.body) for request in stub.chats[-2:]] == ["json", "json"]


def test_a_mode_that_worked_is_left_when_the_server_begins_to_ignore_it(start_stub: StartStub) -> None:
    def script(number: int, body: Body) -> Reply:
        return replies.ok(ADA) if number == 0 else ignores_what_it_does_not_know(number, body)

    stub = start_stub(script)
    made = ask_in_turn(endpoint(stub.url), *(about(str(n)) for n in range(6)))
    assert sum(reply.value is not None for reply in made) >= 5
    assert form_of(stub.chats[-1].body) == "json"


@pytest.mark.parametrize(
    "error",
    [
        replies.status(400, "Failed to generate JSON", error={"code": "json_validate_failed"}),
        replies.status(400, "Your prompt contains restricted content about tooling"),
        replies.status(403, "this input was flagged"),
    ],
    ids=["groq", "restricted", "flagged"],
)
def test_one_refusal_does_not_change_the_mode_that_works(start_stub: StartStub, error: Reply) -> None:
    def script(_: int, body: Body) -> Reply:
        return error if "Who is Bo?" in str(body["messages"]) else replies.ok(ADA)

    stub = start_stub(script)
    made = ask_in_turn(endpoint(stub.url), about("Ada"), about("Bo"), about("Cy"), about("Di"))
    assert [reply.value is None for reply in made] == [False, True, False, False]
    assert form_of(stub.chats[-1].body) == "json_schema"


def test_a_refusal_of_tools_by_404_leads_to_the_next_mode(start_stub: StartStub) -> None:
    def script(_: int, body: Body) -> Reply:
        if form_of(body) in ("json_schema", "tools"):
            return replies.status(404, "No endpoints found that support tool use or response_format")
        return replies.ok(ADA)

    assert ask_one(endpoint(start_stub(script).url)).value


def test_calls_at_once_find_the_mode_together(start_stub: StartStub) -> None:
    stub = start_stub(knows("tools"))
    made = ask(endpoint(stub.url), *(about(str(n)) for n in range(20)))
    assert all(reply.value for reply in made)
    assert len(stub.chats) <= 20 + 3 * 20


@pytest.mark.parametrize("mode", ["json_schema", "tools", "json", "text"])
def test_the_user_may_choose_the_mode(start_stub: StartStub, mode: OutputMode) -> None:
    stub = start_stub(knows("json_schema", "tools", "json", "text"))
    assert ask_one(replace(endpoint(stub.url), output_mode=mode)).value
    assert [form_of(request.body) for request in stub.chats] == [mode]


def test_a_chosen_mode_that_the_server_refuses_is_not_left(start_stub: StartStub) -> None:
    stub = start_stub(knows("text"))
    reply = ask_one(replace(endpoint(stub.url), output_mode="tools"))
    assert reply.failure and reply.failure.kind == "bad_request"
    assert {form_of(request.body) for request in stub.chats} == {"tools"}


def test_a_mode_that_has_worked_is_kept_when_the_model_slips(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA), replies.text("Bo is 7."), replies.ok(ADA)))
    made = ask_in_turn(endpoint(stub.url), about("Ada"), about("Bo"))
    assert all(reply.value for reply in made)
    assert {form_of(request.body) for request in stub.chats} == {"json_schema"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("{}", json.dumps(ADA)),
        (json.dumps(ADA), json.dumps(ADA)),
        (json.dumps({"name": "Person", "arguments": ADA}),),
    ],
    ids=["second is right", "twice the same", "wrapped"],
)
def test_of_parallel_tool_calls_the_valid_one_counts(
    start_stub: StartStub, arguments: tuple[str, ...]
) -> None:
    stub = start_stub(replies.in_turn(replies.tool_calls("Person", *arguments)))
    reply = ask_one(replace(endpoint(stub.url), output_mode="tools"))
    assert reply.value == Person(name="Ada", age=36)
    assert len(stub.chats) == 1


class Album(BaseModel):
    format: str = Field(json_schema_extra={"maxLength": 20})
    """A property named like a keyword."""
    owner: Person | None = None


def refusing(what: Callable[[dict[str, Any]], bool], message: str) -> Script:
    def script(_: int, body: Body) -> Reply:
        schema = body["response_format"]["json_schema"]
        if what(schema):
            return replies.status(400, message, error={"param": "response_format"})
        return replies.ok({"format": "jpeg", "owner": ADA})

    return script


@pytest.mark.parametrize(
    ("script", "form"),
    [
        (refusing(lambda s: "maxLength" in str(s), "'maxLength' is not permitted"), FORMS[1]),
        (refusing(lambda s: s.get("strict", False), "unknown field 'strict'"), FORMS[2]),
    ],
    ids=["keyword", "strict"],
)
def test_what_a_server_refuses_of_a_schema_is_left_out(
    start_stub: StartStub, script: Script, form: Form
) -> None:
    from goldgen.types import ChatRequest

    stub = start_stub(script)
    request = ChatRequest("test", (Message("user", "Which album?"),), Album, "p", 50)
    first = ask_album(endpoint(stub.url), request)
    assert first == Album(format="jpeg", owner=Person(name="Ada", age=36))
    sent = stub.chats[-1].body["response_format"]["json_schema"]
    assert sent == asked_in(form, request.messages, Album)["response_format"]["json_schema"]
    assert set(sent["schema"]["properties"]) == {"format", "owner"}


def ask_album(at: Any, request: Any) -> Any:
    return ask(at, request)[0].value


def test_a_strict_schema_is_closed_and_complete() -> None:
    strict = asked_in(FORMS[0], [Message("user", "?")], Album)["response_format"]["json_schema"]["schema"]
    assert strict["additionalProperties"] is False and strict["required"] == ["format", "owner"]
    assert strict["$defs"]["Person"]["additionalProperties"] is False
    assert strict["properties"]["format"]["maxLength"] == 20


def test_forms_go_from_the_strictest_to_plain_text() -> None:
    dialect = Dialect()
    assert [form.mode for form in FORMS] == ["json_schema"] * 3 + ["tools", "json", "text"]
    modes = [dialect.form.mode]
    while (following := dialect.after_unparsed()) != dialect:
        dialect = following
        modes.append(dialect.form.mode)
    assert modes == ["json_schema", "json", "text"], "a server that ignored one schema may ignore tools"


def test_one_bad_first_reply_does_not_change_the_mode_for_all(start_stub: StartStub) -> None:
    def script(number: int, body: Body) -> Reply:
        return replies.text("Ada is 36.") if number == 0 else replace(replies.ok(ADA), delay=0.2)

    stub = start_stub(script)
    ask(endpoint(stub.url, concurrency=4), *(about(str(n)) for n in range(12)))
    modes = [form_of(request.body) for request in stub.chats]
    assert (modes.count("json_schema"), modes.count("json")) == (12, 1), "one call is asked again in words"
