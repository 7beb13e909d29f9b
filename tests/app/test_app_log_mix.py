"""Synthetic questions in the styles and the wording of the logs."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Goldgen
from pooled_sets import Heard
from stub.server import Stub

from goldgen.app.log_mix import log_mix
from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, plan_synth, synthesize
from goldgen.corpus import ChunkOptions
from goldgen.errors import SettingsError, StoreError
from goldgen.prompts import PromptLibrary
from goldgen.store import open_store
from goldgen.types import Question

STYLES = PromptLibrary.packaged().styles()
USUAL = 6


def log(path: Path, *asked: tuple[str, float]) -> None:
    with open_store(path) as store:
        store.questions.add([Question(f"log-{n}", text, "log", "log") for n, (text, _) in enumerate(asked)])
        store.logs.set_weights({f"log-{n}": weight for n, (_, weight) in enumerate(asked) if weight})


def options(folder: Path, stub: Stub, **more: object) -> SynthOptions:
    made = SynthOptions(
        folder / "set.duckdb",
        folder / "docs",
        near_misses=0,
        chunking=ChunkOptions(size=700),
        models=ModelSettings(model="gen", base_url=stub.url, concurrency=1),
        match_logs=True,
    )
    return replace(made, **more)  # pyright: ignore[reportArgumentType] -- fields by name


def test_queries_weigh_by_their_traffic(tmp_path: Path) -> None:
    log(
        tmp_path / "set.duckdb",
        ("retention time", 12.0),
        ("how do i reload the configuration", 6.0),
        ("which port does it use", 2.0),
        ("not in the sample, so it stands for nothing", 0.0),
    )
    with open_store(tmp_path / "set.duckdb") as store:
        found = log_mix(store, STYLES)

    assert (found.queries, found.traffic, found.untold) == (3, 20.0, 0.0)
    assert found.weights == {"fact": 2, "how": 6, "keywords": 12}
    assert found.line.startswith(
        "styles after 3 log queries asked 20 times: keywords 60%, how 30%, fact 10% (0%"
    )
    assert [found.examples.count(text) for text in dict.fromkeys(found.examples)] == [6, 3, 1]


def test_what_has_no_form_counts_as_the_usual_mix(tmp_path: Path) -> None:
    log(tmp_path / "set.duckdb", ("如何重新加载配置", 3.0), ("Как изменить срок хранения", 1.0))
    with open_store(tmp_path / "set.duckdb") as store:
        found = log_mix(store, STYLES)

    assert found.untold == 1.0
    assert len(found.weights) == USUAL and set(found.weights.values()) == {3, 4}


def test_a_query_with_a_placeholder_shapes_the_mix_and_is_no_example(tmp_path: Path) -> None:
    log(tmp_path / "set.duckdb", ("login of <EMAIL>", 1.0), ("retention time", 1.0))
    with open_store(tmp_path / "set.duckdb") as store:
        found = log_mix(store, STYLES)
    assert (found.queries, found.weights, found.examples) == (2, {"keywords": 20}, ("retention time",))


def test_synth_asks_for_the_styles_and_shows_the_queries(tmp_path: Path, docs: Path, stub: Stub) -> None:
    log(tmp_path / "set.duckdb", ("retention time", 9.0), ("exprot limits", 9.0))
    heard = Heard()
    report = asyncio.run(synthesize(options(tmp_path, stub), heard))

    assert {item.style for item in report.styles} == {"keywords"}
    assert any(
        line.startswith("styles after 2 log queries asked 18 times: keywords 100%") for line in heard.lines
    )
    first = json.dumps(stub.requests[0].body)
    assert "exprot limits" in first and "retention time" in first


def test_examples_that_are_given_win(tmp_path: Path, docs: Path, stub: Stub) -> None:
    log(tmp_path / "set.duckdb", ("retention time", 9.0))
    (tmp_path / "queries.txt").write_text("wat is teh limit\n", encoding="utf-8")
    report = asyncio.run(synthesize(options(tmp_path, stub, examples=tmp_path / "queries.txt")))

    assert {item.style for item in report.styles} == {"keywords"}
    first = json.dumps(stub.requests[0].body)
    assert "wat is teh limit" in first and "retention time" not in first


def test_a_dry_run_plans_the_same_calls(tmp_path: Path, docs: Path, stub: Stub) -> None:
    log(tmp_path / "set.duckdb", ("retention time", 9.0))
    job = options(tmp_path, stub)
    planned = next(s for s in asyncio.run(plan_synth(job)).stages if s.stage == "synth")
    asyncio.run(synthesize(job))
    again = next(s for s in asyncio.run(plan_synth(job)).stages if s.stage == "synth")
    assert planned.expected.calls > 0 and planned.remembered == 0
    assert (again.expected.calls, again.remembered) == (0, planned.expected.calls)


def test_without_log_queries_nothing_is_asked_or_made(tmp_path: Path, docs: Path, stub: Stub) -> None:
    with pytest.raises(StoreError, match="no golden set"):
        asyncio.run(synthesize(options(tmp_path, stub)))
    assert not (tmp_path / "set.duckdb").exists()
    log(tmp_path / "set.duckdb")
    with pytest.raises(SettingsError, match="no log queries to match; run goldgen logs add FILE"):
        asyncio.run(synthesize(options(tmp_path, stub)))
    with pytest.raises(SettingsError, match="leave out --styles"):
        asyncio.run(synthesize(options(tmp_path, stub, styles={"fact": 1})))
    assert not stub.requests


def test_the_command(tmp_path: Path, docs: Path, stub: Stub, goldgen: Goldgen) -> None:
    log(tmp_path / "set.duckdb", ("retention time", 9.0))
    models = ("--base-url", stub.url, "--model", "gen", "--near-miss", "0", "--chunk-size", "700")
    run = goldgen("synth", "docs", "--db", "set.duckdb", "--match-logs", *models, OPENAI_API_KEY="k")
    assert run.returncode == 0, run.stderr
    assert "styles after 1 log queries asked 9 times: keywords 100%" in run.stderr
    assert "keywords 24 of 24" in run.stdout

    both = goldgen("synth", "docs", "--db", "set.duckdb", "--match-logs", "--styles", "fact", *models)
    assert both.returncode == 2 and "leave out --styles" in both.stderr.replace("\n", " ")
