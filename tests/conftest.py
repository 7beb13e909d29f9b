"""Fixtures of several rooms: a scripted model server, a corpus, and the installed command."""

import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from stub.generator import generator_script
from stub.server import Script, StartStub, Stub

# How long an example takes says nothing on a shared machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

GOLDGEN = Path(sys.executable).parent / "goldgen"
_PLANS = ("Basic", "Pro", "Team")


@dataclass(frozen=True, slots=True)
class Goldgen:
    """Runs the installed command in ``folder``, with no setting or key of the user's own."""

    folder: Path

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run to the end."""
        return subprocess.run(
            [GOLDGEN, *arguments],
            cwd=self.folder,
            env=self.environment(environment),
            capture_output=True,
            text=True,
            timeout=100,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it and leave it running."""
        return subprocess.Popen(
            [GOLDGEN, *arguments],
            cwd=self.folder,
            env=self.environment({}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def environment(added: Mapping[str, str]) -> dict[str, str]:
        own = ("OPENAI_", "GOLDGEN_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        return kept | {"COLUMNS": "120", "NO_COLOR": "1"} | dict(added)


@pytest.fixture
def goldgen(tmp_path: Path) -> Goldgen:
    """The command, run in the test's own folder."""
    return Goldgen(tmp_path)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Four documents of two chunks each (at --chunk-size 700), in the test's own folder."""
    return write_docs(tmp_path / "docs")


@pytest.fixture
def start_stub() -> Generator[StartStub]:
    """Starts servers that end with the test."""
    with ExitStack() as servers:

        def start(script: Script, *, slots: int | None = None) -> Stub:
            return servers.enter_context(Stub(script, slots=slots))

        yield start


@pytest.fixture
def stub(start_stub: StartStub) -> Stub:
    """A server that answers sensibly, as generator and as verifier."""
    return start_stub(generator_script)


def write_docs(folder: Path, documents: int = 4, plans: Sequence[str] = _PLANS) -> Path:
    """A corpus in ``folder``: each document gives two chunks of at most 700 characters."""
    folder.mkdir(parents=True)
    for number in range(10, 10 + documents):
        plan = plans[number % len(plans)]
        sections = [_section(number, part, plan) for part in ("exports", "alerts")]
        folder.joinpath(f"page-{number}.md").write_text(
            f"# Service number {number}\n\n" + "\n".join(sections), encoding="utf-8"
        )
    return folder


def _section(number: int, part: str, plan: str) -> str:
    """Five sentences that differ from all others in their first half and in their last four words."""
    facts = (
        f"Service {number} {part} in the {plan} plan stay readable for {number + 20} {part} days.",
        f"Service {number} {part} may be stopped by any owner from the {part} page {number}.",
        f"Service {number} {part} that failed once are run again after {number + 5} {part} minutes.",
        f"Service {number} {part} wait, when the storage is full, until {part} quota {number} grows.",
        f"Service {number} {part} can be read later on with the command {part}-reader-{number}.",
    )
    return f"## About {part}\n\n" + " ".join(facts) + "\n"
