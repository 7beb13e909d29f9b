import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import pytest
from conftest import Goldgen
from stub.generator import as_asked, generator_script, stage
from stub.replies import refusal
from stub.server import Body, Reply, StartStub, Stub

from goldgen.store import open_store
from goldgen.types import GOLD, Chunk, Document, Judgment, Question


@dataclass(frozen=True, slots=True)
class Fact:
    """A document of one chunk, which states a fact, and the draft about it."""

    number: int

    @property
    def sentence(self) -> str:
        return f"Service {self.number} keeps its data for {1000 + self.number} days."

    def add(self, folder: Path) -> None:
        text = (
            f"{self.sentence} Guests may only look at what was shared with them, and never change any of it."
        )
        chunk = Chunk(f"c{self.number}", f"d{self.number}", text, 0, len(text))
        asked = f"Fact: what holds for Service {self.number} keeps its?"
        answer = f"{1000 + self.number} days"
        with open_store(folder / "outputs" / "goldgen.duckdb") as store:
            store.corpus.replace_document(Document(chunk.document_id, f"{self.number}.md", text), [chunk])
            draft = Question(f"q{self.number}", asked, "synthetic", "fact", chunk.id, chunk.document_id)
            store.questions.add([replace(draft, answer=answer, quote=self.sentence, model="gpt-writer")])


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    for number in range(20):
        Fact(number).add(tmp_path)
    return tmp_path


def by(stub: Stub, *more: str) -> tuple[str, ...]:
    return "verify", "--verifier-base-url", stub.url, "--verifier-model", "ver", "--complete", "0", *more


def refusing(number: int, body: Body) -> Reply:
    assert stage(body) == "Verdict"
    parts = [{"part": "all", "quote": "", "answered": False}]
    return as_asked(body, {"parts": parts, "answer": "", "standalone": True, "grade": 0})


def test_twenty_controls_all_right_are_unproven_and_4_where_proof_is_required(
    goldgen: Goldgen, facts: Path, start_stub: StartStub
) -> None:
    with open_store(facts / "outputs" / "goldgen.duckdb") as store:
        human = [Judgment(f"q{n}", f"c{n}", "ann", "human", GOLD, sampled=True) for n in range(19)]
        store.judgments.put([*human, Judgment("q19", "c19", "ann", "human", 1, sampled=True)])
    stub = start_stub(generator_script)
    asked = by(stub, "--controls", "20")
    plain = goldgen(*asked)
    assert plain.returncode == 0, plain.stderr
    lines = plain.stdout.splitlines()
    assert lines[0].startswith("trusted     wrong golds: 1 of 20 sampled accepted pairs, 5% (95% 1% to 24%)")
    assert "verifier    UNPROVEN: 20 hard controls; at least 40 are needed" in lines
    assert "  answer_deleted  rejects 20 of 20: specificity 1.00 (95% 0.84 to 1.00)" in lines
    assert "sensitivity assumed 1; drafts that do not answer pass as often as answer_deleted controls" in (
        plain.stdout
    )
    assert (
        "strict      may not complete labels: 20 answer_deleted controls judged; at least 40 are needed"
        in lines
    )
    assert len(lines) <= 24 and max(map(len, lines)) <= 130
    strictly = goldgen(*asked, "--require-proven", "--json")
    assert strictly.returncode == 4
    report = json.loads(strictly.stdout)
    assert report["trusted"]["wrong"] == 1 and report["thresholds"] == []


def test_a_verifier_that_always_says_no_is_a_3(goldgen: Goldgen, facts: Path, start_stub: StartStub) -> None:
    judged = goldgen(*by(start_stub(refusing), "--controls", "20", "--require-proven"))
    assert judged.returncode == 3
    assert "verifier    FAILED: it accepted none of 20 drafts: a judge that always says no" in judged.stdout


def test_controls_without_a_verdict_are_counted_where_the_specificity_stands(
    goldgen: Goldgen, facts: Path, start_stub: StartStub
) -> None:
    def script(number: int, body: Body) -> Reply:
        shown = str(body["messages"][-1]["content"])
        # By what is shown and not by the number: calls arrive in any order.
        refuses = crc32(shown.encode()) % 4 == 0 and "Guests may only look" in shown
        return refusal() if refuses and "keeps its data" not in shown else generator_script(number, body)

    judged = goldgen(*by(start_stub(script), "--controls", "20"))
    (line,) = (line for line in judged.stdout.splitlines() if line.startswith("  answer_deleted  rejects "))
    counts = re.fullmatch(r".* rejects (\d+) of \1: specificity 1\.00 \(.*\); (\d+) unjudged", line)
    assert counts is not None and int(counts[1]) + int(counts[2]) == 20


def test_a_failed_verifier_is_a_3_also_where_the_budget_ends(
    goldgen: Goldgen, facts: Path, start_stub: StartStub
) -> None:
    """The drafts and controls are judged within the budget; the pool of the log query is not."""
    with open_store(facts / "outputs" / "goldgen.duckdb") as store:
        store.questions.add([Question("log", "Service 3 keeps its data how long?", "log", "log")])
    stub = start_stub(refusing)
    embedding = ("--embedding-base-url", stub.url, "--embedding-model", "vectors")
    judged = goldgen(*by(stub, "--controls", "20", "--max-calls", "64", *embedding))
    assert "stopped     " in judged.stdout and "FAILED" in judged.stdout
    assert judged.returncode == 3


def test_what_became_of_log_queries_is_told_also_where_no_draft_is_completed(
    goldgen: Goldgen, facts: Path, start_stub: StartStub
) -> None:
    with open_store(facts / "outputs" / "goldgen.duckdb") as store:
        store.questions.add([Question("log", "Please: what holds for Service 3 keeps its?", "log", "log")])
    stub = start_stub(generator_script)
    embedding = ("--embedding-base-url", stub.url, "--embedding-model", "vectors")
    judged = goldgen(*by(stub, "--controls", "20", *embedding))
    assert "proposed    1 golds wait for goldgen review --show proposed" in judged.stdout, judged.stdout
