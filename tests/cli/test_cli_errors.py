import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GOLDGEN, Goldgen
from stub import replies
from stub.generator import generator_script
from stub.server import Body, Reply, StartStub

from goldgen.store import open_store

KEY = "sk-test-0123456789abcdef"


def only_line(run: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error; nothing on standard output, no traceback."""
    assert run.returncode == 1, run.stderr
    assert run.stdout == ""
    # A slow machine tells its progress before.
    *before, line = run.stderr.splitlines()
    assert line.startswith("error: ") and not any("error" in told or "Traceback" in told for told in before)
    return line


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (replies.wrong_key(f"Bearer {KEY}"), "OPENAI_API_KEY"),
        (replies.no_such_model(), "model 'gen' or the path was not found"),
    ],
    ids=["wrong key", "wrong model"],
)
def test_an_endpoint_that_refuses_all_is_one_line(
    goldgen: Goldgen, docs: Path, start_stub: StartStub, answer: Reply, says: str
) -> None:
    stub = start_stub(replies.in_turn(answer))
    line = only_line(goldgen("synth", "docs", "--base-url", stub.url, "--model", "gen", OPENAI_API_KEY=KEY))
    assert says in line and stub.url in line
    assert KEY not in line
    assert stub.chats[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_dead_endpoint_is_one_line(goldgen: Goldgen, docs: Path) -> None:
    line = only_line(goldgen("synth", "docs", "--base-url", "http://127.0.0.1:9/v1", "--model", "gen"))
    assert "http://127.0.0.1:9/v1: nothing answers" in line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("synth", "nowhere", "--model", "gen"), "no such file or folder: nowhere"),
        (("synth", "empty", "--model", "gen"), "it is empty"),
        (("synth", "pictures", "--model", "gen"), "pictures: 1 files of kind .png"),
        (("synth", "docs", "--base-url", "http://127.0.0.1:9/v1"), "give --model"),
        (
            ("synth", "docs", "--base-url", "127.0.0.1:9/v1", "--model", "gen"),
            "'127.0.0.1:9/v1' is no endpoint",
        ),
        (("synth", "docs", "--per-chunk", "99", "--model", "gen"), "--per-chunk is 99"),
        (("synth", "docs", "--model", "gen", "--prompts", "nowhere"), "nowhere"),
        (("synth", "docs", "--model", "gen", "--db", "docs"), "docs is a folder"),
        (("verify", "--verifier-model", "ver"), "no golden set at outputs/goldgen.duckdb"),
        (("eval", "--retriever", "bm25"), "no golden set at outputs/goldgen.duckdb"),
        (("eval", "--db", "docs/page-10.md"), "is not a golden set"),
        (("status",), "no golden set at outputs/goldgen.duckdb"),
        (("logs", "add", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(
    goldgen: Goldgen, docs: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert says in only_line(goldgen(*arguments))


def without_roots_rights() -> tuple[str, ...]:
    """What makes a command obey the rights of files, also where tests run as root."""
    if os.name != "posix":
        pytest.skip("rights of files are those of POSIX")
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and setpriv (util-linux) is not there to change that")
    return "setpriv", "--bounding-set=-dac_override,-dac_read_search"


@pytest.mark.parametrize(
    ("locked", "arguments"),
    [
        ("docs", ("synth", "docs", "--model", "gen", "--base-url", "http://127.0.0.1:9/v1")),
        ("prompts", ("synth", "docs", "--prompts", "prompts", "--offline")),
        ("queries.csv", ("logs", "add", "queries.csv", "--offline")),
        ("set.duckdb", ("status", "--db", "set.duckdb")),
    ],
    ids=["folder", "prompts", "log", "set"],
)
def test_what_may_not_be_read_is_one_line(
    goldgen: Goldgen, docs: Path, tmp_path: Path, locked: str, arguments: tuple[str, ...]
) -> None:
    rights = without_roots_rights()
    (tmp_path / "prompts" / "styles").mkdir(parents=True)
    for name in ("queries.csv", "set.duckdb"):
        (tmp_path / name).touch()
    (tmp_path / locked).chmod(0)
    try:
        ended = subprocess.run(
            [*rights, GOLDGEN, *arguments],
            cwd=tmp_path,
            env=goldgen.environment({}),
            capture_output=True,
            text=True,
            timeout=100,
        )
    finally:
        (tmp_path / locked).chmod(0o700)
    assert locked in only_line(ended)


def test_a_set_in_use_names_its_file_and_process(goldgen: Goldgen, tmp_path: Path) -> None:
    with open_store(tmp_path / "set.duckdb"):
        line = only_line(goldgen("status", "--db", "set.duckdb"))
    assert f"golden set set.duckdb is in use by process {os.getpid()}" in line


def test_a_model_does_not_judge_its_own_questions(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    made = goldgen("synth", "docs", "--sample", "1", "--base-url", stub.url, "--model", "vendor/gen")
    assert made.returncode == 0, made.stderr
    before = len(stub.chats)
    line = only_line(goldgen("verify", "--base-url", stub.url, "--verifier-model", "gen"))
    assert "--allow-same-model" in line and len(stub.chats) == before
    judged = goldgen("verify", "--base-url", stub.url, "--verifier-model", "gen", "--allow-same-model")
    assert judged.returncode == 0, judged.stderr
    assert "mark        the verifier is of the same model as the generator" in judged.stdout


def test_a_run_without_a_question_says_why(goldgen: Goldgen, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(lambda number, _: replies.refusal() if number % 2 else replies.filtered())
    run = goldgen("synth", "docs", "--sample", "4", "--base-url", stub.url, "--model", "gen")
    assert run.returncode == 1 and run.stdout == ""
    line = run.stderr.splitlines()[-1]
    assert line.startswith("error: no question came of 4 chunks")
    assert "2 refusal" in line and "2 content_filter" in line


def test_what_fails_for_one_chunk_does_not_stop_the_others(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    def filtered_where_it_says_exports(number: int, body: Body) -> Reply:
        if "exports in the Pro plan" in str(body):
            return replies.request_filtered()
        return generator_script(number, body)

    stub = start_stub(filtered_where_it_says_exports)
    command = ("synth", "docs", "--chunk-size", "700", "--base-url", stub.url, "--model", "gen")
    first = goldgen(*command)
    assert first.returncode == 0
    assert "questions   18 of 24 asked for; chunks failed: 2 content_filter" in first.stdout
    before = len(stub.chats)
    again = goldgen(*command)
    assert "chunks failed: 2 content_filter" in again.stdout
    assert len(stub.chats) == before, "what the filter stopped is not asked again"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("synth",),
        ("synth", "docs", "--sample", "0"),
        ("verify", "--floor", "2"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(goldgen: Goldgen, arguments: tuple[str, ...]) -> None:
    run = goldgen(*arguments)
    assert run.returncode == 2
    assert "Usage: goldgen" in run.stderr and "Traceback" not in run.stderr


def test_help_is_quick_because_it_loads_nothing_heavy() -> None:
    code = "import goldgen.cli.main"
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in run.stderr.splitlines()}
    assert "typer" in loaded
    heavy = {"openai", "instructor", "duckdb", "numpy", "torch", "pydantic", "scipy", "bs4", "docutils"}
    assert loaded & heavy == set()


def test_help_and_version(goldgen: Goldgen) -> None:
    helped = goldgen("--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert all(name in helped.stdout for name in ("synth", "verify", "logs", "eval", "status"))
    assert goldgen("--version").stdout.startswith("goldgen ")
