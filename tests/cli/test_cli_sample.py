"""The random sample of a review, with the installed command."""

import subprocess
from pathlib import Path

import pytest
from conftest import GOLDGEN, Goldgen

from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question

TEXTS = {"exports": "Exports run at night.", "seats": "Basic has 5 seats.", "alerts": "Alerts stop."}


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    """Three questions; the verifier accepted the first."""
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        for key, text in TEXTS.items():
            chunk = Chunk(f"c-{key}", f"d-{key}", text, 0, len(text))
            store.corpus.replace_document(Document(f"d-{key}", f"{key}.md", text), [chunk])
            store.questions.add([Question(f"q-{key}", f"What about {key}?", "log", "log")])
        store.judgments.put([Judgment("q-exports", "c-exports", "claude-judge", grade=3)])
    return path


def reviewed(goldgen: Goldgen, keys: str, *arguments: str) -> str:
    run = subprocess.run(
        [GOLDGEN, "review", "--name", "Ann", *arguments],
        cwd=goldgen.folder,
        env=goldgen.environment({}),
        input=keys,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_a_sample_tells_the_error_rate(goldgen: Goldgen, db: Path) -> None:
    with open_store(db) as store:
        for key in TEXTS:
            store.judgments.put([Judgment(f"q-{key}", f"c-{key}", "claude-judge", grade=3)])
    out = reviewed(goldgen, "3.3.0.", "--sample", "3")
    figure = (
        "wrong golds 1 of 3 sampled accepted pairs, 33% (95% 6% to 79%), read by Ann; covers 3 of 3 accepted"
    )
    assert figure in out
    with open_store(db, read_only=True) as store:
        assert [j.sampled for j in store.judgments.all() if j.judge_kind == "human"] == [True] * 3


def test_what_is_accepted_later_takes_the_error_rate_back_until_it_is_read(
    goldgen: Goldgen, db: Path
) -> None:
    assert "covers 1 of 1 accepted" in reviewed(goldgen, "3.", "--sample", "3")
    with open_store(db) as store:
        for key in ("seats", "alerts"):
            store.judgments.put([Judgment(f"q-{key}", f"c-{key}", "claude-judge", grade=3)])
    withheld = (
        "wrong golds not known: of the sample, 1 of 3 accepted pairs are graded and 2, accepted since or"
    )
    for command in ("agreement", "status"):
        run = goldgen(command)
        assert run.returncode == 0 and withheld in run.stdout, run.stdout
        assert "goldgen review --sample 3" in run.stdout
    assert "1 of 2" in (out := reviewed(goldgen, "0.3.", "--sample", "3"))
    assert "wrong golds 1 of 3 sampled" in out


def test_a_grade_given_again_is_told_and_left_out(goldgen: Goldgen, db: Path) -> None:
    with open_store(db) as store:
        store.judgments.put([Judgment("q-seats", "c-seats", "claude-judge", grade=3)])
    out = reviewed(goldgen, "0u3.3.", "--sample", "2")
    assert "covers 1 of 2 accepted; 1 graded again after the reveal left out" in out
    assert "left out    1 verdicts that were given again after the reveal" in goldgen("agreement").stdout
