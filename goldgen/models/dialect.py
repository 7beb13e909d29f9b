"""Small differences between OpenAI-compatible servers, found by trying and remembered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from openai import APIStatusError

from goldgen.models.endpoints import REASONING_ROOM, is_openai
from goldgen.models.output import FORMS, Form
from goldgen.types import OutputMode

_REFUSING = frozenset({400, 404, 422, 501})
_ABOUT_OUTPUT = re.compile(
    r"\b(?:response_format|response format|json[_ ](?:schema|object|mode)|schema|strict|tools?"
    r"|tool_choice|function calling|grammar|structured outputs?|additionalProperties"
    r"|(?:max|min)(?:Length|Items)|pattern)\b"
)
_LIMIT = 3
"""Replies in a row that could not be used, after which a form is left that has worked before."""


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
        hosted = is_openai(url)
        first = next((number for number, form in enumerate(FORMS) if only in (None, form.mode)), 0)
        return cls(completion_tokens=hosted, temperature=not hosted, form_number=first, only=only)

    @property
    def form(self) -> Form:
        return FORMS[self.form_number]

    def spoken(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as this server wants them."""
        spoken = dict(arguments)
        if self.completion_tokens:
            spoken["max_completion_tokens"] = spoken.pop("max_tokens") + REASONING_ROOM
        if not self.temperature:
            spoken.pop("temperature", None)
        return spoken

    def after_refusal(self, error: APIStatusError) -> "Dialect | None":
        """Another dialect if the refusal is about something of this one; else None."""
        if error.status_code not in _REFUSING:
            return None
        said = _said(error)
        about_output = bool(_ABOUT_OUTPUT.search(said))
        if not self.completion_tokens and "max_completion_tokens" in said:
            return replace(self, completion_tokens=True)
        if self.temperature and "temperature" in said and (error.param == "temperature" or not about_output):
            return replace(self, temperature=False)
        return self._following(self.form_number + 1) if about_output else None

    def after_unparsed(self) -> "Dialect":
        """A form that shows the model the schema in words, for a server that may have ignored it."""
        first_written = next(n for n, form in enumerate(FORMS) if form.mode == "json")
        return self._following(max(self.form_number + 1, first_written)) or self

    def _following(self, number: int) -> "Dialect | None":
        if number >= len(FORMS) or (self.only and FORMS[number].mode != self.only):
            return None
        return replace(self, form_number=number, confirmed=False)


def _said(error: APIStatusError) -> str:
    """What the refusal is about: the parameter that it names, and its message."""
    body = cast("Mapping[str, object]", error.body if isinstance(error.body, Mapping) else {})
    return f"{error.param or ''} {body.get('message') or error.message}"


class Dialects:
    """The dialect of one endpoint as calls learn it. Each call tries others by itself.

    What it found counts for all once it has given a valid reply: at once for a form never seen to work, and
    after a few unusable replies in a row for one that was.
    """

    def __init__(self, first: Dialect) -> None:
        self.current = first
        self._unusable = 0

    @property
    def is_doubtful(self) -> bool:
        """Whether another form is worth a try when a reply can't be used."""
        return not self.current.confirmed or self._unusable >= _LIMIT

    def works(self, dialect: Dialect, *, refused: bool) -> None:
        """A valid reply came in this dialect; ``refused``: after the current one was refused."""
        if (
            _same(dialect, self.current)
            or (refused and not self.current.confirmed)
            or self._unusable >= (_LIMIT if self.current.confirmed else _LIMIT - 1)
        ):
            self._unusable = 0
            self.current = replace(dialect, confirmed=True)

    def fails(self, dialect: Dialect) -> None:
        """A reply in this dialect could not be used, or the request was refused for it."""
        if _same(dialect, self.current):
            self._unusable += 1


def _same(one: Dialect, other: Dialect) -> bool:
    return replace(one, confirmed=False) == replace(other, confirmed=False)
