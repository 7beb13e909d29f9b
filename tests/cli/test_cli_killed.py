"""Sixty kills at random moments of a run lose nothing and pay for nothing twice."""

import json
import math
import os
import random
import signal
import subprocess
import time
from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import GOLDGEN, Goldgen, write_docs
from stub.generator import as_asked, generated, stage
from stub.server import Body, Reply, StartStub, Stub

from goldgen.store import Rejection, open_store
from goldgen.types import NearMiss, Question

KILLS = 60
IN_THE_START = 6
"""Every so many, a kill falls anywhere in a run, its start included, and not only while calls are made."""
_SETTLING = 0.05
"""Seconds in which the server reads what was sent before a kill."""
SET = Path("outputs/goldgen.duckdb")
COMMITTED = 0.25
"""Seconds after which an answered call must have been committed; 50 ms on a machine that is not busy."""


@dataclass(frozen=True, slots=True)
class Run:
    """By time.monotonic()."""

    started: float
    killed: float = math.inf


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: the number of the run it came from, and when it was answered, if ever."""

    run: int
    answered: float


@dataclass(frozen=True, slots=True)
class Kept:
    """All that a run of synth makes."""

    questions: Sequence[Question]
    near_misses: Sequence[NearMiss]
    rejected_drafts: Sequence[Rejection]
    rejected_near_misses: Sequence[Rejection]
    calls: frozenset[str]


def moody(number: int, body: Body) -> Reply:
    """A model that is quick or slow, right or wrong at random, but the same whenever it is asked the same."""
    mood = random.Random(messages(body))
    value = dict(generated(body))
    if stage(body) == "Questions" and mood.random() < 0.4:
        style = next(iter(value))
        value[style] = value[style] | {"answer": "what no sentence states"}
    if stage(body) == "Choice" and mood.random() < 0.3:
        value["change"] = 0
    return replace(as_asked(body, value), delay=mood.uniform(0.02, 0.3))


def messages(body: Body) -> str:
    return json.dumps(body["messages"])


def synth(stub: Stub, db: Path = SET) -> tuple[str, ...]:
    model = ("--base-url", stub.url, "--model", "gen", "--concurrency", "3")
    return "synth", "docs", "--chunk-size", "700", "--db", str(db), *model


def killed_run(goldgen: Goldgen, stub: Stub, moment: float, *, from_start: bool) -> Run:
    """Start a run and kill it with its children, ``moment`` seconds after its start or its first new call."""
    before, started = len(stub.requests), time.monotonic()
    running = subprocess.Popen(
        [GOLDGEN, *synth(stub)],
        cwd=goldgen.folder,
        env=goldgen.environment({}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not from_start and len(stub.requests) == before:
        assert running.poll() is None and time.monotonic() < started + 60, running.communicate()
        time.sleep(0.005)
    time.sleep(moment)
    killed = time.monotonic()
    os.killpg(running.pid, signal.SIGKILL)
    _, stderr = running.communicate()
    assert running.returncode == -signal.SIGKILL, f"the run ended before it was killed: {stderr}"
    time.sleep(_SETTLING)
    return Run(started, killed)


def kept(db: Path) -> Kept:
    with open_store(db) as store:
        return Kept(
            questions=store.questions.all(),
            near_misses=store.questions.near_misses(),
            rejected_drafts=store.questions.rejected("synth"),
            rejected_near_misses=store.questions.rejected("near_miss"),
            calls=frozenset(record.key for record in store.calls.records()),
        )


def asked(stub: Stub, runs: Sequence[Run]) -> Mapping[str, Sequence[Ask]]:
    """Who asked what, by messages, in the order in which it came."""
    answered = {id(answer.request): answer.at for answer in stub.answers}
    starts = [run.started for run in runs]
    found: defaultdict[str, list[Ask]] = defaultdict(list)
    for request in stub.chats:
        ask = Ask(bisect(starts, request.at) - 1, answered.get(id(request), math.inf))
        found[messages(request.body)].append(ask)
    return found


def needless(asks: Sequence[Ask], runs: Sequence[Run]) -> list[Ask]:
    """Those that were asked again though no kill came before their answer, or soon after it."""
    return [
        ask
        for ask, again in pairwise(asks)
        if again.run == ask.run or ask.answered < runs[ask.run].killed - COMMITTED
    ]


@pytest.mark.timeout(900)
def test_sixty_kills_lose_nothing_and_repeat_only_what_was_not_committed(
    goldgen: Goldgen, tmp_path: Path, start_stub: StartStub
) -> None:
    # So many plans that none is a common word, and near misses are asked for.
    plans = ("Basic", "Pro", "Team", "School", "Club", "Family")
    write_docs(tmp_path / "docs", documents=42, plans=plans)
    stub, moments = start_stub(moody), random.Random(60)
    runs: list[Run] = []
    for number in range(KILLS):
        from_start = number % IN_THE_START == 0
        moment = moments.uniform(0.1, 2.0) if from_start else moments.uniform(0.0, 0.5)
        runs.append(killed_run(goldgen, stub, moment, from_start=from_start))
    runs.append(Run(time.monotonic()))
    last = goldgen(*synth(stub))
    assert last.returncode == 0, last.stderr

    asks = asked(stub, runs)
    assert {key: needless(history, runs) for key, history in asks.items() if needless(history, runs)} == {}
    repeated = sum(len(history) - 1 for history in asks.values())
    assert repeated > KILLS / 2, "hardly a kill fell into a call"
    assert len({ask.run for history in asks.values() for ask in history}) > KILLS / 2

    before = len(stub.chats)
    undisturbed = tmp_path / "undisturbed.duckdb"
    assert goldgen(*synth(stub, undisturbed)).returncode == 0
    whole = kept(undisturbed)
    assert kept(tmp_path / SET) == whole
    assert len(whole.calls) == len(asks) == len(stub.chats) - before
    assert whole.questions and whole.near_misses and whole.rejected_drafts and whole.rejected_near_misses
