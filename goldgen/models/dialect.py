"""Small differences between OpenAI-compatible servers, found by trying and remembered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from openai import APIStatusError

from goldgen.models.output import FORMS, Form
from goldgen.types import OutputMode

_OPENAI_HOSTS = ("api.openai.com", ".openai.azure.com", ".cognitiveservices.azure.com")
_REASONING_ROOM = 2048
"""Hosted reasoning models spend tokens of the same budget before they answer."""
_REFUSING = frozenset({400, 422, 501})
_ABOUT_OUTPUT = re.compile(
    r"response_format|response format|json|schema|strict|tool|function|grammar|structured"
    r"|additionalProperties|(?:max|min)(?:Length|Items)|pattern",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the token budget is named, whether a temperature may be given, how to ask for structured output."""

    completion_tokens: bool = False
    temperature: bool = True
    form_number: int = 0
    """Index into FORMS."""
    confirmed: bool = False
    """The form has given a valid reply, so that a bad one is the model's fault and not the form's."""
    only: OutputMode | None = None
    """The user's choice; no other mode is tried."""

    @classmethod
    def for_url(cls, url: str, only: OutputMode | None = None) -> "Dialect":
        host = urlsplit(url).hostname or ""
        hosted = any(host == known or host.endswith(known) for known in _OPENAI_HOSTS)
        first = next((number for number, form in enumerate(FORMS) if only in (None, form.mode)), 0)
        return cls(completion_tokens=hosted, temperature=not hosted, form_number=first, only=only)

    @property
    def form(self) -> Form:
        return FORMS[self.form_number]

    def spoken(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as this server wants them."""
        spoken = dict(arguments)
        if self.completion_tokens:
            spoken["max_completion_tokens"] = spoken.pop("max_tokens") + _REASONING_ROOM
        if not self.temperature:
            spoken.pop("temperature", None)
        return spoken

    def after_refusal(self, error: APIStatusError) -> "Dialect | None":
        """Another dialect if the refusal is about something of this one; else None."""
        if error.status_code not in _REFUSING:
            return None
        said = f"{error.param or ''} {error.message}"
        if not self.completion_tokens and "max_completion_tokens" in said:
            return replace(self, completion_tokens=True)
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return self._in_next_form() if _ABOUT_OUTPUT.search(said) else None

    def after_unparsed(self) -> "Dialect":
        """Another form unless this one has worked: a server may ignore what it does not know."""
        if self.confirmed:
            return self
        mode, following = self.form.mode, self
        # Bounds and strictness make no difference to a server that ignores the schema.
        while following.form.mode == mode and (another := following._in_next_form()):
            following = another
        return following if following.form.mode != mode else self

    def _in_next_form(self) -> "Dialect | None":
        number = self.form_number + 1
        if number == len(FORMS) or (self.only and FORMS[number].mode != self.only):
            return None
        return replace(self, form_number=number, confirmed=False)
