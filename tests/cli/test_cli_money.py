import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Goldgen
from stub.generator import generator_script
from stub.server import Body, Reply, StartStub, Stub

from goldgen.app.counting import CallCounts, dollars
from goldgen.store import open_store
from goldgen.types import Usage

SET = Path("outputs/goldgen.duckdb")
SIZE = ("--chunk-size", "700")


def synth(stub: Stub, *more: str) -> tuple[str, ...]:
    return "synth", "docs", *SIZE, "--base-url", stub.url, "--model", "gen", *more


def verify(stub: Stub, *more: str) -> tuple[str, ...]:
    model = ("--verifier-base-url", stub.url, "--verifier-model", "ver")
    return "verify", *model, "--controls", "5", "--complete", "0", *more


def test_a_dry_run_tells_the_calls_and_sends_nothing(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    told = goldgen(*synth(stub, "--dry-run"))
    assert told.returncode == 0, told.stderr
    assert stub.requests == [] and not (tmp_path / "outputs").exists()
    heading, first, *_, total = told.stdout.split("\n\n")[0].splitlines()
    assert heading.split() == [
        *("stage", "model", "calls", "remembered", "prompt", "tokens", "completion", "tokens", "price")
    ]
    assert first.split()[:4] == ["synth", "gen", "8", "0"] and first.endswith("price unknown")
    assert total.split()[:4] == ["total", "20", "to", "32"]
    assert "near_miss (estimate)" in told.stdout

    priced = json.loads(goldgen(*synth(stub, "--dry-run", "--json", "--price", "1,2")).stdout)
    most = priced["at_most"]
    assert most["usd"] == pytest.approx((most["prompt_tokens"] + 2 * most["completion_tokens"]) / 1e6)
    assert 0 < priced["expected"]["usd"] < most["usd"]
    assert stub.requests == []


def test_dry_runs_of_verify_and_logs_leave_the_set_as_it_is(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    assert goldgen(*synth(stub)).returncode == 0
    before, stored = len(stub.requests), (tmp_path / SET).read_bytes()
    (tmp_path / "log.csv").write_text("query\nexports stay readable\n", encoding="utf-8")
    judged = json.loads(goldgen(*verify(stub, "--dry-run", "--json", "--verifier-price", "1,2")).stdout)
    assert [(stage["stage"], stage["model"]) for stage in judged["stages"]] == [
        ("verify", "ver"),
        ("verify_strict", "ver"),
    ]
    assert judged["at_most"]["calls"] > 24 and judged["at_most"]["usd"] > 0
    logs = ("logs", "add", "log.csv", "--verifier-base-url", stub.url, "--verifier-model", "ver")
    labelled = json.loads(goldgen(*logs, "--dry-run", "--json").stdout)
    assert labelled["at_most"]["calls"] > 0 and labelled["at_most"]["usd"] is None
    assert len(stub.requests) == before and (tmp_path / SET).read_bytes() == stored


def test_the_price_of_a_run_is_told(goldgen: Goldgen, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    unknown = goldgen(*synth(stub, "--sample", "2", "--near-miss", "0"))
    assert "calls       2 to gen, 0 remembered; " in unknown.stdout
    assert "tokens, price unknown" in unknown.stdout
    known = goldgen(*synth(stub, "--sample", "4", "--near-miss", "0", "--price", "100,200", "--json"))
    calls = json.loads(known.stdout)["calls"]
    assert (calls["made"], calls["remembered"], calls["unpriced"]) == (2, 2, 0)
    usage = calls["usage"]
    spent = (100 * usage["prompt_tokens"] + 200 * usage["completion_tokens"]) / 1e6
    assert abs(calls["usd"] - spent) < 1e-9
    judged = goldgen(*verify(stub, "--verifier-price", "100,200"))
    (line,) = [line for line in judged.stdout.splitlines() if line.startswith("calls")]
    assert " to ver, 0 remembered; " in line and "tokens, $" in line


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (CallCounts(), "0 tokens, $0"),
        (CallCounts(2, usage=Usage(12_000, 340), usd=0.0123), "12,340 tokens, $0.0123"),
        (CallCounts(2, usage=Usage(10, 5), unpriced=2), "15 tokens, price unknown"),
        (CallCounts(3, usd=1.5, unpriced=1), "0 tokens, $1.50 and 1 calls of unknown price"),
    ],
)
def test_what_was_spent_in_words(counts: CallCounts, said: str) -> None:
    assert counts.spent == said


def test_small_prices_do_not_look_like_nothing() -> None:
    assert [dollars(usd) for usd in (None, 0.0, 0.000004, 0.5, 1234.5)] == [
        "price unknown",
        "$0",
        "under $0.0001",
        "$0.5000",
        "$1,234.50",
    ]


def test_money_and_tokens_run_with_the_progress(goldgen: Goldgen, docs: Path, start_stub: StartStub) -> None:
    def slow(number: int, body: Body) -> Reply:
        return replace(generator_script(number, body), delay=1.2)

    stub = start_stub(slow)
    one = ("--concurrency", "1", "--sample", "2", "--near-miss", "0", "--price", "100,200")
    run = goldgen(*synth(stub, *one))
    (line,) = [line for line in run.stderr.splitlines() if line.startswith("writing questions")]
    assert line.startswith("writing questions: 2 of 2, ") and " tokens, $0." in line


def test_the_progress_bar_shows_them_too(goldgen: Goldgen, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    few = ("--sample", "2", "--near-miss", "0", "--price", "100,200")
    run = goldgen(*synth(stub, *few), FORCE_COLOR="1", COLUMNS="80")
    assert re.search(r"writing questions .*2/2 \d:\d\d:\d\d [\d,]+ tokens, \$0\.\d{4}", run.stderr)


def test_a_run_stops_at_its_limit_of_calls_and_goes_on_later(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    stopped = goldgen(*synth(stub, "--near-miss", "0", "--max-calls", "5", "--concurrency", "2"))
    assert (stopped.returncode, stopped.stdout) == (1, "")
    *_, line = stopped.stderr.splitlines()  # a slow machine tells its progress before
    assert line.startswith("error: ") and "--max-calls" in line
    assert len(stub.chats) == 5
    with open_store(tmp_path / SET) as store:
        assert len(store.questions.all()) == 15, "what the five calls gave is kept"
    assert goldgen(*synth(stub, "--near-miss", "0")).returncode == 0
    assert len(stub.chats) == 8


def test_verify_keeps_the_judgments_that_its_limit_allowed(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    assert goldgen(*synth(stub)).returncode == 0
    before = len(stub.chats)
    stopped = goldgen(*verify(stub, "--max-calls", "20", "--concurrency", "2"))
    assert (stopped.returncode, stopped.stdout) == (1, "")
    assert len(stub.chats) == before + 20
    with open_store(tmp_path / SET) as store:
        judged = [judgment for judgment in store.judgments.all() if judgment.grade is not None]
        calls = {call.key for call in store.calls.records() if call.stage == "verify"}
    assert len(calls) == 20 and 10 < len(judged) <= 20
    assert {judgment.call_key for judgment in judged} <= calls
    assert goldgen(*verify(stub)).returncode == 0


def test_a_run_never_spends_more_than_it_may(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    stopped = goldgen(*synth(stub, "--price", "50,100", "--max-usd", "0.30"))
    assert stopped.returncode == 1 and stopped.stdout == ""
    *_, line = stopped.stderr.splitlines()
    assert line.startswith("error: ") and "--max-usd" in line
    with open_store(tmp_path / SET) as store:
        spent = sum(call.usd or 0.0 for call in store.calls.records())
        assert 0 < spent <= 0.30 and store.questions.all()


def test_label_completion_says_its_cost_before_it_starts(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    assert goldgen(*synth(stub, "--near-miss", "0", "--sample", "1")).returncode == 0
    (tmp_path / "log.csv").write_text("query,page\nzanzibar tariffs,page-10.md\n", encoding="utf-8")
    models = ("--verifier-base-url", stub.url, "--verifier-model", "ver")
    dense = ("--embedding-base-url", stub.url, "--embedding-model", "emb")
    command = ("logs", "add", "log.csv", *models, *dense, "--verifier-price", "1,2")
    before = len(stub.chats)
    planned = json.loads(goldgen(*command, "--dry-run", "--json").stdout)["stages"]
    sure, possible = (stage["at_most"]["calls"] for stage in planned)
    assert [stage["estimated"] for stage in planned] == [False, True]

    added = goldgen(*command)
    assert added.returncode == 0, added.stderr
    pairs = len(stub.chats) - before
    assert 0 < sure < pairs <= sure + possible, "dense search proposes more than bm25"
    assert f"judging {pairs} candidates: about " in added.stderr
    assert f"calls       {pairs} to ver, 0 remembered; " in added.stdout

    again = goldgen(*command)
    assert f"about 0 calls ({pairs} remembered), 0 tokens, $0" in again.stderr
    (known,) = json.loads(goldgen(*command, "--dry-run", "--json").stdout)["stages"]
    assert (known["at_most"]["calls"], known["remembered"]) == (0, pairs)
