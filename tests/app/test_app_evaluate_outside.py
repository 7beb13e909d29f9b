"""Measuring retrievers of the user's own with the installed command."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from conftest import Goldgen
from stored_sets import fill, verdict

from goldgen.store import open_store

MODULE = """
async def find(question, k):
    return [("chunk-seats" if "seats" in question else "chunk-exports", 2.0), ("gone", 1.0)][:k]

def elsewhere(question, k):
    return ["page-1", "page-2"]

def broken(question, k):
    raise ValueError("the index is not there")
"""


@pytest.fixture(autouse=True)
def db(tmp_path: Path) -> Path:
    """Two golden questions and a near miss of one, with a module beside the set."""
    path = tmp_path / "outputs" / "goldgen.duckdb"
    with open_store(path) as store:
        fill(store)
        golds = [verdict("exports", "chunk-exports", 3), verdict("seats", "chunk-seats", 3)]
        store.judgments.put([*golds, verdict("seats", "near", 1)])
    (tmp_path / "mysearch.py").write_text(MODULE, encoding="utf-8")
    return path


class Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first = "chunk-exports" if "exports" in asked["question"] else "chunk-seats"
        body = json.dumps({"hits": [{"id": first}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        pass


@pytest.fixture
def service() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/search"
        server.shutdown()


def test_a_function_and_a_service_stand_beside_bm25(goldgen: Goldgen, service: str) -> None:
    names = ("mysearch:find", service, "bm25")
    run = goldgen("eval", "--json", *(part for name in names for part in ("--retriever", name)))
    assert (run.returncode, run.stderr) == (0, "")
    report = json.loads(run.stdout)
    own, http, bm25 = report["retrievers"]
    assert [own["means"]["RR@1"], http["means"]["RR@1"], bm25["means"]["RR@1"]] == [1.0, 1.0, 1.0]
    assert own["confusion"] is None and http["confusion"] is None and bm25["confusion"] == 0.0
    assert (own["replies"]["hits"], own["replies"]["unknown"]) == (4, 2)
    assert (own["label"], http["label"], bm25["replies"]) == ("mysearch:find", service, None)

    shown = goldgen("eval", "--retriever", "mysearch:find").stdout
    assert "mysearch:find: 2 of 4 hits name no chunk of the set" in shown
    assert shown.count("confused is n/a") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--retriever", "mysearch:elsewhere"), "gave 4 hits, and the set has no chunk of these ids"),
        (("--retriever", "mysearch:broken"), "ValueError: the index is not there"),
        (("--retriever", "mysearch:nothing"), "has no 'nothing'"),
        (("--retriever", "nowhere:find"), "there is no module 'nowhere'"),
        (("--retriever", "http://127.0.0.1:9/search"), "cannot be reached"),
        (("--retriever", "bm26"), "unknown retriever 'bm26'"),
        (("--retriever", "bm25", "--language", "xx"), "language 'xx'"),
    ],
)
def test_what_cannot_be_measured_is_one_line(goldgen: Goldgen, arguments: tuple[str, ...], says: str) -> None:
    run = goldgen("eval", *arguments)
    assert run.returncode == 1 and says in run.stderr
    assert run.stderr.startswith("error: ") and len(run.stderr.splitlines()) == 1


def test_stems_are_used_and_said(goldgen: Goldgen, db: Path) -> None:
    plain = json.loads(goldgen("eval", "--json", "--retriever", "bm25", "--language", "plain").stdout)
    stems = json.loads(goldgen("eval", "--json", "--retriever", "bm25", "--language", "en").stdout)
    assert (plain["language"], stems["language"]) == ("plain", "en")
    assert (
        "stems without stop words (en)" in goldgen("eval", "--retriever", "bm25", "--language", "en").stdout
    )
    with open_store(db, read_only=True) as store:
        kept = [json.loads(run.configuration)["search"]["language"] for run in store.runs.all()]
    assert kept == ["plain", "en", "en"]


def test_addresses_that_differ_only_in_what_is_not_shown_are_told_apart(
    goldgen: Goldgen, service: str
) -> None:
    names = (f"{service}?mode=a", f"{service}?mode=b")
    run = goldgen("eval", "--json", *(part for name in names for part in ("--retriever", name)))
    assert (run.returncode, run.stderr) == (0, "")
    report = json.loads(run.stdout)
    assert [found["label"] for found in report["retrievers"]] == [service, f"{service} #2"]
    assert report["language"] is None and "mode=" not in run.stdout
