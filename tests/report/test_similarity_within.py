"""Scores that compare within one question only: table, JSON and figure say the same."""

import re
from dataclasses import replace

import pytest
from sample import sample

from goldgen.cli.evaluation_tables import render
from goldgen.evaluation import Report, report_to_json
from goldgen.evaluation.report_json import report_from_json
from goldgen.report.similarity import auc_table, high_scores_tables, similarity_figures


@pytest.fixture(scope="module")
def report() -> Report:
    """Of one retriever, whose scores are standardised within the question."""
    made = sample()
    result = made.retrievers[0]
    assert result.similarity is not None and result.similarity.highest_wrong
    within = replace(
        result.similarity, comparable=False, auc_near_miss=None, auc_other=None, highest_wrong=()
    )
    return replace(made, retrievers=(replace(result, similarity=within),))


def test_the_terminal_says_n_a_and_why(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    render(report)
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(rf"{re.escape(report.retrievers[0].label)}\S* n/a n/a \d", shown)
    assert "scores that compare within one question only" in re.sub(r"\s+", " ", shown)


def test_json_keeps_it_and_an_older_report_has_scores_that_compare(report: Report) -> None:
    text = report_to_json(report)
    (kept,) = report_from_json(text, "kept").retrievers
    assert kept.similarity == report.retrievers[0].similarity
    older = re.sub(r',\s*"comparable":\s*false', "", text)
    assert older != text
    (found,) = report_from_json(older, "older").retrievers
    assert found.similarity is not None and found.similarity.comparable


def test_the_page_has_the_areas_within_a_question(report: Report) -> None:
    table = auc_table(report)
    assert table is not None
    (row,) = table.rows
    found = report.retrievers[0].similarity
    assert found is not None and found.auc_near_miss_within is not None
    assert [cell.text for cell in row[1:]][::2] == ["n/a", "n/a"]
    assert row[2].value == found.auc_near_miss_within
    assert "n/a for scores that compare within one question only" in table.note
    assert high_scores_tables(report) == (None, None)
    (figure,) = similarity_figures(report)
    assert figure.note.startswith("Scores compare within one question only. Of one, a gold hit scores above")
    assert f"{found.auc_near_miss_within:.0%}" in figure.note
