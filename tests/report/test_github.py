"""Annotations are read back as the runner reads them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from goldgen.report.checks import Check
from goldgen.report.github import annotations, error_annotation, error_summary, summary

_COMMAND = re.compile(r"::(?P<level>\w+) title=(?P<title>[^:,\r\n]*)::(?P<message>[^\r\n]*)")
CHECKS = [
    Check("bm25", "R@5 at least 0.85", "inconclusive", "whether R@5 is at least 0.85 can't be told"),
    Check(
        "my.search:find", "nDCG@10 against main.json", "fail", "my.search:find fails: 100% lost,\nat least"
    ),
    Check("dense", "nDCG@10 against main.json", "pass", "dense passes"),
]


def read_back(command: str) -> tuple[str, str, str]:
    """Level, title and message, unescaped by the rules of actions/runner (ActionCommand.cs)."""
    found = _COMMAND.fullmatch(command)
    assert found is not None, command
    title, message = found["title"], found["message"]
    for escaped, sign in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        title = title.replace(escaped, sign)
        message = message.replace(escaped, sign) if sign not in ":," else message
    return found["level"], title, message


def test_a_failure_is_an_error_an_open_check_a_warning_and_a_pass_nothing() -> None:
    first, second, third = map(read_back, annotations(CHECKS, ["few sources"]))
    assert first == (
        "error",
        "goldgen gate: my.search:find, nDCG@10 against main.json",
        "my.search:find fails: 100% lost,\nat least",
    )
    assert second[0] == "warning" and second[2] == CHECKS[0].sentence
    assert third == ("warning", "goldgen gate", "few sources")


@given(st.text(), st.text())
def test_any_text_stays_within_its_own_line_and_place(subject: str, sentence: str) -> None:
    (command,) = annotations([Check(subject, "x", "fail", sentence)])
    level, title, message = read_back(command)
    assert (level, title, message) == ("error", f"goldgen gate: {subject}, x", sentence)
    assert read_back(error_annotation(sentence))[2] == sentence


def test_the_summary_has_a_row_a_check_and_text_stays_text() -> None:
    hostile = Check("a|b", "R@5", "fail", "<script> [link](x) `code`\nnext *bold* a_b")
    lines = summary("fail", [*CHECKS, hostile], ["few | sources"]).splitlines()
    assert lines[0] == "### goldgen gate: fail"
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 1 + 4
    assert rows[-1] == (r"| fail | a\|b | R@5 | &lt;script> \[link\](x) \`code\` next \*bold\* a\_b |")
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert lines[-1] == r"- few \| sources"
    assert error_summary("main.json is\nno report") == "### goldgen gate: error\n\nmain.json is no report\n"
