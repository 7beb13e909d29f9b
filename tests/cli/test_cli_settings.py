from pathlib import Path

import pytest
from conftest import Goldgen
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.cli.settings import model_settings
from goldgen.errors import SettingsError

SYNTH = ("synth", "docs", "--sample", "1", "--near-miss", "0")


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """goldgen.toml in the working folder, and nothing of the user's in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GOLDGEN_API_KEY", "GOLDGEN_BASE_URL", "GOLDGEN_MODEL"):
        monkeypatch.delenv(name, raising=False)
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model = [broken", "not valid TOML"),
        ('modle = "gen"', "modle"),
        ("concurrency = 0", "concurrency"),
        ("timeout = -1", "timeout"),
        ("timeout = 'long'", "timeout"),
        ("api_key = ['sk-secret']", "(?i)api_key"),
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
