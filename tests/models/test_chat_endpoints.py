import asyncio
from dataclasses import replace

import pytest
from pydantic import SecretStr
from stub import replies
from stub.asking import ADA, KEY, MemoryLedger, ask_one, endpoint
from stub.server import StartStub

from goldgen.errors import GoldgenError, ModelError
from goldgen.models.chat import EndpointChat
from goldgen.models.endpoints import Endpoint, family, normalised_name, price_usd


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1"),
        ("https://user:secret@host.example/v1?key=secret#secret", "https://host.example/v1"),
    ],
)
def test_the_label_holds_no_credentials(url: str, label: str) -> None:
    assert endpoint(url).label == label


def test_the_embedded_model_has_one_label_whatever_its_port() -> None:
    served = replace(endpoint("http://127.0.0.1:5001/v1"), embedded=True)
    assert served.label == replace(served, base_url="http://127.0.0.1:5002/v1").label == "embedded"


@pytest.mark.parametrize(
    ("host", "remote"),
    [
        ("127.0.0.1", False),
        ("127.8.9.1", False),
        ("[::1]", False),
        ("localhost", False),
        ("models.localhost", False),
        ("192.168.1.4", True),
        ("api.openai.com", True),
        ("localhost.example.org", True),
        ("127.0.0.1.example.org", True),
    ],
)
def test_whether_text_leaves_this_machine(host: str, remote: bool) -> None:
    assert endpoint(f"http://{host}:8000/v1").remote is remote


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000/v1", "localhost:8000/v1", "api.openai.com/v1", "http://", "http://h:x/v1"]
)
def test_a_base_url_that_is_none_is_named(url: str) -> None:
    with pytest.raises(GoldgenError, match="http://") as caught:
        endpoint(url)
    assert url in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4o", "GPT-4o-latest"),
        ("qwen2.5-7b-instruct", "models/Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
        ("qwen2.5-7b-instruct", "C:\\models\\qwen2.5-7b-instruct.gguf"),
        ("llama3.1", "llama3.1:8b"),
    ],
)
def test_spellings_of_one_model(one: str, other: str) -> None:
    assert normalised_name(one) == normalised_name(other)


@pytest.mark.parametrize(
    ("one", "other"), [("gpt-4o", "gpt-4o-mini"), ("qwen2.5-7b", "qwen2.5-14b"), ("claude-3", "gpt-3")]
)
def test_names_of_two_models(one: str, other: str) -> None:
    assert normalised_name(one) != normalised_name(other)


def test_a_family_is_the_leading_word() -> None:
    assert family("openai/gpt-4o-mini") == family("gpt-6-luna") == "gpt"
    assert family("Qwen2.5-Coder-1.5B") == "qwen"
    assert family("7b-model") == "7b-model"


def test_prices_are_known_unknown_or_nothing() -> None:
    hosted = endpoint("https://api.openai.com/v1", model="gpt-4o")
    price = price_usd(hosted, 1_000_000, 0)
    assert price and 0.1 < price < 100
    assert price_usd(hosted, 2_000_000, 0) == pytest.approx(2 * price)
    assert price_usd(replace(hosted, model="no-such-model"), 10, 10) is None
    assert price_usd(endpoint("http://127.0.0.1:1/v1", model="gpt-4o"), 10, 10) is None
    assert price_usd(replace(hosted, embedded=True), 10, 10) == 0.0


def test_an_endpoint_does_not_show_its_key() -> None:
    assert KEY not in repr(endpoint("http://127.0.0.1:1/v1"))


def test_a_local_server_needs_no_key(start_stub: StartStub) -> None:
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    assert ask_one(endpoint(stub.url + "/", key="")).value
    assert "sk-" not in stub.chats[0].headers["authorization"]


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9"])
@pytest.mark.parametrize("name", ["ALL_PROXY", "HTTP_PROXY"])
def test_no_proxy_stands_before_this_machine(
    start_stub: StartStub, monkeypatch: pytest.MonkeyPatch, name: str, proxy: str
) -> None:
    monkeypatch.setenv(name, proxy)
    stub = start_stub(replies.in_turn(replies.ok(ADA)))
    assert ask_one(endpoint(stub.url, timeout=5)).value


def open_client(at: Endpoint) -> None:
    async def run() -> None:
        async with EndpointChat(at, MemoryLedger()):
            pass

    asyncio.run(run())


def test_a_proxy_that_needs_a_package_is_named_and_no_proxy_is_honoured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    remote = Endpoint("gen", "https://models.example.org/v1", SecretStr(KEY))
    with pytest.raises(ModelError, match=r"socks.*NO_PROXY") as caught:
        open_client(remote)
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("NO_PROXY", "models.example.org")
    open_client(remote)
