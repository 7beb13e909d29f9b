"""Settings of a run: flags before environment before ``goldgen.toml`` before defaults."""

from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from goldgen.app.models import ModelSettings
from goldgen.errors import SettingsError

SETTINGS_FILE = Path("goldgen.toml")


class Settings(BaseSettings):
    """Every field may stand in ``goldgen.toml``, or in the environment as ``GOLDGEN_`` and its name.

    ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL`` are read too. Keys have no flag, since flags are seen by
    every user of a machine and kept in the shell's history.
    """

    model_config = SettingsConfigDict(
        env_prefix="GOLDGEN_", toml_file=SETTINGS_FILE, extra="forbid", populate_by_name=True
    )

    model: str = ""
    base_url: str = Field("", validation_alias=AliasChoices("GOLDGEN_BASE_URL", "OPENAI_BASE_URL"))
    api_key: SecretStr = Field(
        SecretStr(""), validation_alias=AliasChoices("GOLDGEN_API_KEY", "OPENAI_API_KEY")
    )
    verifier_model: str = ""
    verifier_base_url: str = ""
    verifier_api_key: SecretStr = SecretStr("")
    embedding_model: str = "all-MiniLM-L6-v2"
    embedding_base_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    reranker_model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    gguf: str = ""
    offline: bool = False
    allow_same_model: bool = False
    timeout: float = Field(120.0, gt=0)
    concurrency: int = Field(8, ge=1)

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
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    try:
        settings = Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"setting {name}: {first['msg']}; see the flags, GOLDGEN_* in the environment, {SETTINGS_FILE}"
        ) from None
    except TOMLDecodeError as error:
        raise SettingsError(f"{SETTINGS_FILE} is not valid TOML: {error}") from None
    return ModelSettings(**settings.model_dump())
