"""The installed commands gate, runs and compare, from an evaluation to the verdict."""

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Goldgen

from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question

FACTS = {"exports": "Exports run at night.", "seats": "The Basic plan has 5 seats."}
QUESTIONS = {"exports": "When do exports run?", "seats": "How many seats has Basic?"}
MODULE = """
def swapped(question, k):
    return ["chunk-exports" if "seats" in question else "chunk-seats"]
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a set of two questions, evaluated twice by bm25, and the first report in a file."""
    folder = tmp_path_factory.mktemp("evaluated")
    with open_store(folder / "set.duckdb") as store:
        for key, text in FACTS.items():
            chunk = Chunk(f"chunk-{key}", f"doc-{key}", text, 0, len(text))
            store.corpus.replace_document(Document(f"doc-{key}", f"{key}.md", text), [chunk])
            question = Question(f"q-{key}", QUESTIONS[key], "manual", "fact", chunk.id, chunk.document_id)
            store.questions.add([question])
            store.judgments.put([Judgment(question.id, chunk.id, "claude-judge", grade=3)])
    (folder / "mysearch.py").write_text(MODULE, encoding="utf-8")
    command = Goldgen(folder)
    for name, retrievers in (("main.json", ("bm25",)), ("now.json", ("bm25", "mysearch:swapped"))):
        named = (part for retriever in retrievers for part in ("--retriever", retriever))
        run = command("eval", "--db", "set.duckdb", "--json", *named)
        assert run.returncode == 0, run.stderr
        (folder / name).write_text(run.stdout, encoding="utf-8")
    return folder


class Elsewhere(Goldgen):
    """The command outside of GitHub Actions, unless told otherwise."""

    @staticmethod
    def environment(added: Mapping[str, str]) -> dict[str, str]:
        return Goldgen.environment({"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""} | dict(added))


@pytest.fixture
def command(evaluated: Path) -> Goldgen:
    return Elsewhere(evaluated)


def test_an_unchanged_retriever_passes_and_what_is_not_checked_is_said(command: Goldgen) -> None:
    run = command("gate", "--db", "set.duckdb", "--baseline", "main.json")
    assert (run.returncode, run.stderr) == (0, "")
    current, check, *notes, last = run.stdout.splitlines()
    assert current.startswith("current     the latest evaluation in set.duckdb, made 20")
    assert check.startswith(
        "check       bm25 passes: no nDCG@10 lost against main.json (margin 0.02; observed"
    )
    assert notes[0] == "note        not checked, for main.json does not have it: mysearch:swapped"
    assert "2 sources" in notes[1]
    assert last == "gate        pass: 1 of 1 checks pass"


def test_a_failure_reaches_the_exit_code_the_junit_file_and_github(command: Goldgen, tmp_path: Path) -> None:
    junit, page = tmp_path / "new" / "gate.xml", tmp_path / "summary.md"
    page.write_text("before\n", encoding="utf-8")
    run = command(
        "gate", "--current", "now.json", "--min", "R@1=0.5", "--junit", str(junit),
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page),
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (3, "")
    assert "gate        fail: 1 of 2 checks pass" in run.stdout
    title = "goldgen gate%3A mysearch%3Aswapped%2C R@1 at least 0.5"
    assert f"::error title={title}::mysearch:swapped fails: R@1 is at most 0.000 (floor 0.5; " in run.stdout
    assert page.read_text(encoding="utf-8").startswith("before\n### goldgen gate: fail\n")
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_an_unproven_set_is_inconclusive_and_json_stays_json(command: Goldgen) -> None:
    run = command("gate", "--db", "set.duckdb", "--require-proven", "--json", "--github")
    assert run.returncode == 4
    found = json.loads(run.stdout)
    assert (found["verdict"], found["checks"][0]["subject"]) == ("inconclusive", "the set")
    assert run.stderr.startswith(
        "::warning title=goldgen gate%3A the set%2C proven::the set is inconclusive: "
    )


def test_a_gate_that_cannot_decide_leaves_no_earlier_answer_behind(command: Goldgen, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    junit.write_text("<testsuites/>", encoding="utf-8")
    run = command(
        "gate", "--baseline", "gone.json", "--current", "now.json", "--junit", str(junit), "--github"
    )
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("error: cannot read gone.json: No such file or directory")
    assert run.stdout.startswith("::error title=goldgen gate::cannot read gone.json")
    assert ElementTree.parse(junit).getroot()[0].get("errors") == "1"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--margin", "0.1", "--min", "R@5=0.5"), "--metric, --margin and --common need --baseline FILE"),
        (("--baseline", "main.json", "--junit", "."), "cannot write .: Is a directory; name another file"),
    ],
)
def test_what_would_be_ignored_or_cannot_be_written_is_one_line(
    command: Goldgen, arguments: tuple[str, ...], says: str
) -> None:
    run = command("gate", "--db", "set.duckdb", *arguments)
    (line,) = run.stderr.splitlines()
    assert run.returncode == 1 and line.startswith("error: ") and says in line


def test_kept_runs_are_listed_and_compared(command: Goldgen) -> None:
    heading, *rows = command("runs", "--db", "set.duckdb").stdout.splitlines()
    assert heading.split()[:2] == ["run", "when"] and heading.split()[-2:] == ["nDCG@10", "set"]
    assert len(rows) == 3 and all(row.endswith("  present") for row in rows)
    (shown, left) = command("runs", "--db", "set.duckdb", "--limit", "1").stdout.splitlines()[1:]
    assert shown.split() == rows[0].split() and left == "and 2 earlier ones; --limit 0 lists all"
    kept = json.loads(command("runs", "--db", "set.duckdb", "--json").stdout)
    assert [run["short_id"] for run in kept["runs"]] == [row.split()[0] for row in rows]

    told = command("compare", "bm25", "mysearch:swapped", "--db", "set.duckdb", "--metric", "rr@10")
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert lines[0].endswith("1.000 RR@10") and lines[1].endswith("0.000 RR@10")
    assert "questions   2: 0 gain, 2 lose, 0 stay" in lines
    assert sum(line.startswith("lost        1.000 -> 0.000  ") for line in lines) == 2
    assert "settings    retriever: bm25 -> mysearch:swapped" in lines
    assert "can't be told apart with 2 questions" in told.stdout
    same = command("compare", "bm25", rows[-1].split()[0], "--db", "set.duckdb", "--json")
    assert json.loads(same.stdout)["difference"]["mean"] == 0.0
    unknown = command("compare", "bm25", "nothing", "--db", "set.duckdb")
    assert unknown.returncode == 1 and unknown.stderr.startswith(
        "error: set.duckdb keeps no run 'nothing'; the l"
    )
