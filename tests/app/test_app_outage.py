"""An endpoint that does not answer takes nothing away from a verified set."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from stub.generator import generator_script
from stub.server import StartStub
from verified_sets import fill_services, options

from goldgen.app.golden import load_golden
from goldgen.app.verify import VerifyOptions, verify
from goldgen.errors import GoldgenError
from goldgen.store import open_store
from goldgen.types import GOLD

NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        fill_services(store, 2)
    return path


def golds(db: Path) -> dict[str, tuple[str, ...]]:
    with open_store(db, read_only=True) as store:
        return {item.question.id: item.gold for item in load_golden(store).questions}


def without_answer(job: VerifyOptions, verifier: str, concurrency: int) -> VerifyOptions:
    """The same run against an endpoint that is not there."""
    models = replace(
        job.models, verifier_model=verifier, verifier_base_url=NOBODY, timeout=0.5, concurrency=concurrency
    )
    return replace(job, models=models)


@pytest.mark.parametrize("verifier", ["ver", "another"])
@pytest.mark.parametrize("concurrency", [2, 64])
def test_an_endpoint_that_is_away_takes_no_gold(
    db: Path, start_stub: StartStub, verifier: str, concurrency: int
) -> None:
    job = options(db, start_stub(generator_script), controls=4)
    asyncio.run(verify(job))
    before = golds(db)
    assert all(before.values()) and len(before) == 8
    # With more calls at once than there are pairs, the run goes on to its end.
    with pytest.raises(GoldgenError):
        asyncio.run(verify(without_answer(job, verifier, concurrency)))
    assert golds(db) == before


def test_a_first_run_without_an_answer_leaves_the_drafts_unjudged(db: Path, start_stub: StartStub) -> None:
    job = options(db, start_stub(generator_script), controls=4)
    with pytest.raises(GoldgenError):
        asyncio.run(verify(without_answer(job, "ver", 64)))
    with open_store(db, read_only=True) as store:
        assert {item.state for item in load_golden(store).questions} == {"unjudged"}
        assert not [judgment for judgment in store.judgments.all() if judgment.grade == GOLD]
