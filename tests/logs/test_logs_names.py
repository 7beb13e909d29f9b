"""Names of people, found by a real spaCy pipeline that knows two of them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy

from goldgen.errors import SettingsError
from goldgen.logs import LogRow, merge, person_finder, scrub
from goldgen.logs.spans import Finder

NAMES = ("Ada Quill", "Bo Lindqvist")


def model(folder: Path, *, rules: bool = True) -> str:
    pipeline = spacy.blank("en")
    if rules:
        patterns = [{"label": "PERSON", "pattern": name} for name in (*NAMES, "EMAIL", "Phone")]
        ruler: Any = pipeline.add_pipe("entity_ruler")
        ruler.add_patterns([*patterns, {"label": "ORG", "pattern": "Quill Ltd"}])
    pipeline.to_disk(folder / "model")
    return str(folder / "model")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Finder:
    return person_finder(model(tmp_path_factory.mktemp("spacy")))


@pytest.mark.parametrize(
    ("query", "text", "counts"),
    [
        ("reset the key of Ada Quill", "reset the key of <PERSON>", {"PERSON": 1}),
        ("Ada Quill and Bo Lindqvist share", "<PERSON> and <PERSON> share", {"PERSON": 2}),
        ("ada@quill.example asked, not Ada Quill", "<EMAIL> asked, not <PERSON>", {"EMAIL": 1, "PERSON": 1}),
        ("who is at Quill Ltd", "who is at Quill Ltd", {}),
        ("prometheus retention", "prometheus retention", {}),
    ],
)
def test_names_give_way_to_a_placeholder(
    names: Finder, query: str, text: str, counts: dict[str, int]
) -> None:
    found = scrub(query, names=names)
    assert (found.text, found.counts) == (text, counts)
    assert not any(name in repr(found) for name in NAMES)


def test_a_placeholder_is_no_name(names: Finder) -> None:
    once = scrub("mail jo@x.example for Ada Quill", names=names)
    assert once.text == "mail <EMAIL> for <PERSON>"
    assert scrub(once.text, names=names) == type(once)(once.text)


def test_without_a_model_names_stay() -> None:
    assert scrub("ask Ada Quill").text == "ask Ada Quill"


def test_names_in_queries_are_counted_and_pages_keep_theirs(names: Finder) -> None:
    rows = [
        LogRow(2, "badge of Ada Quill", page="people/Ada Quill.md"),
        LogRow(3, "badge of Bo Lindqvist", page="badges.md"),
        LogRow(4, "Ada Quill"),
    ]
    merged = merge(rows, names=names)
    assert [(query.text, query.asked) for query in merged.queries] == [("badge of <PERSON>", 2)]
    assert merged.scrubbed == {"PERSON": 3}
    assert merged.examples["PERSON"][0] == "xxx xxxxx in: badge of <PERSON>"
    assert [(bad.line, bad.reason) for bad in merged.bad] == [(4, "only personal data")]
    assert set(merged.queries[0].pages) == {"people/Ada Quill.md", "badges.md"}


def test_a_missing_model_is_one_line_and_nothing_is_downloaded(tmp_path: Path) -> None:
    for wanted in ("en_core_web_sm", str(tmp_path)):
        with pytest.raises(SettingsError, match=r"there is no spaCy model .*install one.*or name a folder"):
            person_finder(wanted)


def test_a_model_that_is_damaged_or_names_nothing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"names nothing in a text \(it has nothing\)"):
        person_finder(model(tmp_path, rules=False))
    (tmp_path / "model" / "config.cfg").write_text("[nlp]\nlang = \n")
    with pytest.raises(SettingsError, match="cannot load the spaCy model"):
        person_finder(str(tmp_path / "model"))


def test_neither_is_loaded_unless_asked_for() -> None:
    code = "import sys, goldgen.logs; print({'spacy', 'presidio_analyzer'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
