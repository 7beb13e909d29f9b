"""A search service in another process, measured by the installed command."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sample_set import SampleSet, make_sample_set

SERVICE = Path(__file__).with_name("search_service.py")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleSet:
    return make_sample_set(tmp_path_factory.mktemp("set"))


@pytest.fixture
def service(sample: SampleSet, tmp_path: Path) -> Iterator[str]:
    """Its address, without a path."""
    chunks = tmp_path / "chunks.jsonl"
    rows = [json.dumps({"id": chunk.id, "text": chunk.full_text}) for chunk in sample.chunks]
    chunks.write_text("\n".join(rows), encoding="utf-8")
    with subprocess.Popen([sys.executable, SERVICE, chunks], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield f"http://127.0.0.1:{running.stdout.readline().strip()}"
        running.kill()


def rank_of_gold(address: str, question: str, gold: str) -> int | None:
    """From 1, by what the service itself says."""
    answer = httpx2.post(address, json={"question": question, "k": 50}, trust_env=False)
    found = [hit["id"] for hit in answer.json()["hits"]]
    return found.index(gold) + 1 if gold in found else None


def test_a_service_is_measured_beside_bm25(sample: SampleSet, service: str) -> None:
    address = f"{service}/search"
    run = sample.goldgen("eval", "--json", "--retriever", "bm25", "--retriever", address)
    assert run.returncode == 0, run.stderr
    _, own = json.loads(run.stdout)["retrievers"]
    ranks = [rank_of_gold(address, question, gold) for question, gold in sample.golds.items()]
    first_ten = [rank for rank in ranks if rank is not None and rank <= 10]
    assert own["label"] == address
    assert own["means"]["R@10"] == pytest.approx(len(first_ten) / len(ranks))
    assert own["means"]["RR@10"] == pytest.approx(sum(1 / rank for rank in first_ten) / len(ranks))
    assert 0 < own["means"]["RR@10"] < own["means"]["R@10"] < 1, "or else it would show nothing"
    replies = own["replies"]
    assert (replies["questions"], replies["scored"], replies["unknown"]) == (len(ranks), len(ranks), 0)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/dies", "cannot be reached: "),
        ("/fails", "answered with HTTP status 500: "),
    ],
)
def test_a_service_that_fails_on_the_way_ends_the_run(
    sample: SampleSet, service: str, path: str, says: str
) -> None:
    run = sample.goldgen("eval", "--retriever", f"{service}{path}")
    assert (run.returncode, run.stdout) == (1, "")
    *before, line = run.stderr.splitlines()  # a slow machine tells its progress before
    assert line.startswith(f"error: retriever {service}{path} {says}")
    assert not any("Traceback" in told for told in before)
