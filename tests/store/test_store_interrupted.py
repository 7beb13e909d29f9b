"""A process that is killed, or whose disk is full, leaves whole items only, and all that it was told of."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldgen.store import open_store

# Each round writes to every kind of table, then says so. The texts are long enough for DuckDB to fold
# its write-ahead log into the file now and then.
WRITE_ROUNDS = """
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from goldgen.store import QuestionResult, StoredRun, open_store
from goldgen.types import CallRecord, Chunk, Document, Hit, Judgment, Question

store = open_store(Path(sys.argv[1]))
for n in range(1_000_000):
    text = f"{n} " + "long text " * 20_000
    chunks = [Chunk(f"c{n}-{i}", f"d{n}", text, 0, len(text), position=i) for i in range(3)]
    store.corpus.replace_documents([(Document(f"d{n}", f"{n}.md", text), chunks)])
    store.corpus.replace_document(Document("same", "same.md", text), [Chunk("same", "same", text, 0, 1)])
    store.questions.add([Question(f"q{n}-{i}", "How?", "log", "keyword") for i in range(5)])
    store.judgments.put([Judgment(f"q{n}-{i}", "c", "m", grade=3) for i in range(5)])
    store.calls.put(CallRecord(f"k{n}", "s", "m", "e", "p", (), "ok", reply=text))
    store.vectors.put("m", {f"h{n}-{i}": np.full(4, i, dtype=np.float32) for i in range(3)})
    results = tuple(QuestionResult(f"q{i}", (1.0,), (Hit("c", 1.0),)) for i in range(4))
    store.runs.add(StoredRun(f"r{n}", datetime.now(UTC), "bm25", ("RR",), (1.0,), results, "{}", "f"))
    print(n, flush=True)
"""

# The process may write files of 3 MB at most; what goes beyond fails as on a full disk.
FILL_THE_DISK = """
import resource
import signal
import sys
from pathlib import Path

from goldgen.errors import StoreError
from goldgen.store import open_store

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
try:
    with open_store(Path(sys.argv[1])) as store:
        for n in range(1_000):
            store.meta.set(f"k{n}", "text " * 10_000)
            print(n, flush=True)
except StoreError as error:
    print(error, file=sys.stderr)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.4, 1.1])
def test_a_killed_process_leaves_nothing_half_written(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "set.duckdb"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_ROUNDS, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        told = [int(process.stdout.readline())]
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout.read().split()]
    rounds = told[-1] + 1

    with open_store(path, read_only=True) as store:
        chunks = [chunk.document_id for chunk in store.corpus.chunks()]
        documents = [document.id for document in store.corpus.documents()]
        questions = store.questions.all()
        judgments = store.judgments.all()
        calls = list(store.calls.records())
        vectors = store.vectors.get("m", [f"h{n}-{i}" for n in range(rounds + 1) for i in range(3)])
        runs = store.runs.all()

    for n in range(rounds):
        assert f"d{n}" in documents
    assert {chunks.count(key) for key in documents if key != "same"} == {3}
    assert chunks.count("same") == 1
    # The round that was cut off may be there in part, but each of its writes as a whole or not at all.
    assert len(questions) in {5 * rounds, 5 * rounds + 5}
    assert len(judgments) in {5 * rounds, 5 * rounds + 5}
    assert len(calls) in {rounds, rounds + 1}
    assert len(vectors) in {3 * rounds, 3 * rounds + 3}
    assert len(runs) in {rounds, rounds + 1}
    assert {len(run.questions) for run in runs} == {4}
    with open_store(path) as store:
        store.meta.set("still", "writable")


def test_a_full_disk_is_one_line_and_loses_nothing_committed(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", FILL_THE_DISK, str(path)], capture_output=True, text=True, check=True
    )
    told = [int(line) for line in done.stdout.split()]
    assert told
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"golden set {path} cannot be used: ")
    with open_store(path) as store:
        assert all(store.meta.get(f"k{n}") == "text " * 10_000 for n in told)
