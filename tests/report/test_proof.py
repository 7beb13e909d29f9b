"""What the proof says of the questions themselves."""

import json
from dataclasses import replace

from sample import sample

from goldgen.evaluation.report_json import report_from_json, report_to_json
from goldgen.report.proof import origins_table

REPORT = sample(("bm25",), 12, near_misses=False)


def test_leakage_stands_beside_the_questions_of_each_origin() -> None:
    table = origins_table(REPORT)
    assert [column.title for column in table.columns] == [
        "origin", "questions with gold", "words shared with the gold", "with its headings", "copied in a row",
        "answer inside", "points away",
    ]  # fmt: skip
    rows = {row[0].text: [cell.text for cell in row[2:]] for row in table.rows}
    assert rows["synthetic"] == ["71%", "32%", "24%", "1%", "0%"]
    assert rows["log"] == ["44%", "21%", "9%", "n/a", "8%"]
    assert "weighed by how rare they are" in table.note


def test_a_report_from_before_says_what_it_knows() -> None:
    kept = json.loads(report_to_json(REPORT))
    del kept["proof"]["leakage"]
    older = report_from_json(json.dumps(kept), "older")
    assert older.proof.leakage == {} and older.proof.overlap == REPORT.proof.overlap
    table = origins_table(older)
    assert len(table.columns) == 3 and {len(row) for row in table.rows} == {3}
    assert "rare" not in table.note


def test_json_keeps_it() -> None:
    assert report_from_json(report_to_json(REPORT), "kept").proof.leakage == REPORT.proof.leakage


def test_an_origin_that_was_not_measured_has_no_figures() -> None:
    proof = replace(REPORT.proof, leakage={"log": REPORT.proof.leakage["log"]})
    rows = {row[0].text: row for row in origins_table(replace(REPORT, proof=proof)).rows}
    assert [cell.text for cell in rows["synthetic"][3:]] == ["n/a"] * 4
