"""Settings of a run: flags before environment before ``goldgen.toml`` before defaults."""

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from goldgen.app.models import RERANKER, ModelSettings
from goldgen.errors import SettingsError
from goldgen.types import OutputMode, Price

SETTINGS_FILE = Path("goldgen.toml")
_KEYS = ("api_key", "verifier_api_key", "embedding_api_key", "reranker_api_key")


def _price(value: object) -> Price:
    """A price from ``IN,OUT``."""
    try:
        prompt, completion = map(float, str(value).split(","))
    except ValueError:
        prompt = completion = -1.0
    if not (isfinite(prompt + completion) and min(prompt, completion) >= 0):
        raise ValueError(f"{value!r} is no price; give two numbers like 0.15,0.60")
    return Price(prompt, completion)


# NoDecode, because pydantic-settings would read the text of the environment as JSON.
PriceSetting = Annotated[Annotated[Price, BeforeValidator(_price)] | None, NoDecode]


class Settings(BaseSettings):
    """Every field may stand in ``goldgen.toml``, or in the environment as ``GOLDGEN_`` and its name.

    ``OPENAI_API_KEY``, ``OPENAI_API_KEY_FILE`` and ``OPENAI_BASE_URL`` are read too. Keys have no flag,
    since flags are seen by every user of a machine and kept in the shell's history. A key that is set itself
    comes before one in a file.
    """

    model_config = SettingsConfigDict(
        env_prefix="GOLDGEN_", toml_file=SETTINGS_FILE, extra="forbid", populate_by_name=True
    )

    model: str = ""
    base_url: str = Field("", validation_alias=AliasChoices("GOLDGEN_BASE_URL", "OPENAI_BASE_URL"))
    api_key: SecretStr = Field(
        SecretStr(""), validation_alias=AliasChoices("GOLDGEN_API_KEY", "OPENAI_API_KEY")
    )
    api_key_file: str = Field(
        "", validation_alias=AliasChoices("GOLDGEN_API_KEY_FILE", "OPENAI_API_KEY_FILE")
    )
    verifier_model: str = ""
    verifier_base_url: str = ""
    verifier_api_key: SecretStr = SecretStr("")
    verifier_api_key_file: str = ""
    embedding_model: str = "all-MiniLM-L6-v2"
    embedding_base_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    embedding_api_key_file: str = ""
    reranker_model: str = RERANKER
    reranker_base_url: str = ""
    reranker_api_key: SecretStr = SecretStr("")
    reranker_api_key_file: str = ""
    gguf: str = ""
    judge_with_llm: bool = False
    offline: bool = False
    allow_same_model: bool = False
    timeout: float = Field(120.0, gt=0)
    concurrency: int = Field(8, ge=1)
    output_mode: OutputMode | None = None
    price: PriceSetting = None
    verifier_price: PriceSetting = None
    max_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    max_calls: int | None = Field(None, ge=0)
    names: str = ""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def model_settings(flags: Mapping[str, object]) -> ModelSettings:
    """The models of a run; a flag that is None was not given. Raises SettingsError."""
    settings = _settings(flags)
    values: dict[str, Any] = {field.name: getattr(settings, field.name) for field in fields(ModelSettings)}
    values |= {name: _key(settings, name) for name in _KEYS}
    return ModelSettings(**values)


def names_setting(flag: str | None) -> str:
    """The model that finds names of people in logs; empty: they are not looked for. Raises SettingsError."""
    return _settings({"names": flag}).names


def _settings(flags: Mapping[str, object]) -> Settings:
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        raise SettingsError(
            f"setting {name}: {problem}; see the flags, GOLDGEN_* in the environment, {SETTINGS_FILE}"
        ) from None
    except TOMLDecodeError as error:
        raise SettingsError(f"{SETTINGS_FILE} is not valid TOML: {error}") from None


def _key(settings: Settings, name: str) -> SecretStr:
    """The key of that name, or what stands in its file. Raises SettingsError."""
    key: SecretStr = getattr(settings, name)
    file: str = getattr(settings, f"{name}_file")
    if key.get_secret_value() or not file:
        # A file of variables with Windows line ends leaves one at the end of the key.
        return SecretStr(key.get_secret_value().strip())
    try:
        words = Path(file).expanduser().read_text(encoding="utf-8").split()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such text file"
        raise SettingsError(f"cannot read {name}_file {file}: {reason}; name a file with the key") from None
    if len(words) != 1:
        found = "is empty" if not words else "holds more than a key"
        raise SettingsError(f"{name}_file {file} {found}; put the key in it, and nothing else")
    return SecretStr(words[0])
