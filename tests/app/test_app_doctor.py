"""What the doctor finds at scripted endpoints."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from examined import KEY, by_name, examined, states
from pydantic import SecretStr
from stub import replies
from stub.server import Body, Reply, Request, StartStub, Stub

from goldgen.app.models import ModelSettings
from goldgen.models.endpoints import Endpoint
from goldgen.models.listing import offered_models
from goldgen.store import open_store
from goldgen.types import Price

GREEN = replies.ok({"colour": "green"})
DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where a golden set may be made."""
    return tmp_path / "set.duckdb"


@pytest.fixture
def without_encoders(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an installation for endpoints only, which saves the seconds of loading."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)


def at(url: str) -> ModelSettings:
    """Generator and verifier at one endpoint."""
    return ModelSettings(
        model="gen",
        base_url=url,
        api_key=SecretStr(KEY),
        verifier_model="ver",
        timeout=20,
    )


@pytest.mark.usefixtures("without_encoders")
class TestEndpoints:
    def test_all_right(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        report = examined(db, replace(at(stub.url), price=Price(1.0, 2.5)))
        found = by_name(report)
        assert list(found) == [
            "generator",
            "verifier",
            "two models",
            "embedding model",
            "reranker",
            *(f"generator {part}" for part in ("call", "output", "speed", "price")),
            *(f"verifier {part}" for part in ("call", "output", "speed", "price")),
            "embeddings",
            "late interaction",
            "cross-encoder",
            "golden set",
        ]
        warned = [name for name, state in states(report).items() if state != "ok"]
        assert warned == ["embeddings", "late interaction", "cross-encoder"], "they are not installed"
        assert report.works and "late interaction" in report.conclusion
        assert found["generator"].found == f"gen at {stub.url}, key set"
        assert found["generator call"].found == f"{stub.url} answers, takes the key and has gen"
        assert "(json_schema)" in found["generator output"].found
        assert "10 tokens in, 5 out" in found["verifier speed"].found
        assert found["generator price"].found == "$1.00 in, $2.50 out for a million tokens"
        assert found["verifier price"].found.startswith("not known")

    def test_one_fixed_question_is_sent_to_each_and_nothing_is_written(
        self, db: Path, start_stub: StartStub
    ) -> None:
        with open_store(db) as store:
            store.meta.set("corpus", json.dumps({"name": "secret-name", "root": "/"}))
        before = db.read_bytes()
        stub = start_stub(replies.in_turn(GREEN))
        report = examined(db, at(stub.url))
        assert [chat.body["model"] for chat in stub.chats] == ["gen", "ver"]
        first, second = (chat.body["messages"] for chat in stub.chats)
        assert first == second and "lamp" in first[1]["content"]
        assert "secret-name" not in str(stub.requests)
        assert db.read_bytes() == before
        assert "schema" in by_name(report)["golden set"].found

    def test_one_model_in_both_roles_is_asked_once(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        settings = replace(at(stub.url), verifier_model="gen")
        refused = by_name(examined(db, settings))
        assert (
            refused["two models"].state == "failed" and "--allow-same-model" in refused["two models"].advice
        )
        assert refused["generator and verifier call"].state == "ok"
        assert len(stub.chats) == 1
        allowed = by_name(examined(db, replace(settings, allow_same_model=True)))
        assert allowed["two models"].state == "warning" and "same model" in allowed["two models"].found

    def test_one_family_is_told(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        found = by_name(examined(db, replace(at(stub.url), model="qwen3-8b", verifier_model="qwen3-30b")))
        assert found["two models"].state == "warning" and "same family" in found["two models"].found

    @pytest.mark.parametrize("echo", ["", f"Bearer {KEY}"])
    def test_a_wrong_key_appears_nowhere(self, db: Path, start_stub: StartStub, echo: str) -> None:
        stub = start_stub(replies.in_turn(replies.wrong_key(echo)))
        report = examined(db, at(stub.url))
        assert stub.chats[0].headers["authorization"] == f"Bearer {KEY}", "the key was sent"
        call = by_name(report)["generator call"]
        assert call.state == "failed" and "key was refused (401)" in call.found
        assert "OPENAI_API_KEY" in call.advice
        assert not report.works and "generator call" in report.conclusion
        assert by_name(report)["golden set"].state == "ok", "the others are looked at all the same"

    def test_a_request_that_echoes_the_key_does_not_show_it(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(replies.status(400, f"bad header Authorization: Bearer {KEY}")))
        call = by_name(examined(db, at(stub.url)))["generator call"]
        assert call.state == "failed" and "Bearer <key>" in call.found

    @pytest.mark.parametrize("key", [f"{KEY}\r", f"{KEY}\n", f" {KEY}", f"{KEY}“", f"{KEY}\x01"])
    def test_a_key_that_cannot_be_sent_is_told_and_not_shown(
        self, db: Path, start_stub: StartStub, key: str
    ) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        secret = SecretStr(key)
        settings = replace(at(stub.url), api_key=secret)
        report = examined(db, replace(settings, embedding_base_url=stub.url, embedding_api_key=secret))
        for name in ("generator", "verifier", "embedding model"):
            assert by_name(report)[name].state == "failed"
        assert stub.requests == []

    def test_a_wrong_model_is_told_with_the_names_there(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(lambda _, body: GREEN if body["model"] == "gen" else replies.no_such_model())
        found = by_name(examined(db, replace(at(stub.url), model="gem")))
        assert found["generator call"].state == "failed"
        assert found["generator call"].advice == "gem is not among the models there; it offers gen"
        assert "generator output" not in found
        assert found["verifier call"].advice == "ver is not among the models there; it offers gen"

    def test_a_path_that_is_not_there_is_told_with_what_to_do(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        call = by_name(examined(db, at(stub.url.removesuffix("/v1"))))["generator call"]
        assert call.state == "failed" and "/v1" in call.advice

    def test_nothing_listens(self, db: Path) -> None:
        found = by_name(examined(db, replace(at(DEAD), verifier_model="embedded")))
        assert found["generator call"].state == "failed"
        assert "nothing answers" in found["generator call"].found
        assert found["generator call"].advice == "is the server running?"
        assert found["golden set"].state == "ok"

    def test_a_server_without_structured_output_works_by_plain_text(
        self, db: Path, start_stub: StartStub
    ) -> None:
        def plain(number: int, body: Body) -> Reply:
            for unknown in ("response_format", "tools"):
                if unknown in body:
                    return replies.status(400, f"{unknown} is not supported")
            return replies.text('Sure! ```json\n{"colour": "green"}\n```')

        stub = start_stub(plain)
        report = examined(db, replace(at(stub.url), verifier_model="embedded"))
        output = by_name(report)["generator output"]
        assert output.state == "warning" and "(text)" in output.found
        assert f"in {len(stub.chats)} requests" in by_name(report)["generator speed"].found

    def test_the_mode_told_is_that_of_the_reply(self, db: Path, start_stub: StartStub) -> None:
        """An endpoint that ignores response_format and answers 200 follows what stands in the messages."""

        def ignores(number: int, body: Body) -> Reply:
            return GREEN if "JSON schema" in str(body["messages"]) else replies.text("Green.")

        stub = start_stub(ignores)
        found = by_name(examined(db, replace(at(stub.url), verifier_model="embedded")))
        assert "(json)" in found["generator output"].found

    def test_a_mode_that_was_asked_for_is_the_one_tried(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        found = by_name(examined(db, replace(at(stub.url), output_mode="json")))
        assert "(json)" in found["generator output"].found
        assert stub.chats[0].body["response_format"] == {"type": "json_object"}

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (replies.text("It is green."), "no valid reply"),
            (replies.refusal(), "refused"),
            (replies.filtered(), "content filter"),
            (replies.cut_off(), "cut at"),
            (replies.reasoning_only({"text": "Let me think"}), "reasoning"),
        ],
        ids=["prose", "refusal", "filter", "cut off", "reasoning"],
    )
    def test_an_output_of_no_use_is_no_fault_of_endpoint_or_key(
        self, db: Path, start_stub: StartStub, answer: Reply, says: str
    ) -> None:
        stub = start_stub(replies.in_turn(answer))
        found = by_name(examined(db, replace(at(stub.url), verifier_model="embedded")))
        assert found["generator call"].state == "ok"
        assert found["generator output"].state == "failed" and says in found["generator output"].found

    @pytest.mark.parametrize(
        ("answer", "says"),
        [(replies.html(), "answered 200 with"), (replies.HANG, "within 1 s")],
        ids=["html", "hangs"],
    )
    def test_no_answer_of_a_model(self, db: Path, start_stub: StartStub, answer: Reply, says: str) -> None:
        stub = start_stub(replies.in_turn(answer))
        call = by_name(examined(db, replace(at(stub.url), verifier_model="embedded", timeout=1)))[
            "generator call"
        ]
        assert call.state == "failed" and says in call.found

    def test_an_endpoint_that_counts_no_tokens_is_told(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(replies.ok({"colour": "green"}, usage=(0, 0))))
        speed = by_name(examined(db, at(stub.url)))["generator speed"]
        assert speed.state == "warning" and "--max-calls" in speed.advice

    def test_limits_hold_for_the_doctor_too(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        found = by_name(examined(db, replace(at(stub.url), max_calls=1)))
        assert found["generator call"].state == "ok"
        assert found["verifier call"].state == "warning" and "--max-calls" in found["verifier call"].found
        assert len(stub.chats) == 1
        unpriced = by_name(examined(db, replace(at(stub.url), max_usd=1.0)))
        assert unpriced["generator call"].state == "failed" and "--price" in unpriced["generator call"].advice
        assert len(stub.chats) == 1

    def test_offline_sends_nothing(self, db: Path, start_stub: StartStub) -> None:
        stub = start_stub(replies.in_turn(GREEN))
        settings = replace(at(stub.url), embedding_model="emb", embedding_base_url=stub.url)
        found = by_name(examined(db, replace(settings, offline=True)))
        assert stub.requests == []
        assert found["verifier"].found == "all-MiniLM-L6-v2, embedded"
        assert found["late interaction"].state == "failed", "the embedded verifier needs it"

    def test_settings_that_cannot_be_used_stop_nothing_else(self, db: Path) -> None:
        report = examined(db, ModelSettings(model="gen"))
        found = by_name(report)
        assert found["generator"].state == "failed" and "--base-url" in found["generator"].advice
        assert "two models" not in found and "embedded generator" not in found
        assert found["golden set"].state == "ok" and not report.works

    def test_a_known_price_is_told_before_anything_is_asked(self, db: Path) -> None:
        settings = ModelSettings(
            model="gpt-4o", base_url="https://api.openai.com/v1", verifier_model="embedded", max_calls=0
        )
        price = by_name(examined(db, settings))["generator price"]
        assert price.state == "ok" and price.found.startswith("$2.50 in, $10.00 out")


class Embeddings(Stub):
    """Closes its connections, as the embedder has no end at which it could."""

    def answer(self, request: Request) -> Reply:
        return replace(super().answer(request), headers={"Connection": "close"})


@pytest.mark.usefixtures("without_encoders")
def test_an_embedding_endpoint(db: Path) -> None:
    with Embeddings(replies.in_turn(GREEN)) as stub:
        settings = replace(
            at(stub.url), embedding_model="emb", embedding_base_url=stub.url, embedding_api_key=SecretStr(KEY)
        )
        found = by_name(examined(db, settings))
        asked = [request.body["input"] for request in stub.requests if request.path == "/v1/embeddings"]
        wrong = by_name(examined(db, replace(settings, embedding_base_url=stub.url.removesuffix("/v1"))))
        nameless = by_name(examined(db, replace(settings, embedding_model="all-MiniLM-L6-v2")))
    assert found["embedding model"].found == f"emb at {stub.url}, key set"
    assert found["embeddings"].state == "ok" and "emb works: 3 dimensions" in found["embeddings"].found
    assert len(asked) == 1 and "lamp" in asked[0][0]
    assert wrong["embeddings"].state == "failed" and "/v1" in wrong["embeddings"].advice
    assert nameless["embeddings"].state == "failed" and "--embedding-model" in nameless["embeddings"].advice


class Catalogue(Stub):
    """Offers these models."""

    def __init__(self, *names: str) -> None:
        super().__init__(replies.in_turn(replies.no_such_model()))
        self.names = names

    def answer(self, request: Request) -> Reply:
        if request.path != "/v1/models":
            return super().answer(request)
        return Reply(body=json.dumps({"data": [{"id": name} for name in self.names]}))


@pytest.mark.usefixtures("without_encoders")
def test_of_many_names_the_likest_are_told(db: Path) -> None:
    with Catalogue(*(f"model-{number}" for number in range(30)), "qwen3:8b", f"of-{KEY}") as stub:
        settings = replace(at(stub.url), model="qwen3-8b", verifier_model="embedded")
        call = by_name(examined(db, settings))["generator call"]
        names = asyncio.run(offered_models(Endpoint("gen", stub.url, SecretStr(KEY))))
    assert "it offers 32 models, among them qwen3:8b, " in call.advice
    assert call.advice.count(",") == 5
    assert "of-<key>" in names and len(names) == 32
