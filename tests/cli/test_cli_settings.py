import os
from pathlib import Path
from typing import get_args

import pytest
from conftest import Goldgen
from hypothesis import given
from hypothesis import strategies as st
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.cli import options
from goldgen.cli.settings import model_settings
from goldgen.errors import SettingsError
from goldgen.types import OutputMode, Price

KEYS = ("api_key", "verifier_api_key", "embedding_api_key", "reranker_api_key")
SYNTH = ("synth", "docs", "--sample", "1", "--near-miss", "0")


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """goldgen.toml in the working folder, and nothing of the user's in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "GOLDGEN_"))]:
        monkeypatch.delenv(name)
    return tmp_path / "goldgen.toml"


def test_flags_come_before_the_environment_and_that_before_the_file(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert model_settings({"model": None}).model == ""
    settings_file.write_text('model = "of-file"\nbase_url = "http://file/v1"\n', encoding="utf-8")
    assert model_settings({"model": None}).model == "of-file"
    monkeypatch.setenv("GOLDGEN_MODEL", "of-environment")
    assert model_settings({"model": None}).model == "of-environment"
    assert model_settings({"model": "of-flag"}).model == "of-flag"
    assert model_settings({"model": "of-flag"}).base_url == "http://file/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://openai/v1")
    assert model_settings({}).base_url == "http://openai/v1"
    monkeypatch.setenv("GOLDGEN_BASE_URL", "http://goldgen/v1")
    assert model_settings({}).base_url == "http://goldgen/v1"
    assert model_settings({"base_url": "http://flag/v1"}).base_url == "http://flag/v1"


def test_keys_come_from_the_environment_or_the_file_and_do_not_show(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_file.write_text('api_key = "sk-of-file"\n', encoding="utf-8")
    assert model_settings({}).api_key.get_secret_value() == "sk-of-file"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    assert model_settings({}).api_key.get_secret_value() == "sk-of-openai"
    monkeypatch.setenv("GOLDGEN_API_KEY", "sk-of-goldgen")
    settings = model_settings({})
    assert settings.api_key.get_secret_value() == "sk-of-goldgen"
    assert "sk-" not in repr(settings)


@pytest.mark.parametrize("name", KEYS)
def test_a_key_may_stand_in_a_file_and_one_set_itself_comes_first(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def key() -> str:
        return getattr(model_settings({}), name).get_secret_value()

    (settings_file.parent / "key.txt").write_text("\n  sk-of-file \n", encoding="utf-8")
    settings_file.write_text(f'{name}_file = "key.txt"\n', encoding="utf-8")
    assert key() == "sk-of-file"
    (settings_file.parent / "other.txt").write_text("sk-of-other", encoding="utf-8")
    monkeypatch.setenv(f"GOLDGEN_{name}_file".upper(), "other.txt")
    assert key() == "sk-of-other"
    monkeypatch.setenv(f"GOLDGEN_{name}".upper(), "sk-itself")
    assert key() == "sk-itself"


def test_the_file_of_openai_s_key_is_read(settings_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (settings_file.parent / "key.txt").write_text("sk-of-file", encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(settings_file.parent / "key.txt"))
    settings = model_settings({})
    assert settings.api_key.get_secret_value() == "sk-of-file"
    assert "sk-" not in repr(settings)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot read .*key.txt: No such file"),
        (b"", "key.txt is empty"),
        (b" \n", "key.txt is empty"),
        (b"sk-one sk-two", "key.txt holds more than a key"),
        (b"\xff\xfe\x00", "cannot read .*key.txt: no such text file"),
    ],
    ids=["missing", "empty", "blank", "two words", "no text"],
)
def test_a_key_file_without_a_key_is_one_line(
    settings_file: Path, name: str, content: bytes | None, says: str
) -> None:
    if content is not None:
        (settings_file.parent / "key.txt").write_bytes(content)
    settings_file.write_text(f'{name}_file = "key.txt"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=says) as caught:
        model_settings({})
    message = str(caught.value)
    assert f"{name}_file" in message and "\n" not in message and "sk-one" not in message


def test_money_and_output_mode_come_from_flags_environment_and_file(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = model_settings({})
    assert (bare.output_mode, bare.price, bare.verifier_price, bare.max_usd, bare.max_calls) == (None,) * 5
    settings_file.write_text(
        'output_mode = "tools"\nprice = "1,2"\nverifier_price = "0.5, 1.5"\nmax_usd = 3\nmax_calls = 40\n',
        encoding="utf-8",
    )
    found = model_settings({})
    assert (found.output_mode, found.price, found.verifier_price) == ("tools", Price(1, 2), Price(0.5, 1.5))
    assert (found.max_usd, found.max_calls) == (3.0, 40)
    monkeypatch.setenv("GOLDGEN_PRICE", "3,4")
    monkeypatch.setenv("GOLDGEN_MAX_CALLS", "50")
    assert model_settings({}).price == Price(3, 4)
    flags = model_settings({"price": "5,6", "output_mode": "text", "max_usd": 0.0, "max_calls": None})
    assert (flags.price, flags.output_mode, flags.max_usd, flags.max_calls) == (Price(5, 6), "text", 0.0, 50)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_any_two_numbers_from_nought_on_are_a_price(prompt: float, completion: float) -> None:
    assert model_settings({"price": f"{prompt!r},{completion!r}"}).price == Price(prompt, completion)


def test_the_flag_offers_every_output_mode(goldgen: Goldgen) -> None:
    declared, _ = get_args(get_args(options.OutputMode)[0])
    assert set(get_args(declared)) == set(get_args(OutputMode))
    for command in (("synth",), ("verify",), ("logs", "add")):
        shown = goldgen(*command, "--help").stdout
        assert all(flag in shown for flag in ("--output-mode", "--max-usd", "--max-calls", "--dry-run"))
        assert "api-key" not in shown, "keys have no flag"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model = [broken", "not valid TOML"),
        ('modle = "gen"', "modle"),
        ("concurrency = 0", "concurrency"),
        ("timeout = -1", "timeout"),
        ("timeout = 'long'", "timeout"),
        ("api_key = ['sk-secret']", "(?i)api_key"),
        ('output_mode = "xml"', "output_mode"),
        ('price = "cheap"', "setting price: 'cheap' is no price; give two numbers like"),
        ('price = "-1,2"', "is no price"),
        ('price = "1,nan"', "is no price"),
        ("price = 1.5", "is no price"),
        ('verifier_price = "1,2,3"', "verifier_price"),
        ("max_usd = -1", "max_usd"),
        ("max_usd = inf", "max_usd"),
        ("max_calls = -1", "max_calls"),
    ],
)
def test_a_wrong_settings_file_is_one_line(settings_file: Path, text: str, says: str) -> None:
    settings_file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=says) as caught:
        model_settings({})
    message = str(caught.value)
    assert "goldgen.toml" in message and "\n" not in message and "sk-secret" not in message


def test_a_run_takes_its_models_from_all_of_them(
    goldgen: Goldgen, docs: Path, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    (tmp_path / "goldgen.toml").write_text(f'model = "of-file"\nbase_url = "{stub.url}"\n', encoding="utf-8")
    dead_proxy = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    run = goldgen(*SYNTH, "--model", "of-flag", OPENAI_API_KEY="sk-test", **dead_proxy)
    assert run.returncode == 0, run.stderr
    assert "sent from this machine" not in run.stderr
    (request,) = stub.chats
    assert request.body["model"] == "of-flag"
    assert request.headers["authorization"] == "Bearer sk-test"


def test_a_remote_endpoint_is_named_before_anything_is_sent(goldgen: Goldgen, docs: Path) -> None:
    run = goldgen(*SYNTH, "--base-url", "http://models.invalid/v1", "--model", "gen", "--timeout", "1")
    first, *_, last = run.stderr.splitlines()
    assert "sent from this machine to http://models.invalid/v1 (gen)" in first
    assert run.returncode == 1 and last.startswith("error: ")
    assert "Traceback" not in run.stderr
