"""Every fault that servers have, met in the middle of a run of synth by one chunk's calls."""

import asyncio
from pathlib import Path

import pytest
from conftest import write_docs
from pydantic import SecretStr
from stub import replies
from stub.asking import KEY
from stub.generator import generator_script, stage
from stub.server import Body, Reply, Script, StartStub

from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, SynthReport, synthesize
from goldgen.corpus import ChunkOptions
from goldgen.store import open_store
from goldgen.types import CallRecord

MARK = "Service number 11"
"""Stands in the chunks that meet the fault: two of eight."""
TOKENS = (700, 5)
"""As many as these prompts have; a server that counts far fewer has not read them."""
ECHO = replies.status(400, f"bad request; Authorization: Bearer {KEY}")

FAULTS: dict[str, tuple[Reply, str]] = {
    "prose": (replies.text("I would rather talk.", usage=TOKENS), "unparsed"),
    "another schema": (replies.ok({"questions": ["What is it?"]}, usage=TOKENS), "unparsed"),
    "no content": (replies.text(None, usage=TOKENS), "unparsed"),
    "white space to the limit": (replies.text("{" + " " * 900, "length", usage=TOKENS), "unparsed"),
    "only thoughts": (replies.completion({"reasoning": "Let me think."}, usage=TOKENS), "unparsed"),
    "empty tool call": (replies.tool_calls("Questions", "{}", usage=TOKENS), "unparsed"),
    "cut at the limit": (replies.text('{"fact": {', "length", usage=TOKENS), "cut_off"),
    "refusal": (replies.refusal(), "refusal"),
    "filter, 200": (replies.filtered(), "content_filter"),
    "filter, 400": (replies.request_filtered(), "content_filter"),
    "bad request that echoes the key": (ECHO, "bad_request"),
    "too long": (replies.status(400, "this exceeds the context length of 2048 tokens"), "too_long"),
    "prompt silently cut": (replies.text("{}", usage=(3, 5)), "truncated"),
    "html": (replies.html(), "unavailable"),
    "error in a 200": (replies.odd_200({"error": {"message": f"overloaded {KEY}"}}), "unavailable"),
    "null choices": (replies.odd_200({"choices": None}), "unavailable"),
    "server error": (replies.status(500, f"at {KEY}"), "unavailable"),
    "rate limit without end": (replies.rate_limited("30"), "unavailable"),
    "no answer": (replies.HANG, "timeout"),
    "dropped": (replies.DROP, "unavailable"),
}


def meeting(fault: Reply, *, once: bool = False) -> Script:
    """The fault for calls about one document (only their first request with ``once``); good replies else."""
    met: set[str] = set()

    def script(number: int, body: Body) -> Reply:
        said = str(body["messages"][1]["content"])
        if MARK not in said or (once and said in met):
            return generator_script(number, body)
        met.add(said)
        return fault

    return script


def draft(folder: Path, url: str, per_chunk: int = 3) -> tuple[SynthReport, list[CallRecord]]:
    db = folder / "set.duckdb"
    models = ModelSettings(model="gen", base_url=url, api_key=SecretStr(KEY), timeout=1.5, concurrency=4)
    chunking = ChunkOptions(size=700, minimum=300)
    options = SynthOptions(db, folder / "docs", per_chunk, chunking=chunking, models=models)
    report = asyncio.run(synthesize(options))
    with open_store(db) as store:
        return report, list(store.calls.records())


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("set.duckdb*"))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_its_chunk_and_nothing_else(tmp_path: Path, start_stub: StartStub, fault: str) -> None:
    answer, kind = FAULTS[fault]
    write_docs(tmp_path / "docs")
    stub = start_stub(meeting(answer))
    report, calls = draft(tmp_path, stub.url)
    failed = [call for call in calls if call.status == "failed"]
    assert report.calls_failed == {kind: 2} and report.chunks_asked == 8
    assert report.questions == 18, "six chunks of three"
    assert [call.failure_kind for call in failed] == [kind] * 2
    assert all(call.failure_message and "\n" not in call.failure_message for call in failed)
    counted = sum(call.usage.prompt_tokens + call.usage.completion_tokens for call in failed)
    told = replies.tokens(answer) if '"usage"' in answer.body and "prompt_tokens" in answer.body else 0
    assert counted == told * sum(call.usage.attempts for call in failed)
    assert KEY.encode() not in all_bytes(tmp_path)

    stub.script = generator_script
    again, _ = draft(tmp_path, stub.url)
    settled = kind == "content_filter"
    assert again.questions == (18 if settled else 24), "the next run asks only for what is missing"
    assert again.calls.made <= (0 if settled else 4)


@pytest.mark.parametrize(
    "fault", ["prose", "another schema", "no content", "cut at the limit", "server error"]
)
def test_a_passing_fault_costs_nothing_but_time_and_tokens(
    tmp_path: Path, start_stub: StartStub, fault: str
) -> None:
    write_docs(tmp_path / "docs")
    stub = start_stub(meeting(FAULTS[fault][0], once=True))
    report, calls = draft(tmp_path, stub.url)
    assert report.questions == 24 and not report.calls_failed
    assert sum(call.usage.attempts for call in calls) == len(stub.chats) > len(calls)


def test_a_rate_limit_that_ends_loses_nothing(tmp_path: Path, start_stub: StartStub) -> None:
    write_docs(tmp_path / "docs")
    stub = start_stub(meeting(replies.rate_limited("0.2"), once=True))
    report, _ = draft(tmp_path, stub.url)
    assert report.questions == 24 and not report.calls_failed


def test_how_an_endpoint_speaks_is_remembered_by_the_set(tmp_path: Path, start_stub: StartStub) -> None:
    """What the first run found out by refusals, the second knows."""

    def only_tools(number: int, body: Body) -> Reply:
        if "tools" not in body:
            return replies.status(400, "response_format is not supported")
        return generator_script(number, body)

    write_docs(tmp_path / "docs", documents=1)
    stub = start_stub(only_tools)
    draft(tmp_path, stub.url)
    refused = [chat for chat in stub.chats if "tools" not in chat.body]
    assert refused
    write_docs(tmp_path / "docs" / "more", documents=3)
    before = len(stub.chats)
    report, _ = draft(tmp_path, stub.url)
    assert report.calls.made > 0
    assert all("tools" in chat.body for chat in stub.chats[before:])


def test_more_questions_a_chunk_ask_only_for_the_further_styles(
    tmp_path: Path, start_stub: StartStub
) -> None:
    write_docs(tmp_path / "docs")
    stub = start_stub(generator_script)
    made = [draft(tmp_path, stub.url, per_chunk=count)[0] for count in (2, 3, 3, 2)]
    assert [report.questions for report in made] == [16, 24, 24, 16]
    assert [report.calls.made for report in made][2:] == [0, 0]
    styles = [len(generated_styles(chat.body)) for chat in stub.chats if stage(chat.body) == "Questions"]
    assert styles == [2] * 8 + [1] * 8


def generated_styles(body: Body) -> list[str]:
    return list(body["response_format"]["json_schema"]["schema"]["properties"])
