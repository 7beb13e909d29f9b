"""Reviewing with the installed command, by a pipe and on a terminal."""

import json
import os
import re
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import GOLDGEN, Goldgen

from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question
from goldgen.verify.agreement import UNBLINDED

TEXTS = {
    "exports": "# Exports\n\nExports run at night. They are sent by mail.",
    "seats": "The Basic plan has 5 seats. More seats cost 3 euros each.",
    "alerts": "Alerts stop after 30 minutes. \x1b[2JQuiet hours begin at ten.",
}
IN_ORDER = ("--seed", "9")
"""Shows the question in dispute first."""
MACHINE = Judgment(
    "q-exports", "c-exports", "claude-judge", grade=3, document_id="d-exports",
    quote="Exports run at night.", start=11, end=32, answer="at night", reason="said so", votes=(3, 2, 3),
)  # fmt: skip


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    """Three questions; the verifier's votes on the first are in dispute."""
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        for key, text in TEXTS.items():
            chunk = Chunk(f"c-{key}", f"d-{key}", text, 0, len(text), f"Guide > {key.title()}")
            store.corpus.replace_document(Document(f"d-{key}", f"{key}.md", text), [chunk])
            asked = f"What about {key}?"
            store.questions.add([Question(f"q-{key}", asked, "log", "log")])
            store.judgments.put([Judgment(f"q-{key}", f"c-{key}", "claude-judge")])
        store.judgments.put([MACHINE])
    return path


def review(goldgen: Goldgen, keys: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GOLDGEN, "review", "--name", "Ann", *IN_ORDER, *arguments],
        cwd=goldgen.folder,
        env=goldgen.environment({}),
        input=keys,
        capture_output=True,
        text=True,
        timeout=100,
    )


def reviewed(goldgen: Goldgen, keys: str, *arguments: str) -> str:
    run = review(goldgen, keys, *arguments)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def verdicts(db: Path) -> dict[str, int | None]:
    """A person's grade by question."""
    with open_store(db, read_only=True) as store:
        return {j.question_id: j.grade for j in store.judgments.all() if j.judge_kind == "human"}


def test_one_key_grades_and_only_then_the_verifier_speaks(goldgen: Goldgen, db: Path) -> None:
    out = reviewed(goldgen, "1", "--terminal")
    before, after = out.split("── you graded 1")
    assert "1 of 3" in before and "What about exports?" in before and "exports.md" in before
    assert "Guide > Exports" in before and "# Exports" in before
    assert "claude-judge" not in before and "votes" not in before and "said so" not in before
    assert "claude-judge: grade 3 (votes 3, 2, 3)" in after
    assert "at night" in after and "said so" in after and "evidence    Exports run at night." in after
    assert "reviewed    1 pairs by Ann: 1 grade 1; 0 skipped, 2 left" in after
    assert verdicts(db) == {"q-exports": 1}


def test_nothing_before_the_grade_depends_on_the_verdict(goldgen: Goldgen, db: Path) -> None:
    shown: list[str] = []
    for grade in (0, 3, None):
        with open_store(db) as store:
            store.judgments.put([replace(MACHINE, grade=grade, votes=(), reason=f"reason {grade}")])
        shown.append(reviewed(goldgen, "s" * 3, "--show", "all"))
    assert shown[0] == shown[1] == shown[2]


def test_every_key(goldgen: Goldgen, db: Path) -> None:
    # Unknown, help, a note, grade, next; skip, undo the skip, grade, undo at once, grade again, next; quit.
    out = reviewed(goldgen, "x?nonly in part\n2.su3u0\nq")
    assert "0-3 grade" in out and "whoever reads it needs no other text" in out
    assert "2 skipped" not in out and "0 skipped, 1 left" in out and "marked as known" in out
    assert verdicts(db)["q-exports"] == 2 and sorted(map(str, verdicts(db).values())) == ["0", "2"]
    with open_store(db, read_only=True) as store:
        human = {j.reason: j for j in store.judgments.all() if j.judge_kind == "human"}
    assert {reason: verdict.grade for reason, verdict in human.items()} == {"only in part": 2, UNBLINDED: 0}
    assert human["only in part"].judge == "Ann"


def test_undo_goes_back_over_several_verdicts(goldgen: Goldgen, db: Path) -> None:
    out = reviewed(goldgen, "3.3.uuu")
    assert "there is nothing to undo" in out
    assert verdicts(db) == {}


def test_the_next_review_goes_on(goldgen: Goldgen, db: Path) -> None:
    reviewed(goldgen, "3.q")
    assert "1 of 2" in reviewed(goldgen, "3.3.")
    assert len(verdicts(db)) == 3
    out = reviewed(goldgen, "")
    assert "nothing: no pair (disputed, proposed, unjudged) is left for Ann" in out
    assert "1 of 3" in reviewed(goldgen, "", "--again", "--show", "all")


def test_what_would_steer_the_terminal_is_shown_as_text(goldgen: Goldgen) -> None:
    out = reviewed(goldgen, "sss")
    assert "\\x1b[2JQuiet hours" in out and "\x1b" not in out


def test_a_terminal_of_a_narrow_encoding_and_a_closed_input_end_nothing(goldgen: Goldgen, db: Path) -> None:
    command = f"{shlex.quote(str(GOLDGEN))} review --name Ann"
    environment = goldgen.environment({"PYTHONIOENCODING": "ascii"})
    for redirected in ("</dev/null", "<&-"):
        run = subprocess.run(
            ["sh", "-c", f"{command} {redirected}"], cwd=goldgen.folder, env=environment,
            capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert "question" in run.stdout


def test_json_keeps_standard_output_for_the_report(goldgen: Goldgen) -> None:
    run = review(goldgen, "3.sq", "--json")
    report = json.loads(run.stdout)
    assert (report["reviewer"], report["grades"]["3"], report["skipped"], report["left"]) == ("Ann", 1, 1, 1)
    assert "What about exports?" in run.stderr


def test_a_verdict_survives_a_kill(goldgen: Goldgen, db: Path) -> None:
    with subprocess.Popen(
        [GOLDGEN, "review", "--name", "Ann", *IN_ORDER],
        cwd=goldgen.folder,
        env=goldgen.environment({"PYTHONUNBUFFERED": "1"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdin is not None and started.stdout is not None
        started.stdin.write("3")
        started.stdin.flush()
        for line in started.stdout:
            if "you graded 3" in line:
                break
        started.kill()
    assert verdicts(db) == {"q-exports": 3}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--show", "disputed", "--sample", "5"), 1, "leave --show disputed out"),
        (("--db", "none.duckdb"), 1, "no golden set at none.duckdb"),
        (("--name", "  "), 1, "give --name"),
        (("--show", "some"), 2, "Usage: goldgen review"),
        (("--sample", "0"), 2, "Usage: goldgen review"),
    ],
)
def test_what_the_user_got_wrong(goldgen: Goldgen, arguments: tuple[str, ...], code: int, says: str) -> None:
    run = review(goldgen, "", *arguments)
    assert run.returncode == code and says in run.stderr and run.stdout == ""


# On a terminal

_PATIENCE = 60
"""Seconds."""
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


class Terminal:
    """A person at a pseudo-terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.seen = ""

    def press(self, keys: str) -> None:
        """Press keys once single keys are asked for: what is typed before is thrown away."""
        import termios

        deadline = time.monotonic() + _PATIENCE
        while termios.tcgetattr(self._descriptor)[3] & termios.ICANON:
            assert time.monotonic() < deadline, f"no key is asked for: {self.seen!r}"
            time.sleep(0.01)
        self.type(keys)

    def type(self, line: str) -> None:
        os.write(self._descriptor, line.encode())

    def wait_for(self, text: str) -> str:
        """What was shown up to ``text``, which must come."""
        while text not in self.seen:
            ready, _, _ = select.select([self._descriptor], [], [], _PATIENCE)
            assert ready, f"{text!r} did not come: {self.seen!r}"
            self.seen += _plain(os.read(self._descriptor, 65536))
        before, _, self.seen = self.seen.partition(text)
        return before


def _plain(shown: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n")


@contextmanager
def at_terminal(goldgen: Goldgen, *arguments: str) -> Generator[tuple[Terminal, subprocess.Popen[bytes]]]:
    import pty

    ours, theirs = pty.openpty()
    environment = goldgen.environment({"TERM": "xterm"})
    started = subprocess.Popen(
        [GOLDGEN, "review", "--name", "Ann", *IN_ORDER, *arguments],
        cwd=goldgen.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours), started
        started.wait(60)
    finally:
        started.kill()
        started.wait()
        os.close(ours)


@on_posix
def test_a_single_key_is_enough_on_a_terminal(goldgen: Goldgen, db: Path) -> None:
    with at_terminal(goldgen) as (terminal, started):
        terminal.wait_for("0-3 grade")
        terminal.press("n")
        terminal.wait_for("note: ")
        terminal.type("in part\n")
        terminal.wait_for("noted")
        terminal.press("2")
        assert "claude-judge" not in terminal.wait_for("you graded 2")
        terminal.wait_for("claude-judge: grade 3")
        terminal.wait_for("any key: next")
        terminal.press("\r")
        terminal.wait_for("2 of 3")
        terminal.wait_for("0-3 grade")
        terminal.press("\x1b[A")  # an arrow key is no grade
        terminal.wait_for("0-3 grade")
        terminal.press("q")
        terminal.wait_for("reviewed    1 pairs by Ann")
    assert started.returncode == 0
    assert verdicts(db) == {"q-exports": 2}
    with open_store(db, read_only=True) as store:
        assert [j.reason for j in store.judgments.all() if j.judge_kind == "human"] == ["in part"]


@on_posix
def test_ctrl_c_stops_and_keeps_what_was_graded(goldgen: Goldgen, db: Path) -> None:
    with at_terminal(goldgen) as (terminal, started):
        terminal.wait_for("0-3 grade")
        terminal.press("3")
        terminal.wait_for("any key: next")
        terminal.press("\x03")
        terminal.wait_for("reviewed    1 pairs by Ann")
    assert started.returncode == 130
    assert verdicts(db) == {"q-exports": 3}


@on_posix
def test_keys_typed_ahead_are_taken_one_by_one_and_ctrl_d_ends(goldgen: Goldgen, db: Path) -> None:
    with at_terminal(goldgen) as (terminal, started):
        terminal.wait_for("0-3 grade")
        terminal.press("3 s")
        terminal.wait_for("3 of 3")
        terminal.wait_for("0-3 grade")
        terminal.press("\x04")
        terminal.wait_for("1 skipped, 1 left")
    assert started.returncode == 0
    assert verdicts(db) == {"q-exports": 3}
