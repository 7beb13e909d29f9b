"""What was learnt about endpoints, kept with the set so that no later run has to find it out again."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol

from goldgen.models.endpoints import Endpoint

if TYPE_CHECKING:
    from goldgen.models.dialect import Dialect


class Memory(Protocol):
    """Texts by name, such as those of a golden set's ``meta``."""

    def get(self, key: str) -> str | None: ...

    def set(self, key: str, value: str) -> None: ...


class Forgetful:
    """Implements ``Memory`` by remembering nothing."""

    def get(self, key: str) -> str | None:
        return None

    def set(self, key: str, value: str) -> None:
        pass


def recall(memory: Memory, endpoint: Endpoint) -> "Dialect | None":
    """The dialect that worked last; None if there is none, or the user now asks for another output mode."""
    from goldgen.models.dialect import Dialect
    from goldgen.models.output import FORMS, Form

    stored = memory.get(_key(endpoint))
    if stored is None:
        return None
    values = json.loads(stored)
    form = Form(**values.pop("form"))
    if form not in FORMS or values["only"] != endpoint.output_mode:
        return None
    return Dialect(form_number=FORMS.index(form), confirmed=True, **values)


def remember(memory: Memory, endpoint: Endpoint, dialect: "Dialect") -> None:
    """Keep a dialect in which a valid reply came; the form by what it is, since its number may change."""
    if dialect.confirmed:
        values = asdict(dialect) | {"form": asdict(dialect.form)}
        del values["form_number"], values["confirmed"]
        memory.set(_key(endpoint), json.dumps(values))


def _key(endpoint: Endpoint) -> str:
    return f"dialect of {endpoint.model} at {endpoint.label}"
