"""The dense retriever's endpoint, as the settings open it."""

import socket
import time

import pytest

from goldgen.app.models import ModelSettings, open_embedder
from goldgen.app.reporting import Silent
from goldgen.errors import EndpointError


def test_the_timeout_that_is_set_holds_for_embeddings_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        given = ModelSettings(embedding_model="e", embedding_base_url=url, timeout=0.3)
        embedder, started = open_embedder(given, Silent()), time.monotonic()
        with pytest.raises(EndpointError, match=r"did not finish embeddings by e within 0\.3 s"):
            embedder.encode(["a"], query=False)
        assert time.monotonic() - started < 20
