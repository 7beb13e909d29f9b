"""Adding hand-written questions and comparing judges, with the installed command."""

import json
from pathlib import Path

import pytest
from conftest import Goldgen

from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question

TEXTS = {"exports": "Exports run at night. They are sent by mail.", "seats": "Basic has 5 seats."}


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        for key, text in TEXTS.items():
            chunk = Chunk(f"chunk-{key}", f"d-{key}", text, 0, len(text))
            store.corpus.replace_document(Document(f"d-{key}", f"{key}.md", text), [chunk])
    return path


def printed(goldgen: Goldgen, *arguments: str) -> str:
    run = goldgen(*arguments)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def grade(db: Path, judge: str, grades: str, *, person: bool = False, sampled: bool = False) -> None:
    """A digit a question."""
    kind = "human" if person else "verifier"
    with open_store(db) as store:
        store.questions.add(
            [Question(f"q{n}", f"Question \x1b {n}?", "log", "log") for n in range(len(grades))]
        )
        store.judgments.put(
            [
                Judgment(f"q{n}", "chunk-seats", judge, kind, grade=int(digit), sampled=sampled)
                for n, digit in enumerate(grades)
            ]
        )


# add


def test_a_question_with_its_quote(goldgen: Goldgen, db: Path) -> None:
    out = printed(goldgen, "add", "When do exports run?", "--quote", "exports run at night", "--name", "Ann")
    assert out.startswith("questions   1: 1 with the chunk that answers\n")
    with open_store(db, read_only=True) as store:
        (judgment,) = store.judgments.all()
    assert (judgment.judge, judgment.judge_kind, judgment.quote) == ("Ann", "human", "Exports run at night")
    again = printed(goldgen, "add", "When do exports run?", "--chunk", "chunk-exp", "--name", "Bob")
    assert "known       1 were in the set already and are not doubled" in again
    assert "human" in printed(goldgen, "agreement", "--json")


def test_a_table_of_questions(goldgen: Goldgen, tmp_path: Path) -> None:
    rows = [
        "question,quote",
        "How many seats?,Basic has 5 seats",
        "Who?,nobody said that",
        "Who is told?,",
    ]
    (tmp_path / "questions.csv").write_text("\n".join(rows), encoding="utf-8-sig")
    out = printed(goldgen, "add", "--file", "questions.csv", "--name", "Ann")
    assert "questions   2: 1 with the chunk that answers" in out
    assert "rejected    1 rows\n  line 3: the quote does not stand in any document" in out
    assert "next        goldgen verify will look" in out
    report = json.loads(printed(goldgen, "add", "--file", "questions.csv", "--name", "Ann", "--json"))
    assert [item["existed"] for item in report["added"]] == [True, True]


def test_the_name_is_gits_unless_given(goldgen: Goldgen, db: Path, tmp_path: Path) -> None:
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Zoë of Git\n", encoding="utf-8")
    environment = {"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    run = goldgen("add", "How many?", "--chunk", "chunk-seats", **environment)
    assert run.returncode == 0, run.stderr
    run = goldgen("add", "When?", "--chunk", "chunk-exports", LOGNAME="of-login", PATH="")
    assert run.returncode == 0, run.stderr
    with open_store(db, read_only=True) as store:
        assert {judgment.judge for judgment in store.judgments.all()} == {"Zoë of Git", "of-login"}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("add", "Why?", "--quote", "never said so", "--name", "Ann"), 1, "does not stand in any document"),
        (("add", "--file", "none.csv", "--name", "Ann"), 1, "none.csv"),
        (("add", "--name", "Ann"), 2, "either a question or --file"),
        (("add", "Why?", "--file", "questions.csv"), 2, "either a question or --file"),
        (("add", "--file", "questions.csv", "--quote", "x"), 2, "columns of the file"),
        (("agreement", "--db", "none.duckdb"), 1, "no golden set at none.duckdb"),
        (("agreement", "--limit", "-1"), 2, "Usage: goldgen agreement"),
    ],
)
def test_what_the_user_got_wrong(goldgen: Goldgen, arguments: tuple[str, ...], code: int, says: str) -> None:
    run = goldgen(*arguments)
    assert run.returncode == code and run.stdout == ""
    assert says in " ".join(run.stderr.replace("│", " ").split())
    if code == 1:
        assert len(run.stderr.splitlines()) == 1


# agreement


def test_agreement_of_a_person_and_a_verifier(goldgen: Goldgen, db: Path) -> None:
    grade(db, "claude-judge", "333333333300000000002")
    grade(db, "ann", "333333330033000000002", person=True)
    out = printed(goldgen, "agreement", "--limit", "3")
    assert "agreement   ann (human) and claude-judge (verifier), 21 pairs that both graded" in out
    assert "  the same on gold   81% (95% 60% to 92%)" in out
    # Of 21 pairs 17 agree; by chance (10 * 10 + 11 * 11) / 21: (17/21 - 221/441) / (1 - 221/441).
    assert "  kappa on gold      0.62 (95% " in out
    assert "    3   2   0   0   8\n" in out
    assert "verifier    claude-judge against people: 8 of 10 accepted pairs are gold, 2 of 11 rejected" in out
    assert "  sensitivity        80% (95% 49% to 94%)" in out
    assert "wrong golds not known from people" in out
    assert "overruled   4 pairs: people say otherwise than the verifier" in out
    assert "and 1 more; --limit 0 lists all" in out and "in dispute" not in out
    assert "ann (human) 0, claude-judge (verifier) 3: Question \\x1b 8?  [chunk-seats]" in out
    assert "next  " not in out
    grade(db, "bob", "0", person=True)
    out = printed(goldgen, "agreement")
    assert "overruled   4 pairs" in out and "in dispute  1 pairs: people differ" in out
    assert "ann (human) 3, bob (human) 0, claude-judge (verifier) 3: Question \\x1b 0?" in out
    assert "next        goldgen review --show disputed" in out
    assert "nothing: no pair (disputed)" in printed(goldgen, "review", "--show", "disputed", "--name", "bob")
    shown = printed(goldgen, "review", "--show", "disputed", "--name", "bob", "--again")
    assert "Question \\x1b 0?" in shown and "0 skipped, 1 left" in shown


def test_what_completion_proposes_is_what_the_verifier_calls_gold(goldgen: Goldgen, db: Path) -> None:
    grade(db, "mini", "00000")
    grade(db, "ann", "33333", person=True)
    with open_store(db) as store:
        proposals = [
            Judgment(f"q{n}", "chunk-seats", "mini", grade=2, reason="proposed gold: not measured")
            for n in range(5)
        ]
        store.judgments.put(proposals)
    report = json.loads(printed(goldgen, "agreement", "--json"))
    assert (report["disputed"], report["overruled"]) == (0, 0)
    assert (report["verifiers"][0]["right_accepted"], report["verifiers"][0]["wrong_rejected"]) == (5, 0)


def test_what_cannot_be_known_is_said(goldgen: Goldgen, db: Path) -> None:
    assert "no two have graded the same pair (nobody graded)" in printed(goldgen, "agreement")
    grade(db, "mini", "333")
    assert "(mini (verifier) graded)" in printed(goldgen, "agreement")
    grade(db, "ann", "333", person=True)
    out = printed(goldgen, "agreement")
    assert "kappa on gold      undefined, as both say the same of every pair" in out
    assert "not known: people graded only pairs that it accepted" in out
    assert "gave no grade between 0 and 3" in out
    assert "nan" not in out.lower()


def test_the_sample_is_told(goldgen: Goldgen, db: Path) -> None:
    grade(db, "mini", "3333")
    grade(db, "ann", "3330", person=True, sampled=True)
    out = printed(goldgen, "agreement")
    assert (
        "wrong golds 1 of 4 sampled accepted pairs, 25% (95% 5% to 70%), read by ann; covers 4 of 4 accepted"
        in out
    )
    report = json.loads(printed(goldgen, "agreement", "--json"))
    assert (report["trusted"]["wrong"], report["trusted"]["pairs"]) == (1, 4)
    assert report["overruled_pairs"][0]["grades"] == [
        [{"kind": "human", "name": "ann"}, 0],
        [{"kind": "verifier", "name": "mini"}, 3],
    ]
