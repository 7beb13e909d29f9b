import json
from pathlib import Path

from conftest import Goldgen
from stub import replies
from stub.generator import careless_script, generator_script, stage
from stub.server import StartStub, Stub

SIZE = ("--chunk-size", "700")


def generator(stub: Stub) -> tuple[str, ...]:
    return "--base-url", stub.url, "--model", "gen"


def verifier(stub: Stub) -> tuple[str, ...]:
    return "--base-url", stub.url, "--verifier-model", "ver"


def asked(stub: Stub, since: int) -> list[str]:
    """What was asked for since a number of chats."""
    return [stage(request.body) for request in stub.chats[since:]]


def test_from_documents_to_a_measured_retriever(goldgen: Goldgen, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    drafted = goldgen("synth", "docs", *SIZE, *generator(stub), "--json")
    assert drafted.returncode == 0, drafted.stderr
    synth = json.loads(drafted.stdout)
    assert synth["corpus"]["documents"] == 4
    assert synth["chunks_asked"] == synth["corpus"]["chunks"] == 8
    assert synth["questions"] == synth["questions_asked"] == 24
    assert synth["near_misses"] == 8
    assert {request.body["model"] for request in stub.chats} == {"gen"}
    assert synth["calls"]["made"] == len(stub.chats)

    before = len(stub.chats)
    judged = goldgen("verify", *verifier(stub), "--json")
    assert judged.returncode == 0
    verify = json.loads(judged.stdout)
    assert (verify["verifier"], verify["accepted"], verify["unjudged"]) == ("ver", 24, {})
    assert verify["near_misses_kept"] == 8
    assert verify["proof"]["verdict"] in ("unproven", "proven")
    assert {(kind["judged"], kind["unjudged"]) for kind in verify["proof"]["kinds"]} != {(0, 0)}
    assert all(kind["rejected"] == kind["judged"] for kind in verify["proof"]["kinds"])
    assert {request.body["model"] for request in stub.chats[before:]} == {"ver"}

    before = len(stub.chats)
    again = json.loads(goldgen("verify", *verifier(stub), "--json").stdout)
    assert len(stub.chats) == before
    assert (again["accepted"], again["calls"]["made"]) == (24, 0)

    measured = goldgen("eval", "--retriever", "bm25", "--json")
    assert measured.returncode == 0
    report = json.loads(measured.stdout)
    assert (report["questions"], report["excluded"], report["chunks"]) == (24, 0, 8)
    (bm25,) = report["retrievers"]
    assert bm25["means"]["nDCG@10"] > 0.9, "the questions hold words of their chunk"
    assert 0 <= bm25["confusion"] <= 1

    told = goldgen("status", "--json")
    assert told.returncode == 0
    state = json.loads(told.stdout)
    assert state["states"] == {"synthetic": {"golden": 24}}
    assert (state["calls"], state["calls_failed"], state["runs"]) == (len(stub.chats), 0, 1)
    assert state["tokens"] == sum(replies.tokens(answer.reply) for answer in stub.answers)


def test_a_larger_sample_asks_only_for_what_is_new(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    small = ("synth", "docs", *SIZE, *generator(stub), "--near-miss", "0", "--json", "--sample")
    assert json.loads(goldgen(*small, "3").stdout)["questions"] == 9
    assert asked(stub, 0) == ["Questions"] * 3
    larger = json.loads(goldgen(*small, "5").stdout)
    assert asked(stub, 3) == ["Questions"] * 2
    assert (larger["calls"]["made"], larger["calls"]["remembered"]) == (2, 3)
    assert larger["questions"] == 15
    passages = {str(request.body["messages"]) for request in stub.chats}
    assert len(passages) == 5


def test_a_verifier_that_accepts_everything_fails(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(careless_script)
    few = ("--sample", "3", "--near-miss", "0")
    assert goldgen("synth", "docs", *SIZE, *generator(stub), *few).returncode == 0
    judged = goldgen("verify", *verifier(stub))
    assert judged.returncode == 3
    assert "a judge that always says yes is no judge" in judged.stdout
    assert "rejects 0 of " in judged.stdout
    assert "Traceback" not in judged.stderr
