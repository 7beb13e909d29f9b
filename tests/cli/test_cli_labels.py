import json
from pathlib import Path

from conftest import Goldgen
from stub.generator import careless_script, generator_script
from stub.server import StartStub, Stub

LEADS = ("Service 10 exports in the Pro plan stay", "Service 11 alerts may be stopped by")
QUERIES = tuple(f"Log: what holds for {lead}?" for lead in LEADS)


def endpoint(stub: Stub) -> tuple[str, ...]:
    return "--base-url", stub.url, "--verifier-model", "ver", *embeddings(stub)


def embeddings(stub: Stub) -> tuple[str, ...]:
    return "--embedding-model", "vectors", "--embedding-base-url", stub.url


def drafted(goldgen: Goldgen, stub: Stub) -> Path:
    """A set of drafts, and a log whose queries the documents answer, but for the last."""
    size = ("--chunk-size", "700", "--near-miss", "0", "--per-chunk", "5")
    done = goldgen("synth", "docs", *size, "--base-url", stub.url, "--model", "gen")
    assert done.returncode == 0, done.stderr
    log = goldgen.folder / "log.csv"
    log.write_text("query\n" + "\n".join([*QUERIES, "who paints the office"]) + "\n", encoding="utf-8")
    return log


def test_proposed_golds_of_a_log_count_once_the_verifier_is_proven_strict(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    log = drafted(goldgen, stub)
    added = goldgen("logs", "add", str(log), *endpoint(stub), "--json")
    assert added.returncode == 0, added.stderr
    report = json.loads(added.stdout)
    assert (report["labelled"], report["unanswered"], report["gaps"]) == (0, 3, 1)
    assert report["unanswered_to_depth"] == {"10": 2}
    assert report["labels"]["held_back"] >= len(QUERIES)
    shown = goldgen("logs", "add", str(log), *endpoint(stub))
    assert "goldgen review --show proposed" in shown.stdout
    assert "unanswered  2 queries in the pool to depth 10" in shown.stdout
    assert "estimated" not in shown.stdout, "nothing is known of how strict the judge is"
    assert shown.stdout.count("gaps        1 queries") == 1, "all eight chunks were looked at"

    waiting = json.loads(goldgen("status", "--json").stdout)
    assert waiting["proposed"] == report["labels"]["held_back"]

    assert goldgen("verify", *endpoint(stub)).returncode == 0
    state = json.loads(goldgen("status", "--json").stdout)
    assert state["proposed"] == 0
    assert state["states"]["log"] == {"golden": 2, "unanswered": 1}
    assert state["models"] == {"generated": ["gen"], "judged": ["ver"], "pooled": ["vectors"]}
    told = goldgen("status").stdout
    assert "pooled      by vectors" in told and "gaps        1 questions" in told

    again = goldgen("logs", "add", str(log), *endpoint(stub))
    assert again.returncode == 0 and "golds wait" not in again.stdout
    assert "wrong golds estimated 0% (0% to " in again.stdout

    measured = goldgen("eval", "--retriever", "bm25", "--retriever", "dense", *embeddings(stub), "--json")
    assert measured.returncode == 0, measured.stderr
    bm25, dense = json.loads(measured.stdout)["retrievers"]
    assert dense["shares_model"] and not bm25["shares_model"]
    assert bm25["without_own"]["mean"] <= 1.0 and dense["without_own"]["golds"] >= 0
    table = goldgen("eval", "--retriever", "bm25", "--retriever", "dense", *embeddings(stub)).stdout
    assert "without own" in table

    failed = goldgen("verify", *endpoint(start_stub(careless_script)))
    assert failed.returncode == 3, failed.stderr
    assert "withdrawn   " in failed.stdout
    lost = json.loads(goldgen("status", "--json").stdout)
    assert lost["states"]["log"].get("golden", 0) == 0 and lost["proposed"] >= len(QUERIES)


def test_a_budget_that_ends_while_labelling_keeps_what_was_judged(
    goldgen: Goldgen, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    log = drafted(goldgen, stub)
    limited = (*endpoint(stub), "--max-calls", "5", "--concurrency", "1")
    stopped = goldgen("logs", "add", str(log), *limited)
    assert stopped.returncode == 1
    assert stopped.stderr.splitlines()[-1].startswith("error: --max-calls 5 is reached")
    assert "pairs, the least promising, as the budget ended" in stopped.stdout
    before = len(stub.chats)
    goes_on = goldgen("logs", "add", str(log), *endpoint(stub), "--json")
    assert goes_on.returncode == 0
    report = json.loads(goes_on.stdout)
    assert report["calls"]["remembered"] == 5
    assert report["calls"]["made"] == len(stub.chats) - before
    assert report["labels"]["left"] == 0


def test_a_shallow_pool_is_a_usage_error(goldgen: Goldgen) -> None:
    refused = goldgen("logs", "add", "log.csv", "--depth", "5")
    assert refused.returncode == 2
