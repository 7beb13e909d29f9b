"""What goldgen's client costs beside a bare one: wall time, CPU, memory and calls lost.

    python bench/client.py
    python bench/client.py --chunks 500 --linear 0

The bare client is an AsyncOpenAI loop with a semaphore and pydantic's validation. goldgen is what
`goldgen synth` runs: QuestionWriter with its checks, EndpointChat, and the ledger and tables of a real store.
All send the same requests to the scripted server of the tests. Server and clients each run in a process of
their own.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldgen.models.endpoints import Endpoint
    from goldgen.synth import QuestionWriter
    from goldgen.types import Chat, ChatReply, ChatRequest, Chunk, Reply

TESTS = Path(__file__).parents[1] / "tests"
MODEL = "gen"
PER_CHUNK = 3
_FACTS = (
    "The nightly {part} of project {n} start at {m} minutes past one and use the bucket archive-{part}-{n}.",
    "Readers of project {n} keep their access to finished {part} for as long as {n} {part} days.",
    "Those {part} of project {n} that failed are tried again by the scheduler after {m} {part} minutes.",
    "Owners of project {n} may pause all running {part} at once from the console page {part}-{n}.",
    "When the storage of project {n} is full, further {part} wait until somebody raises quota {part}-q{n}.",
    "The log of {part} of project {n} can be read at any time by running tail-{part}-{n}.",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One client's run, from its first request to its last reply kept; imports are not in it."""

    calls: int
    lost: int
    wall: float
    """Seconds."""
    cpu: float
    """Seconds of user and system time of the client's process."""
    peak: float
    """MB resident at most, imports included."""

    @property
    def cpu_a_call(self) -> float:
        """Milliseconds."""
        return 1000 * self.cpu / self.calls


@dataclass(frozen=True, slots=True)
class Clock:
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=lambda: _cpu())

    def measured(self, calls: int, lost: int) -> Measured:
        wall, cpu = time.perf_counter() - self.wall, _cpu() - self.cpu
        return Measured(calls, lost, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def synthetic_chunks(count: int) -> "list[Chunk]":
    """Chunks of about 1,100 characters, each with facts of its own."""
    from goldgen.types import Chunk

    made: list[Chunk] = []
    for n in range(1000, 1000 + count):
        facts = [
            fact.format(part=part, n=n, m=n % 50 + 5) for part in ("exports", "imports") for fact in _FACTS
        ]
        text = " ".join(facts)
        made.append(Chunk(f"chunk-{n}", f"document-{n}", text, 0, len(text), f"Operation > Project {n}"))
    return made


class Recorder:
    """Implements ``Chat``: notes what it is asked and answers nothing."""

    model = MODEL

    def __init__(self) -> None:
        self.requests: list[ChatRequest[Any]] = []

    def remembers(self, request: "ChatRequest[Reply]") -> bool:
        return False

    async def ask(self, request: "ChatRequest[Reply]") -> "ChatReply[Reply]":
        from goldgen.types import ChatReply, Failure, Usage

        self.requests.append(request)
        return ChatReply("", Usage(), failure=Failure("planned", "not sent"))


def question_writer(chat: "Chat") -> "QuestionWriter":
    """As synth asks, without looking for the chunk's language."""
    from goldgen.prompts import PromptLibrary
    from goldgen.synth import DraftChecks, Guidance, QuestionWriter, StyleMix

    library = PromptLibrary.packaged()
    mix = StyleMix.usual(library.styles())
    return QuestionWriter(chat, library.load("question"), mix, PER_CHUNK, DraftChecks(), Guidance())


async def recorded(count: int) -> "list[ChatRequest[Any]]":
    """The requests that QuestionWriter makes of as many chunks."""
    recorder = Recorder()
    writer = question_writer(recorder)
    for chunk in synthetic_chunks(count):
        await writer.write(chunk)
    return recorder.requests


async def bare(url: str, count: int, width: int) -> Measured:
    """The requests that goldgen would send, made before the clock starts."""
    from openai import AsyncOpenAI

    from goldgen.models.output import FORMS, asked_in

    requests, slots = await recorded(count), asyncio.Semaphore(width)

    async def ask(request: "ChatRequest[Any]") -> None:
        # Any, because the SDK's overloads cannot be told apart by unpacked arguments.
        create: Any = openai.chat.completions.create
        async with slots:
            completion = await create(
                model=MODEL,
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                **asked_in(FORMS[0], request.messages, request.schema),
            )
        request.schema.model_validate_json(completion.choices[0].message.content)

    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as openai:
        clock = Clock()
        await asyncio.gather(*map(ask, requests))
        return clock.measured(count, 0)


async def client(url: str, count: int, width: int) -> Measured:
    """EndpointChat and the ledger alone: the same requests, made before the clock starts."""
    from goldgen.app.concurrency import as_finished
    from goldgen.models.chat import EndpointChat
    from goldgen.store import open_store

    requests, answered = await recorded(count), 0
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "set.duckdb") as store:
        async with EndpointChat(endpoint(url, width), store.calls) as chat:
            clock = Clock()
            async for reply in as_finished(chat.ask, requests, 2 * width):
                answered += reply.value is not None
            store.calls.flush()
            return clock.measured(count, count - answered)


async def goldgen(url: str, count: int, width: int) -> Measured:
    """Wired as in goldgen.app.synth."""
    from goldgen.app.concurrency import as_finished, batched
    from goldgen.app.counting import CountedChat
    from goldgen.models.chat import EndpointChat
    from goldgen.store import open_store
    from goldgen.synth import ChunkQuestions

    chunks = synthetic_chunks(count)
    written = 0
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "set.duckdb") as store:
        async with EndpointChat(endpoint(url, width), store.calls) as opened:
            chat = CountedChat(opened)
            writer = question_writer(chat)

            def keep(batch: Sequence[ChunkQuestions]) -> None:
                store.questions.add([question for outcome in batch for question in outcome.questions])

            clock = Clock()
            with batched(keep) as kept:
                async for outcome in as_finished(writer.write, chunks, 2 * width):
                    kept(outcome)
                    written += len(outcome.questions) == PER_CHUNK
            store.calls.flush()
            return clock.measured(chat.counts.made, count - written)


def endpoint(url: str, width: int) -> "Endpoint":
    from pydantic import SecretStr

    from goldgen.models.endpoints import Endpoint

    return Endpoint(MODEL, url, SecretStr(""), concurrency=width)


CLIENTS = {"bare": bare, "client": client, "goldgen": goldgen}


@contextmanager
def served(delay: float, rate_limited: float = 0.0) -> Generator[str]:
    """The URL of a server in its own process."""
    arguments = ["-m", "stub", "--delay", str(delay), "--rate-limited", str(rate_limited)]
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=TESTS, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def measure(name: str, url: str, chunks: int, width: int) -> Measured:
    """Run a client in its own process."""
    arguments = ["--measure", name, "--url", url, "--chunks", str(chunks), "--width", str(width)]
    ended = subprocess.run(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, check=True, text=True
    )
    return Measured(**json.loads(ended.stdout))


def middle(runs: Sequence[Measured]) -> Measured:
    """Median times, and the worst of the rest."""
    return Measured(
        calls=runs[0].calls,
        lost=max(run.lost for run in runs),
        wall=median(run.wall for run in runs),
        cpu=median(run.cpu for run in runs),
        peak=max(run.peak for run in runs),
    )


def row(title: str, run: Measured, base: Measured) -> str:
    """A row of the table; the ratios are a call's to a call's of ``base``."""
    wall = (run.wall / run.calls) / (base.wall / base.calls)
    return (
        f"| {title} | {run.calls:,} | {run.wall:.1f} | {wall:.2f} | {run.cpu_a_call:.2f} "
        f"| {run.cpu_a_call / base.cpu_a_call:.2f} | {run.peak:.0f} | {run.lost} |"
    )


def compare(chunks: int, width: int, delay: float, rate_limited: float, linear: int, rounds: int) -> None:
    """Print the table as it comes."""
    print(f"{chunks:,} chunks, {width} calls at once, {delay * 1000:g} ms a call; median of {rounds} runs")
    print("| | calls | wall, s | wall ratio | CPU, ms a call | CPU ratio | peak, MB | lost |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with served(delay) as url:
        turns = [[measure(name, url, chunks, width) for name in CLIENTS] for _ in range(rounds)]
        alone, core, whole = map(middle, zip(*turns, strict=True))
        print(row("bare", alone, alone))
        print(row("EndpointChat and ledger, to bare", core, alone))
        print(row("goldgen, to bare", whole, alone), flush=True)
    if rate_limited:
        with served(delay, rate_limited) as url:
            limited = measure("goldgen", url, chunks, width)
            print(row(f"{rate_limited:.0%} of calls 429, to undisturbed", limited, whole), flush=True)
    if linear:
        with served(delay) as url:
            print(row(f"linear, to {chunks:,}", measure("goldgen", url, linear, width), whole))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=2000)
    parser.add_argument("--width", type=int, default=64, help="calls at once")
    parser.add_argument("--delay", type=float, default=0.25, help="seconds that the server takes for a call")
    parser.add_argument(
        "--rate-limited", type=float, default=0.05, help="share of calls refused once; 0: no run"
    )
    parser.add_argument("--linear", type=int, default=20_000, help="chunks of the long run; 0: no run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=CLIENTS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        run = CLIENTS[given.measure]
        print(json.dumps(asdict(asyncio.run(run(given.url, given.chunks, given.width)))))
    else:
        compare(given.chunks, given.width, given.delay, given.rate_limited, given.linear, given.rounds)


if __name__ == "__main__":
    main()
