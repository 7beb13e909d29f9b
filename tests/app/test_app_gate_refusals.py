"""What a gate refuses to compare, each in one line, and what it says of questions that two sets share."""

from pathlib import Path

import pytest
from gated_reports import report, write

from goldgen.app.gate import GateOptions, Minimum, gate
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Measure

NDCG = "nDCG@10"
LATER = "2026-11-30T13:00:00+00:00"
RATHER_GOOD = [0.5, 0.7, 0.9, 0.7] * 20
NO_DB = Path("nowhere.duckdb")


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """80 questions of 40 documents by bm25, in two measures."""
    values = {"bm25": {NDCG: RATHER_GOOD, "R@5": [1.0, 1.0, 1.0, 0.0] * 20}}
    return write(tmp_path / "main.json", report(values))


@pytest.fixture
def now(tmp_path: Path) -> Path:
    """The same values again, without R@5."""
    return write(tmp_path / "now.json", report({"bm25": {NDCG: RATHER_GOOD}}, created_at=LATER))


def test_different_sets_are_refused_unless_only_what_both_have_is_asked_for(tmp_path: Path) -> None:
    before = write(tmp_path / "main.json", report({"bm25": {NDCG: RATHER_GOOD}}))
    labels = report({"bm25": {NDCG: RATHER_GOOD[:70]}}, first=20, set_fingerprint="set-2", created_at=LATER)
    now = write(tmp_path / "now.json", labels)
    with pytest.raises(
        SettingsError, match=r"different sets \(other labels over the same corpus\); .*--common"
    ):
        gate(GateOptions(NO_DB, before, now))
    found = gate(GateOptions(NO_DB, before, now, common=True))
    assert (found.verdict, found.checks[0].questions) == ("pass", 60)
    assert found.notes == (
        f"the sets differ: only 60 questions that both have are compared with {before}; it has 20 more, and "
        f"{now} 10 more",
        "each report counts by the labels of its own time; of the questions that both have, 0 changed in "
        "their golds",
    )


def test_another_corpus_is_named_and_changed_golds_are_counted(tmp_path: Path) -> None:
    before = write(tmp_path / "main.json", report({"bm25": {NDCG: RATHER_GOOD}}))
    moved = report(
        {"bm25": {NDCG: RATHER_GOOD}},
        set_fingerprint="set-2", corpus_fingerprint="corpus-2", created_at=LATER, gold="other",
    )  # fmt: skip
    now = write(tmp_path / "now.json", moved)
    with pytest.raises(SettingsError, match=r"\(the corpus differs, and the set with it\)"):
        gate(GateOptions(NO_DB, before, now))
    assert "80 changed in their golds" in gate(GateOptions(NO_DB, before, now, common=True)).notes[1]


def test_sets_without_a_common_question_are_one_line(tmp_path: Path) -> None:
    before = write(tmp_path / "main.json", report({"bm25": {NDCG: [0.5] * 4}}))
    other = report({"bm25": {NDCG: [0.5] * 4}}, first=50, set_fingerprint="set-2", created_at=LATER)
    now = write(tmp_path / "now.json", other)
    with pytest.raises(EmptyResultError, match=r"have no question in common"):
        gate(GateOptions(NO_DB, before, now, common=True))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is no report of this goldgen"),
        (b"{", "is no report of this goldgen"),
        (b"[1, 2]", "is no report of this goldgen"),
        (b'{"questions": 3}', "is no report of this goldgen"),
        (b"\xff\xfe\x00", "is no report of this goldgen"),
        (b"PK\x03\x04\x00", "is no report of this goldgen"),
        (None, "cannot read"),
    ],
    ids=["empty", "cut", "a list", "another version", "bytes", "a zip", "a folder"],
)
def test_a_file_that_is_no_report_is_one_line(
    tmp_path: Path, now: Path, content: bytes | None, says: str
) -> None:
    spoilt = tmp_path / "main.json"
    if content is None:
        spoilt.mkdir()
    else:
        spoilt.write_bytes(content)
    for options in (GateOptions(NO_DB, spoilt, now), GateOptions(NO_DB, now, spoilt)):
        with pytest.raises(SettingsError) as error:
            gate(options)
        assert says in str(error.value) and str(spoilt) in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(SettingsError, match=r"cannot read \S+gone\.json: No such file"):
        gate(GateOptions(NO_DB, tmp_path / "gone.json", now))


def test_what_cannot_be_compared_is_one_line(baseline: Path, now: Path) -> None:
    cases = [
        (GateOptions(NO_DB), r"nothing to check; give --baseline FILE, --min R@5=0\.85 or --require-proven"),
        (GateOptions(NO_DB, baseline, baseline), r"main\.json is the baseline \S+ itself; run goldgen eval"),
        (GateOptions(NO_DB, baseline, now, Measure("P", 3)), r"has no P@3 of bm25, only nDCG@10, R@5; "),
        (GateOptions(NO_DB, baseline, now, Measure("R", 5)), r"now\.json has no R@5 of bm25, only nDCG@10; "),
        (GateOptions(NO_DB, baseline, now, retrievers=("dense",)), r"has no retriever 'dense', only bm25; "),
        (GateOptions(NO_DB, baseline, now, margin=-0.1), r"the margin is -0\.1; it must be 0 or more"),
    ]  # fmt: skip
    for options, says in cases:
        with pytest.raises(SettingsError, match=says) as error:
            gate(options)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400"])
def test_what_is_no_finite_number_is_refused_wherever_it_stands(
    baseline: Path, now: Path, value: str
) -> None:
    spoilt = now.read_text(encoding="utf-8").replace('"nDCG@10": 0.5', f'"nDCG@10": {value}', 1)
    now.write_text(spoilt, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"now\.json is no sound report: .* is no finite number"):
        gate(GateOptions(NO_DB, baseline, now))


@pytest.mark.parametrize("value", ["-0.5", "1.5"])
def test_values_that_no_measure_can_have_are_refused(baseline: Path, now: Path, value: str) -> None:
    spoilt = now.read_text(encoding="utf-8").replace('"nDCG@10": 0.5', f'"nDCG@10": {value}', 1)
    now.write_text(spoilt, encoding="utf-8")
    with pytest.raises(
        SettingsError, match=r"now\.json has a nDCG@10 of .* for question q0, which no measure"
    ):
        gate(GateOptions(NO_DB, baseline, now))


def test_one_fingerprint_over_other_questions_is_refused(baseline: Path, tmp_path: Path) -> None:
    short = report({"bm25": {NDCG: RATHER_GOOD[:-1]}}, created_at=LATER)
    with pytest.raises(SettingsError, match=r"claim the same set and hold different questions"):
        gate(GateOptions(NO_DB, baseline, write(tmp_path / "now.json", short)))


def test_other_thresholds_are_refused_even_over_common_questions(baseline: Path, tmp_path: Path) -> None:
    binary = report({"bm25": {NDCG: RATHER_GOOD}}, threshold=1.0, set_fingerprint="x", created_at=LATER)
    with pytest.raises(SettingsError, match=r"counts gold from grade 3 and \S+ from 1; evaluate both alike"):
        gate(GateOptions(NO_DB, baseline, write(tmp_path / "now.json", binary), common=True))


@pytest.mark.parametrize(
    "text", ["R@5", "R@5=", "R@5=high", "R@5=0", "R@5=1.2", "R@5=nan", "=0.5", "Q@5=0.5"]
)
def test_a_minimum_that_is_none_is_one_line(text: str) -> None:
    with pytest.raises(SettingsError, match=r"the minimum|unknown measure"):
        Minimum.parse(text)


def test_a_minimum_is_read_in_any_case() -> None:
    assert Minimum.parse("mrr@10=0.5") == Minimum(Measure("RR", 10), 0.5)
