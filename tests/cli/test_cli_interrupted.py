import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Goldgen, write_docs
from stub import replies
from stub.generator import generator_script
from stub.server import Body, Reply, StartStub, Stub

from goldgen.store import open_store
from goldgen.types import CallRecord, NearMiss, Question

SET = Path("outputs/goldgen.duckdb")


def slow(number: int, body: Body) -> Reply:
    return replace(generator_script(number, body), delay=0.1)


def stuck_after_five(number: int, body: Body) -> Reply:
    """A model that stops answering in the middle of a run."""
    return generator_script(number, body) if number < 5 else replies.HANG


def dry_after_five(number: int, body: Body) -> Reply:
    return generator_script(number, body) if number < 5 else replies.out_of_quota()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_docs(tmp_path / "docs", documents=5)


def synth(stub: Stub, db: Path = SET) -> tuple[str, ...]:
    model = ("--base-url", stub.url, "--model", "gen", "--concurrency", "2")
    return "synth", "docs", "--chunk-size", "700", "--db", str(db), *model


def wait_for_chats(stub: Stub, running: subprocess.Popen[str], count: int) -> None:
    until = time.monotonic() + 30
    while len(stub.chats) < count:
        assert running.poll() is None and time.monotonic() < until, running.communicate()
        time.sleep(0.01)


def calls(db: Path) -> list[CallRecord]:
    with open_store(db) as store:
        return list(store.calls.records())


def drafts(db: Path) -> tuple[list[Question], list[NearMiss]]:
    with open_store(db) as store:
        by_id = sorted(store.questions.all(), key=lambda question: question.id)
        return by_id, sorted(store.questions.near_misses(), key=lambda near_miss: near_miss.id)


def asked(stub: Stub, since: int) -> list[list[str]]:
    return [[str(m["content"]) for m in request.body["messages"]] for request in stub.chats[since:]]


def answered(records: list[CallRecord]) -> list[list[str]]:
    return [[message.content for message in record.messages] for record in records]


def test_a_killed_run_goes_on_where_it_was(goldgen: Goldgen, tmp_path: Path, start_stub: StartStub) -> None:
    write_docs(tmp_path / "docs", documents=8)
    stub = start_stub(slow)
    running = goldgen.start(*synth(stub))
    wait_for_chats(stub, running, 13)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    time.sleep(0.2)  # the server finishes what it was asked
    committed, before = answered(calls(tmp_path / SET)), len(stub.chats)
    assert 10 <= len(committed) < before

    stub.script = generator_script
    assert goldgen(*synth(stub)).returncode == 0
    repeated = [question for question in asked(stub, before) if question in committed]
    assert repeated == []
    assert len(calls(tmp_path / SET)) == len(committed) + len(stub.chats) - before

    undisturbed = tmp_path / "undisturbed.duckdb"
    assert goldgen(*synth(stub, undisturbed)).returncode == 0
    assert drafts(tmp_path / SET) == drafts(undisturbed)
    assert len(drafts(undisturbed)[0]) == 48


def test_ctrl_c_stops_at_once_and_says_how_to_go_on(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(stuck_after_five)
    running = goldgen.start(*synth(stub), "--near-miss", "0")
    wait_for_chats(stub, running, 7)
    started = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=90)
    assert time.monotonic() - started < 60, "the calls under way would take 120"
    assert running.returncode == 130
    *_, line = stderr.splitlines()  # a slow machine tells its progress before
    assert line.startswith("stopped") and "the same command goes on" in line
    committed, before = answered(calls(tmp_path / SET)), len(stub.chats)
    assert len(committed) == 5, "all that was answered is saved"

    stub.script = generator_script
    assert goldgen(*synth(stub), "--near-miss", "0").returncode == 0
    assert not [question for question in asked(stub, before) if question in committed]
    assert len(drafts(tmp_path / SET)[0]) == 30


def test_an_account_that_runs_dry_costs_nothing_twice(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(dry_after_five)
    stopped = goldgen(*synth(stub), "--near-miss", "0")
    assert stopped.returncode == 1
    *_, line = stopped.stderr.splitlines()
    assert line.startswith("error: ") and "quota" in line
    committed, before = answered(calls(tmp_path / SET)), len(stub.chats)
    assert len(committed) == 5 and before <= 7, "no retry, and none after the first refusal"

    stub.script = generator_script
    assert goldgen(*synth(stub), "--near-miss", "0").returncode == 0
    assert not [question for question in asked(stub, before) if question in committed]
    assert len(drafts(tmp_path / SET)[0]) == 30
