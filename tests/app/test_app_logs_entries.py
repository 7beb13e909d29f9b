"""What goes wrong with logs, through every entry: a file and standard input of the command, and Python."""

import asyncio
import csv
import json
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDGEN, Goldgen
from stored_sets import fill
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.app.exporting import ExportForm, ExportOptions, export
from goldgen.app.logs import LogOptions, add_logs
from goldgen.app.models import ModelSettings
from goldgen.logs import LogColumns
from goldgen.store import open_store
from goldgen.types import Judgment

DB = Path("outputs") / "goldgen.duckdb"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with a set of two documents, the command in it, and an endpoint."""

    folder: Path
    goldgen: Goldgen
    endpoint: str

    @property
    def flags(self) -> tuple[str, ...]:
        return (
            *("--verifier-base-url", self.endpoint, "--verifier-model", "ver"),
            *("--embedding-base-url", self.endpoint, "--embedding-model", "vectors", "--json"),
        )

    @property
    def models(self) -> ModelSettings:
        return ModelSettings(
            verifier_base_url=self.endpoint,
            verifier_model="ver",
            embedding_base_url=self.endpoint,
            embedding_model="vectors",
        )

    def stored(self) -> dict[str, int]:
        with open_store(self.folder / DB, read_only=True) as store:
            return {question.text: question.asked for question in store.questions.all("log")}


Add = Callable[[Place, str, bytes], dict[str, Any]]
Export = Callable[[Place, str, ExportForm], None]


def file_of_command(place: Place, name: str, raw: bytes) -> dict[str, Any]:
    (place.folder / name).write_bytes(raw)
    done = place.goldgen("logs", "add", name, *place.flags)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def standard_input(place: Place, name: str, raw: bytes) -> dict[str, Any]:
    done = subprocess.run(
        [GOLDGEN, "logs", "add", "-", *place.flags],
        cwd=place.folder,
        env=place.goldgen.environment({}),
        input=raw,
        capture_output=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def python(place: Place, name: str, raw: bytes) -> dict[str, Any]:
    (place.folder / name).write_bytes(raw)
    options = LogOptions(place.folder / DB, place.folder / name, LogColumns(), models=place.models)
    return json.loads(json.dumps(asdict(asyncio.run(add_logs(options)))))


def export_of_command(place: Place, to: str, form: ExportForm) -> None:
    assert place.goldgen("export", to, "--format", form).returncode == 0


def export_of_python(place: Place, to: str, form: ExportForm) -> None:
    export(ExportOptions(place.folder / DB, place.folder / to, form))


@pytest.fixture
def place(tmp_path: Path, goldgen: Goldgen, start_stub: StartStub) -> Place:
    with open_store(tmp_path / DB) as store:
        fill(store)
    return Place(tmp_path, goldgen, start_stub(generator_script).url)


every_entry = pytest.mark.parametrize("add", [file_of_command, standard_input, python])


@every_entry
def test_the_mark_that_excel_writes_hides_no_column(place: Place, add: Add) -> None:
    report = add(place, "log.csv", "query;page\r\nmehr Plätze;seats.md\r\n".encode("utf-8-sig"))
    assert (report["rows"], report["rejected"], report["pages_named"]) == (1, {}, 1)
    assert place.stored() == {"mehr Plätze": 1}


@every_entry
def test_a_late_quotation_mark_a_line_break_and_cp1252_leave_the_count_exact(place: Place, add: Add) -> None:
    plain = b"".join(b"export of part %d,/p\n" % (number % 3) for number in range(21_000))
    late = b'"seats, more\nof them",/q\n' + "Größe der Plätze,/r\n".encode("cp1252")
    report = add(place, "log.csv", b"query,page\n" + plain + late)
    assert (report["rows"], report["queries"], report["rejected"]) == (21_002, 5, {})
    parts = {f"export of part {number}": 7_000 for number in range(3)}
    assert place.stored() == {**parts, "seats, more of them": 1, "Größe der Plätze": 1}


@every_entry
def test_a_pasted_document_is_one_row_less_and_says_its_line(place: Place, add: Add) -> None:
    report = add(place, "log.csv", b"query\nmore seats\n" + b"x" * 140_000 + b"\nnight exports\n")
    assert (report["rows"], report["queries"], len(report["rejected_lines"])) == (3, 2, 1)
    assert report["rejected_lines"][0].startswith("3: ")
    assert place.stored() == {"more seats": 1, "night exports": 1}


@every_entry
def test_blank_joined_and_truncated_objects_keep_the_good_rows(place: Place, add: Add) -> None:
    rows = (
        b'{"query": "more seats"}\n\n{"query": "night exports"}{"query": "mail owner"}\n{"query": "jane@exa'
    )
    report = add(place, "log.jsonl", rows)
    assert (report["rows"], report["queries"]) == (4, 3)
    assert [line.partition(":")[0] for line in report["rejected_lines"]] == ["4"]
    assert "jane" not in json.dumps(report)
    assert place.stored() == {"more seats": 1, "night exports": 1, "mail owner": 1}


@every_entry
def test_phones_of_other_countries_and_cards_are_taken_and_what_looks_like_them_stays(
    place: Place, add: Add
) -> None:
    taken = {
        "sms to +49 30 901820 fails": "sms to <PHONE> fails",
        "pay 4111111111111111 twice": "pay <CARD> twice",
    }
    stays = (
        "pi is 3.14159265358979",
        "released 2024-01-02 or 02.01.2024",
        "backup-20240102T101112Z-full of the cluster",
        "order 0001234567 late",
    )
    queries: list[object] = [*taken, *stays, 4111111111111111, 5555555555554444]
    raw = "\n".join(json.dumps({"query": query}) for query in queries).encode()
    report = add(place, "log.jsonl", raw)
    assert (report["rows"], report["rejected"]) == (8, {"only personal data": 2})
    assert report["scrubbed"] == {"PHONE": 1, "CARD": 3}
    assert place.stored().keys() == {*taken.values(), *stays}


@pytest.mark.parametrize(
    ("add", "write"),
    [
        (file_of_command, export_of_command),
        (standard_input, export_of_command),
        (python, export_of_python),
    ],
)
def test_a_formula_is_harmless_in_tables_and_as_typed_elsewhere(
    place: Place, add: Add, write: Export
) -> None:
    formula = '=HYPERLINK("http://x.example";"seats")'
    report = add(place, "log.jsonl", json.dumps({"query": formula}).encode())
    assert (report["rows"], report["queries"]) == (1, 1)
    with open_store(place.folder / DB) as store:
        (question,) = store.questions.all("log")
        store.judgments.put([Judgment(question.id, "chunk-seats", "ann", judge_kind="human", grade=3)])
    write(place, "set.csv", "csv")
    write(place, "set.jsonl", "jsonl")
    table = csv.DictReader((place.folder / "set.csv").read_text("utf-8-sig").splitlines())
    cells = [cell for row in table for cell in row.values() if "HYPERLINK" in cell]
    assert cells and all(cell == "'" + formula for cell in cells)
    objects = [json.loads(line) for line in (place.folder / "set.jsonl").read_text("utf-8").splitlines()]
    assert formula in [value for row in objects for value in row.values()]
