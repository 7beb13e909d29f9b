import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from openai import AuthenticationError, BadRequestError, OpenAI
from platformdirs import user_cache_path

from goldgen.errors import ModelError
from goldgen.models.embedded import EmbeddedEndpoint, EmbeddedServer
from goldgen.models.gguf import QWEN_PACKAGES, find_gguf

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"capital": {"type": "string"}, "continent": {"enum": ["Africa", "Europe"]}},
    "required": ["capital", "continent"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model() -> Path:
    """GOLDGEN_TEST_GGUF names a joined file; otherwise the packages are joined in the user's cache."""
    given = os.environ.get("GOLDGEN_TEST_GGUF")
    if given is None and any(find_spec(package) is None for package in QWEN_PACKAGES):
        pytest.skip('the embedded model is not installed: pip install "goldgen[local]"')
    return find_gguf(given, user_cache_path("goldgen"), offline=True)


@pytest.fixture(scope="module")
def endpoint(model: Path) -> Iterator[EmbeddedEndpoint]:
    with EmbeddedServer(model) as endpoint:
        yield endpoint


@pytest.mark.model
def test_a_schema_is_kept(endpoint: EmbeddedEndpoint) -> None:
    with OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0) as client:
        reply = client.chat.completions.create(
            model=endpoint.model,
            messages=[{"role": "user", "content": "Which city is the capital of France?"}],
            response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
            max_tokens=40,
            temperature=0,
        )
    answer = json.loads(reply.choices[0].message.content or "")
    assert answer == {"capital": "Paris", "continent": "Europe"}
    assert reply.model == endpoint.model
    assert reply.usage and reply.usage.completion_tokens > 0


@pytest.mark.model
def test_another_key_is_refused_and_the_key_is_not_shown(endpoint: EmbeddedEndpoint) -> None:
    with (
        OpenAI(base_url=endpoint.base_url, api_key="guess", max_retries=0) as client,
        pytest.raises(AuthenticationError),
    ):
        client.chat.completions.create(
            model=endpoint.model, messages=[{"role": "user", "content": "hi"}], max_tokens=1
        )
    assert endpoint.api_key not in repr(endpoint)


@pytest.mark.model
def test_a_request_beyond_its_slot_is_refused_not_cut(endpoint: EmbeddedEndpoint) -> None:
    with (
        OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0) as client,
        pytest.raises(BadRequestError, match="4096"),
    ):
        client.chat.completions.create(
            model=endpoint.model, messages=[{"role": "user", "content": "word " * 5000}], max_tokens=1
        )


@pytest.mark.model
def test_stops_at_once_though_a_request_is_open(model: Path) -> None:
    with EmbeddedServer(model, slots=1) as endpoint:
        host, port = urlsplit(endpoint.base_url).hostname, urlsplit(endpoint.base_url).port
        body = json.dumps({"messages": [{"role": "user", "content": "Count to 1000"}], "max_tokens": 3000})
        open_request = socket.create_connection((host, port or 0))
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        key = f"Authorization: Bearer {endpoint.api_key}\r\nContent-Type: application/json\r\n\r\n"
        open_request.sendall((head + key + body).encode())
        time.sleep(0.5)
        started = time.monotonic()
    assert time.monotonic() - started < 4
    open_request.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, port or 0))


@pytest.mark.model
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_terminal_stays_clean_and_a_killed_parent_leaves_no_server(model: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from goldgen.models.embedded import EmbeddedServer\n"
        "with EmbeddedServer(Path(sys.argv[1])) as endpoint:\n"
        "    print(endpoint.base_url, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout
    url = urlsplit(str(parent.stdout.readline()).strip())
    address = (url.hostname or "", url.port or 0)
    socket.create_connection(address).close()
    os.kill(parent.pid, signal.SIGKILL)
    stdout, stderr = parent.communicate(timeout=20)
    assert (stdout, stderr) == ("", "")
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            socket.create_connection(address).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.05)
    pytest.fail("the server outlived its parent")


@pytest.mark.parametrize("content", [None, b"", b"GGUF" + b"\x00" * 100, b"\xff" * 1000])
def test_a_file_that_does_not_load_is_one_error(
    content: bytes | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp", reason='needs pip install "goldgen[local]"')
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=rf"cannot load {file}"), EmbeddedServer(file):
        pytest.fail("the context opened")
    assert capfd.readouterr() == ("", "")


def test_the_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(ModelError, match=r'pip install "goldgen\[local\]"'),
        EmbeddedServer(tmp_path / "model.gguf"),
    ):
        pytest.fail("the context opened")
