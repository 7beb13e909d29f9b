import asyncio
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr
from stored_sets import fill
from stub.generator import generator_script, stage
from stub.server import StartStub, Stub

from goldgen.app.models import EMBEDDED_VERIFIER, ModelSettings
from goldgen.app.planning import (
    EXPECTED_SHARE,
    LIKELIHOOD,
    CallPlan,
    Cost,
    PlanningChat,
    embedded_endpoint,
    scratch_copy,
)
from goldgen.app.synth import SynthOptions, plan_synth, synthesize
from goldgen.app.verify import VerifyOptions, plan_verify, verify
from goldgen.corpus import ChunkOptions
from goldgen.errors import CorpusError, EmptyResultError, StoreError
from goldgen.models.endpoints import EMBEDDED_GENERATOR, Endpoint
from goldgen.models.keys import call_key
from goldgen.store import CallLedger, open_store
from goldgen.text.tokens import estimated_tokens
from goldgen.types import CallRecord, ChatRequest, Message, Price, Usage

PRICE = Price(1.0, 10.0)
ENDPOINT = Endpoint("gen", "http://127.0.0.1:9/v1", SecretStr("key"), price=PRICE)


class Answer(BaseModel):
    text: str


def request(subject: str, *, max_tokens: int = 100, stage: str = "synth") -> ChatRequest[Answer]:
    return ChatRequest(stage, (Message("user", f"Who is {subject}?"),), Answer, "prompt-1", max_tokens)


def record(asked: ChatRequest[Answer], *, failure: str = "", completion_tokens: int = 30) -> CallRecord:
    return CallRecord(
        key=call_key(ENDPOINT, asked),
        stage=asked.stage,
        model=ENDPOINT.model,
        endpoint=ENDPOINT.label,
        prompt_hash=asked.prompt_hash,
        messages=asked.messages,
        status="failed" if failure else "ok",
        reply="" if failure else '{"text": "a poet"}',
        failure_kind=failure,
        usage=Usage(40, completion_tokens, 1),
    )


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Generator[CallLedger]:
    """Empty, and it stays so: planning writes nothing."""
    with open_store(tmp_path_factory.mktemp("planning") / "set.duckdb") as store:
        yield store.calls


def test_what_the_ledger_knows_is_answered_and_the_rest_is_counted_once(tmp_path: Path) -> None:
    known, filtered, broken = request("Ada"), request("Bob"), request("Cy")
    with open_store(tmp_path / "set.duckdb") as store:
        store.calls.put(record(known))
        store.calls.put(record(filtered, failure="content_filter"))
        store.calls.put(record(broken, failure="timeout"))
        chat = PlanningChat(ENDPOINT, store.calls)
        asked = [known, filtered, broken, request("Dan"), request("Dan"), request("Eve", stage="verify")]
        replies = [asyncio.run(chat.ask(one)) for one in asked]
        plan = chat.plan()
    assert replies[0].value == Answer(text="a poet") and replies[0].from_ledger
    assert [reply.failure.kind for reply in replies[1:] if reply.failure] == [
        "content_filter",
        *["planned"] * 4,
    ]
    synth, verify_stage = plan.stages
    assert (synth.stage, synth.model, synth.remembered, synth.at_most.calls) == ("synth", "gen", 2, 2)
    assert (verify_stage.stage, verify_stage.remembered, verify_stage.at_most.calls) == ("verify", 0, 1)
    assert (plan.remembered, plan.at_most.calls, plan.expected.calls) == (2, 3, 3)


def test_tokens_and_price_follow_the_text_the_ledger_and_the_limits(tmp_path: Path) -> None:
    one = request("Dan", max_tokens=200)
    prompt = estimated_tokens(str(Answer.model_json_schema())) + estimated_tokens("Who is Dan?")
    with open_store(tmp_path / "set.duckdb") as store:
        fresh = PlanningChat(ENDPOINT, store.calls)
        asyncio.run(fresh.ask(one))
        before = fresh.plan()
        store.calls.put(record(request("Ada"), completion_tokens=30))
        store.calls.put(record(request("Bob"), completion_tokens=50))
        chat = PlanningChat(ENDPOINT, store.calls)
        asyncio.run(chat.ask(one))
        asyncio.run(chat.ask(request("Eve", max_tokens=20)))
        after = chat.plan()
    expected = round(200 * EXPECTED_SHARE)
    assert before.expected == Cost(1, prompt, expected, PRICE.usd(prompt, expected))
    assert before.at_most == Cost(1, prompt, 200, PRICE.usd(prompt, 200))
    assert after.expected.completion_tokens == 40 + 20, "the average, and never above the limit"
    assert after.at_most.completion_tokens == 220


def test_possible_calls_are_estimates_that_may_not_come(ledger: CallLedger) -> None:
    chat = PlanningChat(ENDPOINT, ledger)
    for _ in range(4):
        chat.may_ask(request("Dan"))
    (noted,) = chat.plan().stages
    assert noted.estimated and noted.remembered == 0
    assert (noted.expected.calls, noted.at_most.calls) == (4 * LIKELIHOOD, 4)
    assert noted.expected.usd is not None and noted.at_most.usd is not None
    assert 0 < noted.expected.usd < LIKELIHOOD * noted.at_most.usd


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 500), st.booleans()), max_size=12))
@settings(deadline=None, max_examples=30)
def test_what_is_expected_never_exceeds_the_most(
    ledger: CallLedger, calls: list[tuple[int, int, bool]]
) -> None:
    chat = PlanningChat(ENDPOINT, ledger)
    for number, max_tokens, possible in calls:
        one = request(str(number), max_tokens=max_tokens)
        if possible:
            chat.may_ask(one)
        else:
            asyncio.run(chat.ask(one))
    plan = chat.plan()
    assert sum((planned.at_most for planned in plan.stages), Cost()) == plan.at_most
    for planned in plan.stages:
        low, high = planned.expected, planned.at_most
        assert low.calls <= high.calls and low.completion_tokens <= high.completion_tokens
        assert low.prompt_tokens <= high.prompt_tokens and (low.usd or 0) <= (high.usd or 0)


def test_a_model_without_a_known_price_is_said_to_have_none(ledger: CallLedger) -> None:
    unknown = PlanningChat(Endpoint("gen", "http://127.0.0.1:9/v1", SecretStr("")), ledger)
    free = PlanningChat(embedded_endpoint("small"), ledger)
    for chat in (unknown, free):
        asyncio.run(chat.ask(request("Ada")))
    assert unknown.plan().expected.usd is None and unknown.plan().at_most.usd is None
    assert free.plan().at_most.usd == 0 and free.plan().at_most.calls == 1


def synth_options(
    folder: Path, stub: Stub, *, near_misses: int = 1, sample: int | None = None, name: str = ""
) -> SynthOptions:
    return SynthOptions(
        folder / "set.duckdb",
        folder / "docs",
        near_misses=near_misses,
        sample=sample,
        chunking=ChunkOptions(size=700, minimum=300),
        name=name,
        models=ModelSettings(model="gen", base_url=stub.url, price=Price(1.0, 2.0)),
    )


def verify_options(folder: Path, stub: Stub) -> VerifyOptions:
    models = ModelSettings(verifier_model="ver", verifier_base_url=stub.url, verifier_price=Price(1.0, 2.0))
    return VerifyOptions(folder / "set.duckdb", controls=5, models=models, complete=0)


def by_stage(plan: CallPlan, *, estimated: bool = False) -> dict[str, tuple[int, int]]:
    """Calls to make at most, and remembered."""
    stages = [stage for stage in plan.stages if stage.estimated == estimated]
    return {stage.stage: (stage.at_most.calls, stage.remembered) for stage in stages}


def test_synth_asks_what_its_plan_says(tmp_path: Path, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    options = synth_options(tmp_path, stub)
    plan = asyncio.run(plan_synth(options))
    assert stub.requests == [] and not options.db.exists()
    assert by_stage(plan) == {"synth": (8, 0)}
    assert by_stage(plan, estimated=True) == {"synth": (8, 0), "rewrite": (8, 0), "near_miss": (8, 0)}
    assert plan.expected.usd is not None and plan.at_most.usd is not None

    report = asyncio.run(synthesize(options))
    asked = [stage(chat.body) for chat in stub.chats]
    assert asked.count("Questions") == 8, "every style comes out at the first try"
    assert plan.at_most.calls >= len(asked) == report.calls.made
    assert report.calls.usd <= plan.at_most.usd
    assert report.calls.usage.prompt_tokens <= plan.at_most.prompt_tokens

    before = options.db.read_bytes(), len(stub.requests)
    again = asyncio.run(plan_synth(options))
    assert again.at_most == Cost() and again.remembered == len(asked)
    assert (options.db.read_bytes(), len(stub.requests)) == before


def test_near_misses_of_known_questions_are_counted_and_not_estimated(
    tmp_path: Path, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    asyncio.run(synthesize(synth_options(tmp_path, stub, near_misses=0, sample=5)))
    plan = asyncio.run(plan_synth(synth_options(tmp_path, stub, near_misses=2)))
    assert by_stage(plan)["synth"] == (3, 5)
    assert by_stage(plan, estimated=True) == {"synth": (3, 0), "rewrite": (3, 0), "near_miss": (6, 0)}
    near_miss = {item.estimated: item.at_most for item in plan.stages if item.stage == "near_miss"}
    limits = {key: cost.completion_tokens / cost.calls for key, cost in near_miss.items()}
    assert limits[True] == limits[False], "estimated calls have the limit that real ones have"


def test_verify_asks_what_its_plan_says(tmp_path: Path, docs: Path, start_stub: StartStub) -> None:
    stub = start_stub(generator_script)
    asyncio.run(synthesize(synth_options(tmp_path, stub)))
    before = len(stub.chats)
    options = verify_options(tmp_path, stub)
    stored = options.db.read_bytes()
    plan = asyncio.run(plan_verify(options))
    assert len(stub.chats) == before and options.db.read_bytes() == stored
    report = asyncio.run(verify(options))
    made = len(stub.chats) - before
    assert by_stage(plan) == {"verify": (made, 0)}
    controls = sum(kind.judged for kind in report.proof.kinds)
    assert by_stage(plan, estimated=True) == {"verify_strict": (controls, 0)}, "for controls that pass"
    assert report.calls.made == made
    assert plan.at_most.usd is not None and 0 < report.calls.usd <= plan.at_most.usd
    again = asyncio.run(plan_verify(options))
    assert (again.at_most.calls, again.remembered) == (0, made)


_OFFLINE = """
import asyncio, sys
from pathlib import Path
from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, plan_synth
from goldgen.app.verify import VerifyOptions, plan_verify
models = ModelSettings(offline=True)
drafts = asyncio.run(plan_synth(SynthOptions(Path("new.duckdb"), Path("docs"), models=models)))
judged = asyncio.run(plan_verify(VerifyOptions(Path("set.duckdb"), models=models)))
for plan in (drafts, judged):
    most = plan.at_most
    print(*{stage.model for stage in plan.stages}, most.calls, most.prompt_tokens, most.usd)
print(sorted({"torch", "sentence_transformers", "xllamacpp", "openai"} & set(sys.modules)))
"""


def test_embedded_models_are_counted_without_loading_them(tmp_path: Path, docs: Path) -> None:
    with open_store(tmp_path / "set.duckdb") as store:
        fill(store)
    run = subprocess.run(
        [sys.executable, "-c", _OFFLINE],
        cwd=tmp_path,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    drafts, judged, loaded = run.stdout.splitlines()
    name, calls, tokens, usd = drafts.split()
    assert (name, usd) == (EMBEDDED_GENERATOR, "0.0") and int(calls) > 0 and int(tokens) > 0
    name, calls, tokens, usd = judged.split()
    assert (name, tokens, usd) == (EMBEDDED_VERIFIER, "0", "0.0") and int(calls) >= 3
    assert loaded == "[]"
    assert not (tmp_path / "cache").exists()


def test_a_copy_has_what_a_killed_run_left_in_the_write_ahead_log(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    killed = (
        "import os; from pathlib import Path; from goldgen.store import CallLedger, open_store\n"
        f"store = open_store(Path({str(db)!r})); store.meta.set('corpus', 'kept'); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", killed]).returncode == 9
    log = db.with_name("set.duckdb.wal")
    before = db.read_bytes(), log.read_bytes()
    with scratch_copy(db) as copy, open_store(copy) as store:
        assert store.meta.get("corpus") == "kept"
        store.meta.set("corpus", "changed")
    assert (db.read_bytes(), log.read_bytes()) == before
    assert not copy.exists()


def test_errors_of_a_dry_run_name_the_set_and_not_its_copy(
    tmp_path: Path, docs: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    with pytest.raises(StoreError, match=f"no golden set at {tmp_path}/set.duckdb;"):
        asyncio.run(plan_verify(verify_options(tmp_path, stub)))
    asyncio.run(synthesize(synth_options(tmp_path, stub, sample=1)))
    with pytest.raises(CorpusError, match=f"^{tmp_path}/set.duckdb holds the corpus 'docs'"):
        asyncio.run(plan_synth(synth_options(tmp_path, stub, name="other")))
    with open_store(tmp_path / "empty.duckdb"):
        pass
    empty = VerifyOptions(tmp_path / "empty.duckdb", models=ModelSettings(offline=True))
    with pytest.raises(EmptyResultError, match=r"empty\.duckdb has no questions to verify"):
        asyncio.run(plan_verify(empty))


def test_an_empty_file_is_planned_for_as_the_run_would_fill_it(tmp_path: Path) -> None:
    db = tmp_path / "set.duckdb"
    db.touch()
    with scratch_copy(db) as copy:
        assert not copy.exists()
    assert db.stat().st_size == 0
