"""Names of people, found by a real spaCy pipeline that knows a few of them."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy

from goldgen.errors import SettingsError
from goldgen.logs import LogRow, NameFinder, Scrubbed, merge, person_finder, scrub, scrub_all
from goldgen.logs.spans import Span
from goldgen.tabular import BadRow

NAMES = ("Ada Quill", "Bo Lindqvist", "Cy <EMAIL> Dorn", "<PHONE")
"""Models take placeholders for names, too."""


def model(folder: Path, *, labels: Sequence[str] = ("PERSON", "ORG"), part: str = "entity_ruler") -> str:
    """A folder with a pipeline that calls ``NAMES`` the first of the labels."""
    pipeline = spacy.blank("en")
    if labels:
        ruler: Any = pipeline.add_pipe(part)
        ruler.add_patterns([{"label": labels[0], "pattern": name} for name in NAMES])
        ruler.add_patterns([{"label": labels[-1], "pattern": "Quill Ltd"}])
    pipeline.to_disk(folder / "model")
    return str(folder / "model")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> NameFinder:
    return person_finder(model(tmp_path_factory.mktemp("spacy")))


@pytest.mark.parametrize(
    ("query", "text", "counts"),
    [
        ("reset the key of Ada Quill", "reset the key of <PERSON>", {"PERSON": 1}),
        ("Ada Quill and Bo Lindqvist share", "<PERSON> and <PERSON> share", {"PERSON": 2}),
        ("ada@quill.example asked, not Ada Quill", "<EMAIL> asked, not <PERSON>", {"EMAIL": 1, "PERSON": 1}),
        ("seat of Ａｄａ Ｑｕｉｌｌ", "seat of <PERSON>", {"PERSON": 1}),
        ("Cy cy@dorn.example Dorn", "<PERSON> <EMAIL> <PERSON>", {"EMAIL": 1, "PERSON": 2}),
        ("sms to +49 30 901820 fails", "sms to <PHONE> fails", {"PHONE": 1}),
        ("who is at Quill Ltd", "who is at Quill Ltd", {}),
        ("prometheus retention in Paris", "prometheus retention in Paris", {}),
    ],
)
def test_names_give_way_to_a_placeholder(
    names: NameFinder, query: str, text: str, counts: dict[str, int]
) -> None:
    (found,) = scrub_all([query], names=names)
    assert (found.text, found.counts) == (text, counts)
    assert not any(part in repr(found) for name in NAMES[:2] for part in name.split() if part not in text)


def test_names_are_found_in_many_texts_at_once_and_placeholders_stay(names: NameFinder) -> None:
    texts = ["mail jo@x.example for Ada Quill", "nothing here", "Bo Lindqvist"] * 100
    once = scrub_all(texts, names=names)
    assert once[:3] == [scrub_all([text], names=names)[0] for text in texts[:3]]
    assert {found.text for found in once} == {"mail <EMAIL> for <PERSON>", "nothing here", "<PERSON>"}
    again = scrub_all([found.text for found in once], names=names)
    assert again == [Scrubbed(found.text) for found in once]
    assert scrub_all([], names=names) == []


def test_without_a_model_names_stay() -> None:
    assert scrub_all(["ask Ada Quill"]) == [scrub("ask Ada Quill")] == [Scrubbed("ask Ada Quill")]


def test_names_in_queries_are_counted_and_pages_keep_theirs(names: NameFinder) -> None:
    rows = [
        LogRow(2, "badge of Ada Quill", page="people/Ada Quill.md"),
        LogRow(3, "badge of Bo Lindqvist", page="badges.md"),
        LogRow(4, "Ada Quill"),
        BadRow(5, "no JSON"),
    ]
    merged = merge(rows, names=names)
    assert [(query.text, query.asked) for query in merged.queries] == [("badge of <PERSON>", 2)]
    assert merged.scrubbed == {"PERSON": 3}
    assert merged.examples["PERSON"][0] == "xxx xxxxx in: badge of <PERSON>"
    assert [(bad.line, bad.reason) for bad in merged.bad] == [(4, "only personal data"), (5, "no JSON")]
    assert set(merged.queries[0].pages) == {"people/Ada Quill.md", "badges.md"}


def test_a_long_log_asks_the_model_in_pieces_and_for_each_query_once() -> None:
    asked: list[list[str]] = []

    def find(texts: Sequence[str]) -> list[list[Span]]:
        asked.append(list(texts))
        return [[(9, len(text))] for text in texts]

    rows = [LogRow(line, f"badge of person {line % 700}") for line in range(5_000)]
    merged = merge(rows, names=find)
    assert [(query.text, query.asked) for query in merged.queries] == [("badge of <PERSON>", 5_000)]
    assert merged.scrubbed == {"PERSON": 5_000}
    assert sorted(text for piece in asked for text in piece) == sorted({row.query for row in rows})
    assert max(map(len, asked)) < 600


_WATCHED = """
import json, sys
from pathlib import Path
from goldgen.errors import SettingsError
from goldgen.logs import person_finder

there, absent, folder = sys.argv[1:]
assert not {"spacy", "presidio_analyzer", "torch"} & set(sys.modules), "loaded before it is used"
import presidio_analyzer  # what its imports look for on this machine is their own

seen = []
outside = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.posix_spawn")
sys.addaudithook(lambda event, _: seen.append(event) if event in outside else None)
said = []
for model in (absent, folder):
    try:
        person_finder(model)
    except SettingsError as error:
        said.append(str(error))
found = person_finder(there)(["key of Ada Quill"])
print(json.dumps([said, found, seen]))
"""


def test_a_missing_model_is_one_line_and_nothing_is_downloaded_or_asked_outside(tmp_path: Path) -> None:
    absent = ("en_core_web_sm_of_nobody", str(tmp_path))
    arguments = [sys.executable, "-c", _WATCHED, model(tmp_path), *absent]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    said, found, seen = json.loads(done.stdout)
    assert said == [
        f"there is no spaCy model {name!r}: install one, as by `python -m spacy download en_core_web_sm`, "
        "or name a folder"
        for name in absent
    ]
    assert (found, seen, done.stderr) == ([[[7, 16]]], [], "")


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(
        SettingsError, match=r'^names of people need presidio: pip install "goldgen\[names\]"$'
    ):
        person_finder("en_core_web_sm")


@pytest.mark.parametrize(
    ("labels", "part", "seen"),
    [((), "", "nothing"), (("ORG",), "entity_ruler", "ORG"), (("PERSON",), "span_ruler", "nothing")],
)
def test_a_model_that_looks_for_no_people_is_refused(
    tmp_path: Path, labels: tuple[str, ...], part: str, seen: str
) -> None:
    with pytest.raises(SettingsError, match=rf"looks for no people \(for {seen}\); give another$"):
        person_finder(model(tmp_path, labels=labels, part=part))


@pytest.mark.parametrize("label", ["PER", "persName", "PRS", "PS"])
def test_people_have_other_labels_in_other_languages(tmp_path: Path, label: str) -> None:
    assert person_finder(model(tmp_path, labels=(label, "ORG")))(["Ada Quill"]) == [[(0, 9)]]


@pytest.mark.parametrize("damage", ["config.cfg", "vocab/strings.json", "tokenizer"])
def test_a_damaged_model_is_one_line(tmp_path: Path, damage: str) -> None:
    file = Path(model(tmp_path)) / damage
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(SettingsError, match=r"^cannot load the spaCy model .*\): install it anew$"):
        person_finder(str(tmp_path / "model"))
