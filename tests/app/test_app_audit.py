"""Synthetic questions held against those that people asked, on real files."""

import json
import shutil
from pathlib import Path

import pytest
from audited_sets import DOCUMENTS, fill_audited, keep
from conftest import Goldgen

from goldgen.app.audit import AuditOptions, AuditReport, audit
from goldgen.app.vocabulary import vocabulary
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Judgment, Question

GOOD, FAIR, BAD = (1, 1, 2), (2, 3, 4), (8, 9, 15)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 written and 30 logged questions with gold, and three runs: both origins favour ``best`` over
    ``lexical``, and disagree on ``lexical`` and ``dense``."""
    path = tmp_path_factory.mktemp("audited") / "set.duckdb"
    fill_audited(path)
    keep(path, "best", {"synthetic": GOOD, "log": GOOD})
    keep(path, "lexical", {"synthetic": FAIR, "log": BAD})
    keep(path, "dense", {"synthetic": BAD, "log": FAIR}, models=["Judge-Model"])
    return path


@pytest.fixture
def db(filled: Path, tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    return Path(shutil.copy(filled, tmp_path / "outputs" / "goldgen.duckdb"))


@pytest.fixture(scope="module")
def report(filled: Path) -> AuditReport:
    return audit(AuditOptions(filled))


def test_each_pair_is_told_whether_both_origins_decide_alike(report: AuditReport) -> None:
    verdicts = {frozenset((d.better, d.worse)): d.verdict for d in report.decisions.found}
    assert verdicts == {
        frozenset(("best", "lexical")): "both favour best, by unlike amounts",
        frozenset(("best", "dense†")): "both favour best, by unlike amounts",
        frozenset(("dense†", "lexical")): "origins disagree",
    }
    apart = next(d for d in report.decisions.found if d.verdict == "origins disagree").contrast
    assert apart.first.sign * apart.second.sign == -1
    assert apart.apart.mean == pytest.approx(apart.first.mean - apart.second.mean)
    assert apart.questions == apart.clusters == (DOCUMENTS, DOCUMENTS)
    # Three pairs, so that all of the intervals hold together.
    assert report.decisions.level == pytest.approx(1 - 0.05 / 3)


def test_the_verdict_says_what_to_do(report: AuditReport) -> None:
    said = report.verdict
    assert "Both synthetic and log questions favour best over " in said
    assert "They disagree on " in said and "Report the origins apart" in said
    assert "clearly told apart by how they are put (AUC 1.00" in said
    assert "† shares a model with judging or pooling" in said


def test_how_they_are_put_in_figures(report: AuditReport) -> None:
    written, logged = report.figures["synthetic"], report.figures["log"]
    assert (written.n, written.golden, written.sources) == (DOCUMENTS, DOCUMENTS, DOCUMENTS)
    assert (written.words.mean, written.words_median, logged.words.mean) == (9.0, 9.0, 4.0)
    assert (written.words.low, written.words.high) == (9.0, 9.0)
    assert written.words_shares == {"1-2": 0, "3-5": 0, "6-9": 1, "10-14": 0, "15 or more": 0}
    assert (written.surface["question mark"].mean, logged.surface["question mark"].mean) == (1, 0)
    assert (written.surface["lower case"].mean, logged.surface["lower case"].mean) == (0, 1)
    assert (written.surface["question word"].mean, logged.surface["keywords"].mean) == (1, 1)
    assert logged.forms == {"keywords": 1} and written.forms == {"fact": 1}
    assert written.styles == {"how": 1} and logged.styles == {}
    assert written.languages == {"en": 1}
    assert written.overlap is not None and 0 < written.overlap.mean <= 1


def test_how_hard_they_are(report: AuditReport) -> None:
    ranks = report.figures["log"].ranks
    assert ranks["bm25"].n == DOCUMENTS and ranks["bm25"].median == 5.5
    assert ranks["bm25"].first.mean == pytest.approx(3 / DOCUMENTS)
    assert ranks["bm25"].first_ten.low <= ranks["bm25"].first_ten.mean <= ranks["bm25"].first_ten.high
    # Never found among the first fifty, so it has no median rank.
    assert ranks["dense"].median is None and ranks["dense"].first_ten.mean == 0


def test_vocabulary_by_hand() -> None:
    found = vocabulary(["exports kept nightly", "seats cost"], ["export limits", "seats"])
    assert found.real_known == pytest.approx(2 / 3) and found.written_known == pytest.approx(2 / 5)
    assert found.real_known_by_use == pytest.approx(2 / 3)
    assert found.at_equal_size == (pytest.approx(2 / 3), pytest.approx(2 / 5))
    assert found.only_real == ("limits",) and found.questions_drawn == 2
    assert found.type_token == (1.0, 1.0) and found.words_drawn == 3


def test_rejected_drafts_are_no_questions_of_the_set(db: Path, report: AuditReport) -> None:
    with open_store(db) as store:
        store.questions.add([Question("bad", "x?", "synthetic", "fact", "c1", "d1", model="gpt-writer")])
        store.judgments.put([Judgment("bad", "c1", "judge-model", grade=0)])
    assert audit(AuditOptions(db)).figures == report.figures


def test_few_log_questions_cannot_tell(tmp_path: Path) -> None:
    fill_audited(tmp_path / "few.duckdb", log=5)
    keep(tmp_path / "few.duckdb", "one", {"synthetic": GOOD, "log": GOOD})
    keep(tmp_path / "few.duckdb", "two", {"synthetic": BAD, "log": BAD})

    found = audit(AuditOptions(tmp_path / "few.duckdb"))
    assert [d.verdict for d in found.decisions.found] == ["cannot tell: too few log questions"]
    assert found.against[0].telling is None
    assert "it cannot be told whether they are put alike" in found.verdict
    assert "30 synthetic and 5 log questions cannot tell on one and two" in found.verdict
    assert "until there are more logged queries with gold" in found.verdict


def test_questions_by_hand_are_held_against_too(tmp_path: Path) -> None:
    fill_audited(tmp_path / "set.duckdb", manual=12)
    for label, ranks in (("one", GOOD), ("two", FAIR)):
        keep(tmp_path / "set.duckdb", label, dict.fromkeys(("synthetic", "log", "manual"), ranks))
    found = audit(AuditOptions(tmp_path / "set.duckdb"))
    assert list(found.figures) == ["synthetic", "log", "manual"]
    assert [d.real for d in found.decisions.found] == ["log", "manual"]
    assert found.decisions.level == pytest.approx(1 - 0.05 / 2)


def test_runs_are_chosen_and_stale_ones_left_out(db: Path) -> None:
    chosen = audit(AuditOptions(db, ("best", "lexical0")))
    assert [(d.better, d.worse) for d in chosen.decisions.found] == [("best", "lexical")]
    with pytest.raises(SettingsError, match="no run 'none'"):
        audit(AuditOptions(db, ("none",)))
    one = audit(AuditOptions(db, ("best",)))
    assert one.decisions.found == () and "is not known: two runs are needed" in one.verdict
    with open_store(db) as store:
        store.corpus.replace_document(Document("new", "new.md", "New."), [Chunk("cn", "new", "New.", 0, 4)])
    stale = audit(AuditOptions(db))
    assert "runs on other chunks are left out: " in stale.decisions.notes[0]
    assert not stale.decisions.found


def test_without_two_origins_there_is_nothing_to_compare(tmp_path: Path) -> None:
    fill_audited(tmp_path / "written.duckdb", log=0)
    with pytest.raises(EmptyResultError, match="run goldgen logs add FILE"):
        audit(AuditOptions(tmp_path / "written.duckdb"))
    fill_audited(tmp_path / "log.duckdb", written=0)
    with pytest.raises(EmptyResultError, match="no synthetic questions"):
        audit(AuditOptions(tmp_path / "log.duckdb"))


def test_the_command(db: Path, goldgen: Goldgen, report: AuditReport) -> None:
    run = goldgen("audit")
    assert (run.returncode, run.stderr) == (0, "")
    head, rest = run.stdout.split("\n\n", 1)
    assert " ".join(head.split()) == report.verdict
    assert "words, mean (95%)                        9.0 (9.0-9.0)           4.0 (4.0-4.0)" in rest
    assert "origins disagree" in rest and "told apart from log ones by how they are put: AUC 1.00" in rest
    told = json.loads(goldgen("audit", "--json", "--runs", "best", "--runs", "dense").stdout)
    assert told["decisions"]["runs"] == ["best", "dense†"]
    assert told["decisions"]["found"][0]["contrast"]["verdict"] == "both favour b"
