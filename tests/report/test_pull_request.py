"""Markdown for pull requests."""

import re
from dataclasses import replace

from sample import LABELS, bare, sample

from goldgen.report import markdown


def test_answer_table_marks_slices_and_next_steps_stand_in_this_order() -> None:
    text = markdown(sample(hostile=False))
    places = [
        text.index(part)
        for part in (
            "rerank has the highest nDCG@10",
            "| retriever | nDCG@10 |",
            "### What limits the trust",
            "### The worst slices",
            "### What to do next",
            "set 5f0c9a7be1d2",
        )
    ]
    assert places == sorted(places)


def test_the_table_holds_the_means() -> None:
    report = sample(hostile=False)
    rows = [line for line in markdown(report).splitlines() if line.startswith("|")][2:]
    assert len(rows) == len(LABELS)
    for result, row in zip(report.retrievers, rows, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert cells[0].startswith(result.label)
        assert cells[1].startswith(f"{result.means['nDCG@10']:.3f}<br>{result.interval[0]:.3f} to ")
        assert cells[2] == f"{result.means['P@5']:.3f}"


def test_foreign_text_is_shown_as_it_stands() -> None:
    report = sample(("a|b", "<img src=x>", "`@team`"), 12)
    text = markdown(replace(report, sentences=("see @team, #12 & [x](javascript:y)\n# not a heading",)))
    assert not re.search(r"<(?!br>|sub>|/sub>)", text)
    assert not re.search(r"(?<!\w)@\w|#\w", text.replace("&#8203;", "\u200b"))
    assert "\\[x\\](javascript:y) # not a heading" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {10}
    assert "\\`@&#8203;team\\`" in text


def test_what_a_report_lacks_has_no_heading() -> None:
    text = markdown(bare(sample(("bm25",), 12, near_misses=False)))
    assert "###" not in text
    assert "n/a" in text
