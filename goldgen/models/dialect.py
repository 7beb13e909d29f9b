"""Small differences between OpenAI-compatible servers in what they call a parameter."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from openai import BadRequestError

_OPENAI_HOSTS = ("api.openai.com", ".openai.azure.com", ".cognitiveservices.azure.com")
_REASONING_ROOM = 2048
"""Hosted reasoning models spend tokens of the same budget before they answer."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the token budget is named and whether a temperature may be given."""

    completion_tokens: bool = False
    temperature: bool = True

    @classmethod
    def for_url(cls, url: str) -> "Dialect":
        host = urlsplit(url).hostname or ""
        hosted = any(host == known or host.endswith(known) for known in _OPENAI_HOSTS)
        return cls(completion_tokens=hosted, temperature=not hosted)

    def spoken(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as this server wants them."""
        spoken = dict(arguments)
        if self.completion_tokens:
            spoken["max_completion_tokens"] = spoken.pop("max_tokens") + _REASONING_ROOM
        if not self.temperature:
            spoken.pop("temperature", None)
        return spoken

    def after(self, error: BadRequestError) -> "Dialect | None":
        """Another dialect if the refusal names a parameter of this one; else None."""
        said = f"{error.param or ''} {error.message}"
        if not self.completion_tokens and "max_completion_tokens" in said:
            return replace(self, completion_tokens=True)
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return None
