"""The checks of a gate as JUnit XML, which continuous integration shows as tests."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from goldgen.report.checks import Check

_SUITE = "goldgen gate"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(checks: Sequence[Check], notes: Sequence[str] = ()) -> str:
    """One test case a check; ``notes`` are the suite's output.

    An inconclusive check is a failure of type "inconclusive", for a gate does not let it through, and a
    skipped test would be shown as one that did no harm.
    """
    failures = sum(check.verdict != "pass" for check in checks)
    suite = _suite(tests=len(checks), failures=failures, errors=0)
    for check in checks:
        case = _case(suite, check.subject, check.name)
        if check.verdict == "pass":
            ElementTree.SubElement(case, "system-out").text = _text(check.sentence)
        else:
            _problem(case, "failure", check.verdict, check.sentence)
    if notes:
        ElementTree.SubElement(suite, "system-out").text = _text("\n".join(notes))
    return _document(suite)


def junit_error(message: str) -> str:
    """A gate that could decide nothing: one test case with an error."""
    suite = _suite(tests=1, failures=0, errors=1)
    _problem(_case(suite, "the gate", "could not be decided"), "error", "error", message)
    return _document(suite)


def _suite(*, tests: int, failures: int, errors: int) -> ElementTree.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": "0"}
    return ElementTree.Element("testsuite", {"name": _SUITE, **counts, "time": "0"})


def _case(suite: ElementTree.Element, subject: str, name: str) -> ElementTree.Element:
    said = {"classname": _text(f"{_SUITE}: {subject}"), "name": _text(name), "time": "0"}
    return ElementTree.SubElement(suite, "testcase", said)


def _problem(case: ElementTree.Element, tag: str, kind: str, message: str) -> None:
    said = {"type": kind, "message": _text(message)}
    ElementTree.SubElement(case, tag, said).text = _text(message)


def _document(suite: ElementTree.Element) -> str:
    suites = ElementTree.Element("testsuites", {"name": _SUITE})
    suites.append(suite)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suites, encoding="unicode")}\n'


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
