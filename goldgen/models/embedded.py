"""The embedded generator: a GGUF model served by llama.cpp (xllamacpp) on loopback, in a child process.

A child, because a server inside this process cannot stop while a request is open: it waits for the client
with the interpreter's lock held, and the client waits for the lock. A crash of llama.cpp stays there, too.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from goldgen.errors import ModelError

SLOT_TOKENS = 4096
"""Context of one slot: prompt and reply together."""

_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class EmbeddedEndpoint:
    """Where the embedded model answers, in the OpenAI wire format."""

    base_url: str
    """Ends in /v1; the port is another one each time."""
    api_key: str = field(repr=False)
    model: str


@dataclass(frozen=True, slots=True)
class _Order:
    """What the child is told, on its standard input, where no other user can read the key."""

    path: str
    model: str
    slots: int
    api_key: str


class EmbeddedServer(AbstractContextManager[EmbeddedEndpoint]):
    """Serves ``gguf`` to ``slots`` requests at once while the context is open.

    Each slot holds 4,096 tokens; a longer request gets a 400. The server listens on 127.0.0.1 only, asks for
    a random key, prints nothing, and ends with this process even if that is killed. ``with`` raises
    ModelError if xllamacpp is not installed or the file does not load.
    """

    def __init__(self, gguf: Path, *, slots: int = 2) -> None:
        self._gguf = gguf
        self._slots = slots
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> EmbeddedEndpoint:
        if find_spec("xllamacpp") is None:
            raise ModelError('the embedded model needs xllamacpp: pip install "goldgen[local]"')
        order = _Order(str(self._gguf.resolve()), self._gguf.stem, self._slots, secrets.token_urlsafe(24))
        self._child = _start_child()
        try:
            address = _tell(self._child, order)
        except BaseException:
            self._stop()
            raise
        if not address:
            self._stop()
            raise ModelError(
                f"llama.cpp cannot load {self._gguf}: the file is damaged, of an unknown kind, or too large "
                "for this machine's memory; use another model"
            )
        return EmbeddedEndpoint(f"{address}/v1", order.api_key, order.model)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        try:
            child.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()


def _start_child() -> subprocess.Popen[str]:
    # The child finds what this process finds, and nothing that merely lies in the working folder (-P).
    path = os.pathsep.join(entry for entry in sys.path if entry)
    # Threads that wait by spinning slow each other down many times over when the machine has other work.
    environment = {"OMP_WAIT_POLICY": "PASSIVE"} | os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=environment,
    )


def _tell(child: subprocess.Popen[str], order: _Order) -> str:
    """The child's address, or "" if it could not start."""
    if child.stdin is None or child.stdout is None:
        return ""
    try:
        child.stdin.write(json.dumps(asdict(order)) + "\n")
        child.stdin.flush()
    except BrokenPipeError:
        return ""
    return child.stdout.readline().strip()


def serve() -> None:
    """What the child runs: serve as told by the first line of standard input, until that closes."""
    # Ctrl-C reaches the whole group; the parent closes standard input once its calls are saved.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    order = _Order(**json.loads(sys.stdin.readline()))
    server = _server(order)
    answers.write(f"{server.listening_address}\n")
    answers.flush()
    sys.stdin.read()
    # Past the server's destructor, which waits for open requests.
    os._exit(0)


def _server(order: _Order) -> Any:
    # Without stubs; imported here because only the child needs it.
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = order.path
    params.model_alias = {order.model}
    params.n_parallel = order.slots
    params.n_ctx = SLOT_TOKENS * order.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 2
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order.api_key]
    params.verbosity = 0
    params.ui = False
    params.endpoint_slots = False
    # Slots keep the prompt they share; a second copy of it would take up to 8 GB.
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    return xllamacpp.Server(params)
