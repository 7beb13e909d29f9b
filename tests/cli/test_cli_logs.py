"""``goldgen logs add`` as it is installed: several logs, standard input, and what is shown before."""

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import spacy
from conftest import GOLDGEN, Goldgen
from stub.generator import generator_script
from stub.server import StartStub

LOG = (
    "query;time;who;clicked\r\n"
    "mail to jane.doe@example.com fails;2024-05-06T10:00:00;visitor-77;no\r\n"
    "mail to my lead bounces;2024-05-06T10:01:00;visitor-77;yes\r\n"
    "login;2024-05-06T10:02:00;visitor-77;yes\r\n"
    ";;;\r\n"
    '"=HYPERLINK(""http://x"")";;;\r\n'
)
SECRETS = ("jane.doe", "visitor-77")


def piped(goldgen: Goldgen, raw: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [GOLDGEN, *arguments],
        cwd=goldgen.folder,
        env=goldgen.environment({}),
        input=raw,
        capture_output=True,
        timeout=100,
    )


def test_logs_from_files_and_standard_input_and_nothing_personal_anywhere(
    goldgen: Goldgen, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mail.md").write_text("# Mail\n\nMail fails without rights.\n", encoding="utf-8")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.csv").write_text(LOG, encoding="utf-8-sig")
    (tmp_path / "logs" / "log.csv.gz").write_bytes(gzip.compress(LOG.encode("utf-8-sig")))
    assert goldgen("corpus", "load", "docs").returncode == 0
    endpoint = ("--verifier-base-url", stub.url, "--verifier-model", "ver")
    dense = ("--embedding-base-url", stub.url, "--embedding-model", "vectors")
    common = ("--user", "who", "--sample", "2", *endpoint, *dense)

    shown = goldgen("logs", "add", "logs/log.csv", *common, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "  EMAIL       xxxx.xxx@xxxxxxx.xxx in: mail to <EMAIL> fails" in shown.stdout
    plan = json.loads(goldgen("logs", "add", "logs/log.csv", *common, "--dry-run", "--json").stdout)
    assert plan["log"]["scrubbed"] == {"EMAIL": 1} and plan["at_most"]["calls"] > 0

    added = goldgen("logs", "add", "logs/log.csv", "logs/log.csv.gz", *common)
    assert added.returncode == 0, added.stderr
    assert "rows        5, 3 distinct queries" in added.stdout
    assert "line 4: navigation" in added.stdout and "line 5: the query is empty" in added.stdout
    assert "rewritten   1 queries" in added.stdout
    assert "questions   2; head " in added.stdout
    again = piped(goldgen, gzip.compress(LOG.encode("utf-8-sig")), "logs", "add", "-", *common, "--json")
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert (report["rows"], report["queries"], report["questions"]) == (5, 3, 2)
    assert report["rejected"] == {"navigation": 1, "the query is empty": 1}
    assert "=HYPERLINK" in (tmp_path / "logs" / "log.csv").read_text(encoding="utf-8-sig")

    told = "".join(
        [shown.stdout, shown.stderr, added.stdout, added.stderr, json.dumps(plan), json.dumps(report)]
    )
    stored = b"".join(path.read_bytes() for path in (tmp_path / "outputs").rglob("*") if path.is_file())
    asked = repr(stub.requests)
    for secret in SECRETS:
        assert secret not in told and secret not in asked
        assert secret.encode() not in stored


def test_names_of_people_are_replaced_on_every_way(
    goldgen: Goldgen, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    endpoint = ("--verifier-base-url", stub.url, "--verifier-model", "ver")
    add = ("logs", "add", *endpoint, "--embedding-base-url", stub.url, "--embedding-model", "vectors")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "badges.md").write_text("# Badges\n\nA badge opens the door.\n", encoding="utf-8")
    pipeline = spacy.blank("en")
    ruler: Any = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ada Quill"}])
    pipeline.to_disk(tmp_path / "names")
    log = "query\nnew badge for Ada Quill\nbadge of Ada Quill lost\n"
    (tmp_path / "log.csv").write_text(log, encoding="utf-8")
    assert goldgen("corpus", "load", "docs").returncode == 0

    def plan(*flags: str) -> dict[str, Any]:
        return json.loads(goldgen(*add, "log.csv", "--dry-run", "--json", *flags).stdout)

    assert plan()["log"]["scrubbed"] == {}
    (tmp_path / "goldgen.toml").write_text('names = "names"\n', encoding="utf-8")
    assert plan()["log"]["examples"] == {
        "PERSON": ["xxx xxxxx in: new badge for <PERSON>", "xxx xxxxx in: badge of <PERSON> lost"]
    }
    assert plan("--names", "")["log"]["scrubbed"] == {}
    added = goldgen(*add, "log.csv")
    assert added.returncode == 0, added.stderr
    assert "replaced    2 PERSON" in added.stdout
    again = piped(goldgen, log.encode(), *add, "-", "--json")
    assert json.loads(again.stdout)["scrubbed"] == {"PERSON": 2}
    assert b"Quill" not in (tmp_path / "outputs" / "goldgen.duckdb").read_bytes()

    wrong = goldgen(*add, "log.csv", "--names", "nowhere")
    assert (wrong.returncode, wrong.stdout) == (1, "") and "there is no spaCy model 'nowhere'" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1
