"""The XML is read back by a parser, as continuous integration does."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.evaluation import Verdict
from goldgen.report.checks import Check
from goldgen.report.junit import junit_error, junit_xml

CHECKS = [
    Check("bm25", "nDCG@10 against main.json", "pass", "bm25 passes: no nDCG@10 lost"),
    Check("dense", "nDCG@10 against main.json", "fail", 'dense fails: "more" <lost> & gone'),
    Check("dense", "R@5 at least 0.85", "inconclusive", "whether R@5 is at least 0.85 can't be told"),
]


def suite_of(xml: str) -> ElementTree.Element:
    root = ElementTree.fromstring(xml)
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    return suite


def test_each_check_is_a_test_case_and_what_is_open_is_no_success() -> None:
    suite = suite_of(junit_xml(CHECKS, ["few sources", "the sets differ"]))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "2", "errors": "0", "skipped": "0"}
    passed, failed, still_open = suite.findall("testcase")
    assert (passed.get("classname"), passed.get("name")) == (
        "goldgen gate: bm25",
        "nDCG@10 against main.json",
    )
    assert passed.find("failure") is None
    assert passed.findtext("system-out") == "bm25 passes: no nDCG@10 lost"
    failure, doubt = failed.find("failure"), still_open.find("failure")
    assert failure is not None and doubt is not None
    assert (failure.get("type"), failure.get("message"), failure.text) == (
        "fail", CHECKS[1].sentence, CHECKS[1].sentence,
    )  # fmt: skip
    assert (doubt.get("type"), doubt.text) == ("inconclusive", CHECKS[2].sentence)
    assert suite.findtext("system-out") == "few sources\nthe sets differ"


def test_a_gate_that_could_not_decide_is_an_error() -> None:
    suite = suite_of(junit_error("main.json is no report\x1b[31m"))
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
    error = suite.find("testcase/error")
    assert error is not None and error.get("message") == "main.json is no report\ufffd[31m"


@given(st.text(), st.text(), st.sampled_from(["pass", "fail", "inconclusive"]))
def test_any_text_comes_back_or_is_replaced_where_xml_has_no_place_for_it(
    subject: str, sentence: str, verdict: Verdict
) -> None:
    xml = junit_xml([Check(subject, "name", verdict, sentence)])
    (case,) = suite_of(xml.encode("utf-8").decode("utf-8")).findall("testcase")
    assert len(case.get("classname", "")) == len("goldgen gate: ") + len(subject)
    assert (case.find("failure") is None) == (verdict == "pass")


@pytest.mark.parametrize("text", ["a\nb", "tab\there", "]]>", "<x/>", "é 中 🙂"])
def test_plain_text_comes_back_unchanged(text: str) -> None:
    (case,) = suite_of(junit_xml([Check(text, "name", "fail", text)])).findall("testcase")
    assert case.get("classname") == f"goldgen gate: {text}"
    assert case.findtext("failure") == text
