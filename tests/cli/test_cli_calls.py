import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Goldgen

from goldgen.store import open_store
from goldgen.types import CallRecord, Message, Usage

OK = CallRecord(
    key="ab120000000000000001",
    stage="synth",
    model="gen",
    endpoint="http://127.0.0.1:9/v1",
    prompt_hash="prompt-hash",
    messages=(Message("system", "Ask."), Message("user", "About [red]{{ x }}[/red] :smile:\n\tüber\x1b[2J")),
    status="ok",
    reply='{"questions": [{"text": "Wie läuft es?"}]}',
    usage=Usage(1200, 34, 2),
    seconds=0.51,
    usd=0.00125,
    parameters={"max_tokens": "800", "temperature": "0"},
)
FAILED = replace(
    OK,
    key="cd340000000000000002",
    stage="verify",
    model="[bold]ver",
    status="failed",
    reply="",
    failure_kind="bad_request",
    failure_message="[/red] \x1b[31mno\n\nsuch thing " + "as this " * 20,
    usage=Usage(7, 0, 3),
    usd=None,
)


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    """The set where the command looks for it, with two calls."""
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        store.calls.put(OK)
        store.calls.put(FAILED)
    return path


def printed(goldgen: Goldgen, *arguments: str) -> str:
    run = goldgen("calls", *arguments)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_the_list_has_a_line_a_call_and_totals(goldgen: Goldgen) -> None:
    lines = [line for line in printed(goldgen).splitlines() if line.strip()]
    failed, ok = (line.split() for line in lines[1:3])
    assert failed[:4] == ["cd340000", "verify", "[bold]ver", "failed"]
    assert failed[4:10] == ["7", "+", "0", "unknown", "0.5", "3"]
    assert " ".join(failed[10:]).startswith("bad_request: [/red] \\x1b[31mno such thing as this")
    assert failed[-1].endswith("…")
    assert ok == ["ab120000", "synth", "gen", "ok", "1200", "+", "34", "0.001250", "0.5", "2"]
    totals = [line.split() for line in lines if line.startswith(("synth", "verify"))]
    assert totals == [
        ["synth", "gen", "1", "0", "1200", "+", "34", "0.001250", "0", "0.5"],
        ["verify", "[bold]ver", "1", "1", "7", "+", "0", "unknown", "1", "0.5"],
    ]
    assert lines[-1] == "2 of 2 calls; goldgen calls show KEY prints one"


def test_a_limit_is_told(goldgen: Goldgen) -> None:
    out = printed(goldgen, "--limit", "1")
    assert "cd340000" in out and "ab120000" not in out
    assert "1 of 2 calls; --limit 0 lists all; " in out


def test_filters(goldgen: Goldgen) -> None:
    assert keys(printed(goldgen, "--status", "ok", "--json")) == [OK.key]
    assert keys(printed(goldgen, "--failure", "bad_request", "--json")) == [FAILED.key]
    assert keys(printed(goldgen, "--stage", "verify", "--model", "[bold]ver", "--json")) == [FAILED.key]
    assert printed(goldgen, "--stage", "near_miss").startswith("no call matches")


def keys(out: str) -> list[str]:
    return [call["key"] for call in json.loads(out)["calls"]]


def test_a_call_is_printed_as_plain_text(goldgen: Goldgen) -> None:
    out = printed(goldgen, "show", "ab12")
    assert "endpoint    http://127.0.0.1:9/v1\n" in out
    assert "prompt      prompt-hash\n" in out
    assert "parameters  max_tokens 800, temperature 0\n" in out
    assert "price       0.001250 USD\n" in out
    assert "\n--- system\nAsk.\n\n--- user\nAbout [red]{{ x }}[/red] :smile:\n\tüber\\x1b[2J\n" in out
    assert out.endswith(
        '--- reply\n{\n  "questions": [\n    {\n      "text": "Wie läuft es?"\n    }\n  ]\n}\n'
    )


def test_a_failed_call_is_printed_with_its_whole_error(goldgen: Goldgen) -> None:
    out = printed(goldgen, "show", FAILED.key)
    assert "price       unknown\n" in out
    assert "--- failed: bad_request\n[/red] \\x1b[31mno\n\nsuch thing " + "as this " * 20 in out
    assert "--- reply" not in out


def test_json_has_a_call_as_it_is_stored(goldgen: Goldgen) -> None:
    shown = json.loads(printed(goldgen, "show", "ab12", "--json"))
    assert shown["call"]["messages"][1]["content"] == OK.messages[1].content
    assert json.loads(shown["call"]["reply"]) == {"questions": [{"text": "Wie läuft es?"}]}
    assert shown["ended_at"].endswith("+00:00")


def test_the_set_may_be_named_before_show_or_after(goldgen: Goldgen, db: Path, tmp_path: Path) -> None:
    db.rename(tmp_path / "other.duckdb")
    before = printed(goldgen, "--db", "other.duckdb", "show", "ab12")
    assert before == printed(goldgen, "show", "ab12", "--db", "other.duckdb")
    assert f"key         {OK.key}\n" in before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--db", "nowhere.duckdb"), "no golden set at nowhere.duckdb"),
        (("--failure", "late"), "--failure is 'late'"),
        (("show", "0000"), "no call in outputs/goldgen.duckdb"),
        (("show", "a"), "'a' is too short"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(goldgen: Goldgen, arguments: tuple[str, ...], says: str) -> None:
    run = goldgen("calls", *arguments)
    assert (run.returncode, run.stdout) == (1, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith("error: ") and says in line


@pytest.mark.parametrize("arguments", [("--status", "late"), ("--limit", "-1"), ("show",)], ids=" ".join)
def test_wrong_usage_is_exit_code_2(goldgen: Goldgen, arguments: tuple[str, ...]) -> None:
    run = goldgen("calls", *arguments)
    assert run.returncode == 2
    assert "Usage: goldgen calls" in run.stderr
