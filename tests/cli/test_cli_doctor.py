import json
import subprocess
from pathlib import Path

import pytest
from conftest import Goldgen
from stub import replies
from stub.server import StartStub

KEY = "sk-test-0123456789abcdef"
GREEN = replies.ok({"colour": "green"})


def examine(goldgen: Goldgen, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Everything at one endpoint; keys in the environment, as always."""
    return goldgen(
        *("doctor", "--base-url", url, "--model", "gen", "--verifier-model", "ver"),
        *("--embedding-base-url", url, "--embedding-model", "emb", *arguments),
        OPENAI_API_KEY=KEY,
        GOLDGEN_EMBEDDING_API_KEY=KEY,
        HF_HUB_OFFLINE="1",
    )


def test_all_right_is_a_line_a_check(goldgen: Goldgen, start_stub: StartStub, tmp_path: Path) -> None:
    stub = start_stub(replies.in_turn(GREEN))
    run = examine(goldgen, stub.url, "--price", "1,2", "--verifier-price", "3,4")
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert f"ok    generator         gen at {stub.url}, key set" in lines
    assert "ok    verifier price    $3.00 in, $4.00 out for a million tokens" in lines
    assert not any(line.startswith("FAIL") for line in lines)
    warned = next(number for number, line in enumerate(lines) if line.startswith("warn  cross-encoder"))
    assert lines[warned + 1].startswith(" " * 24), "the advice stands below"
    assert lines[-2] == "" and lines[-1].startswith("Everything that a run needs works")
    assert f"a fixed test question goes to gen at {stub.url}" in run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_wrong_key_fails_and_is_shown_nowhere(goldgen: Goldgen, start_stub: StartStub, form: str) -> None:
    stub = start_stub(replies.in_turn(replies.wrong_key(f"Bearer {KEY}\x1b[31m")))
    run = examine(goldgen, stub.url, *(["--json"] if form == "json" else []))
    assert run.returncode == 1
    assert KEY not in run.stdout + run.stderr and "\x1b" not in run.stdout
    assert stub.chats[0].headers["authorization"] == f"Bearer {KEY}"
    if form == "json":
        checks = {check["name"]: check for check in json.loads(run.stdout)["checks"]}
        assert checks["generator call"]["state"] == "failed"
        assert checks["golden set"]["state"] == "ok"
    else:
        assert any(line.startswith("FAIL  generator call") for line in run.stdout.splitlines())
        assert "checks failed (generator call, verifier call)" in run.stdout


def test_settings_that_cannot_be_read_are_one_line(goldgen: Goldgen, tmp_path: Path) -> None:
    (tmp_path / "goldgen.toml").write_text("model =", encoding="utf-8")
    run = goldgen("doctor")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("error: goldgen.toml is not valid TOML")
